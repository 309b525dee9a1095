// Opens an S3BlobStore, lists its objects, and drops old uploads.

#include <map>
#include <utility>

#include "bvhmill/base/call_error.h"
#include "bvhmill/base/status.h"
#include "bvhmill/digest/sha256.h"
#include "server/store/lost_data.h"
#include "server/store/s3/open_s3.h"
#include "server/store/s3/s3_blob_store.h"
#include "server/store/s3/s3_faults.h"
#include "server/store/s3/s3_parts.h"
#include "server/store/s3/s3_xml.h"

namespace bvhmill::server {
namespace {

constexpr char kIdentityKey[] = "database";
constexpr char kBlobs[] = "blobs/";
constexpr char kStates[] = "uploads/";
constexpr int kPreconditionFailed = 412;

absl::Status NoList() {
  return MakeCallError({.code = absl::StatusCode::kInternal,
                        .reason = "STORE_FAULT",
                        .message = "the store of blobs gives no list"});
}

absl::Status NoIdentity() {
  return MakeCallError(
      {.code = absl::StatusCode::kNotFound,
       .reason = "DATA_MISSING",
       .message =
           "no server has stored blobs with this prefix: name the one of "
           "these jobs; if their blobs are lost, see \"The prefix is "
           "lost\" in docs/jobs-on-several-machines.md"});
}

// SPACE and DIGEST, with `separator` between them. False if it is another name.
bool ReadName(std::string_view text, char separator, BlobName* name) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return false;
  name->space = text.substr(0, at);
  name->digest = text.substr(at + 1);
  return IsSha256(name->digest);
}

// Says for the operator where the store is.
absl::Status AtPlace(const S3Options& options, const absl::Status& status) {
  if (status.ok()) return status;
  std::string endpoint;
  if (!ReadS3Endpoint(options, &endpoint).ok()) return status;
  CallError error = CallErrorOf(status);
  error.code = status.code();
  error.message = options.address + " at " + endpoint + ": " +
                  std::string(MessageOf(status));
  return MakeCallError(error);
}

}  // namespace

absl::Status S3BlobStore::Open(const S3Options& options,
                               const std::string& spool,
                               const std::string& identity, bool has_jobs,
                               const BlobQuota& quota,
                               std::unique_ptr<S3BlobStore>* store) {
  std::unique_ptr<S3Client> client;
  BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
  std::unique_ptr<S3BlobStore> out(
      new S3BlobStore(options, std::move(client), spool, quota));
  BVHMILL_RETURN_IF_ERROR(
      AtPlace(options, out->Check(identity, /*may_begin=*/!has_jobs,
                                  /*needs_blobs=*/has_jobs)));
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status S3BlobStore::OpenForCheck(const S3Options& options,
                                       const std::string& identity,
                                       std::unique_ptr<S3BlobStore>* store) {
  std::unique_ptr<S3Client> client;
  BVHMILL_RETURN_IF_ERROR(S3Client::Make(options, &client));
  std::unique_ptr<S3BlobStore> out(
      new S3BlobStore(options, std::move(client), /*spool=*/"", {}));
  BVHMILL_RETURN_IF_ERROR(
      AtPlace(options, out->Check(identity, /*may_begin=*/false,
                                  /*needs_blobs=*/false)));
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status S3BlobStore::ReadIdentity(std::string* identity) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(client_->Send({.key = kIdentityKey}, &answer));
  *identity = std::move(answer.body);
  return absl::OkStatus();
}

// If several servers start at once, one of them makes the object.
absl::Status S3BlobStore::WriteIdentity(const std::string& identity) {
  S3Answer answer;
  const absl::Status put = client_->Send({.method = "PUT",
                                          .key = kIdentityKey,
                                          .headers = {"If-None-Match: *"},
                                          .text = identity},
                                         &answer);
  return answer.status == kPreconditionFailed ? absl::OkStatus() : put;
}

// Lists first: the right to do that makes a missing object NOT_FOUND.
absl::Status S3BlobStore::Check(const std::string& identity, bool may_begin,
                                bool needs_blobs) {
  S3Answer answer;
  BVHMILL_RETURN_IF_ERROR(
      client_->Send({.query = {{"list-type", "2"},
                               {"max-keys", "1"},
                               {"prefix", client_->place().prefix + kBlobs}}},
                    &answer));
  S3ObjectPage page;
  if (!ReadObjectPage(answer.body, &page)) return NoList();
  const bool has_blobs = !page.objects.empty();
  std::string found;
  absl::Status read = ReadIdentity(&found);
  if (absl::IsNotFound(read)) {
    if (!may_begin) return NoIdentity();
    if (has_blobs) {
      return DataIncomplete(
          "the prefix has blobs, and its object \"database\" is missing, which "
          "names the database of their jobs");
    }
    BVHMILL_RETURN_IF_ERROR(WriteIdentity(identity));
    read = ReadIdentity(&found);
  }
  BVHMILL_RETURN_IF_ERROR(read);
  if (found == identity) {
    return needs_blobs && !has_blobs ? BlobsLost("the prefix")
                                     : absl::OkStatus();
  }
  return MakeCallError(
      {.code = absl::StatusCode::kFailedPrecondition,
       .reason = "DATA_OF_ANOTHER_DATABASE",
       .message = "has the blobs of jobs of another database; use another "
                  "prefix, or if that database is lost, restore it"});
}

absl::Status S3BlobStore::ListKeys(
    const std::string& prefix,
    const std::function<bool(const BlobEntry&, const std::string& key)>& take) {
  const std::string& outer = client_->place().prefix;
  std::map<std::string, std::string> query = {{"list-type", "2"},
                                              {"prefix", outer + prefix}};
  S3ObjectPage page;
  do {
    S3Answer answer;
    BVHMILL_RETURN_IF_ERROR(client_->Send({.query = query}, &answer));
    if (!ReadObjectPage(answer.body, &page)) return NoList();
    for (const S3Object& object : page.objects) {
      BlobEntry entry;
      entry.size = object.size;
      entry.used_ms = LocalTimeOf(object.modified_ms, answer);
      const std::string key = object.key.substr(outer.size() + prefix.size());
      if (!take(entry, key)) return absl::OkStatus();
    }
    query["continuation-token"] = page.next;
  } while (!page.next.empty());
  return absl::OkStatus();
}

// Objects with other names are not ours.
absl::Status S3BlobStore::List(
    const std::function<bool(const BlobEntry& entry)>& take) {
  return ForCallers(
      ListKeys(kBlobs, [&](const BlobEntry& found, const std::string& key) {
        BlobEntry entry = found;
        entry.used_ms += options_.touch_after_ms;
        return !ReadName(key, '/', &entry.name) || take(entry);
      }));
}

absl::Status S3BlobStore::DropUploads(int64_t before_ms) {
  BVHMILL_RETURN_IF_ERROR(ForCallers(DropStates(before_ms)));
  return ForCallers(DropParts(before_ms));
}

absl::Status S3BlobStore::DropStates(int64_t before_ms) {
  std::vector<BlobName> old;
  BVHMILL_RETURN_IF_ERROR(
      ListKeys(kStates, [&](const BlobEntry& entry, const std::string& key) {
        BlobName name;
        if (entry.used_ms < before_ms && ReadName(key, '-', &name) &&
            !IsRunning(name)) {
          old.push_back(name);
        }
        return true;
      }));
  for (const BlobName& name : old) {
    BVHMILL_RETURN_IF_ERROR(DropStateAndParts(name));
  }
  return absl::OkStatus();
}

absl::Status S3BlobStore::DropStateAndParts(const BlobName& name) {
  std::string text;
  S3UploadState state;
  std::string_view tail;
  const absl::Status loaded = LoadState(name, &text, &state, &tail);
  if (loaded.ok() && !state.id.empty()) {
    BVHMILL_RETURN_IF_ERROR(AbortParts(client_.get(), BlobKey(name), state.id));
  }
  return DropState(name);
}

absl::Status S3BlobStore::DropUpload(const BlobName& name) {
  return IsRunning(name) ? UploadRunning()
                         : ForCallers(DropStateAndParts(name));
}

// Drops parts of uploads that a server was killed before it completed.
absl::Status S3BlobStore::DropParts(int64_t before_ms) {
  const std::string& outer = client_->place().prefix;
  std::map<std::string, std::string> query = {{"prefix", outer + kBlobs},
                                              {"uploads", ""}};
  S3UploadPage page;
  do {
    S3Answer answer;
    BVHMILL_RETURN_IF_ERROR(client_->Send({.query = query}, &answer));
    if (!ReadUploadPage(answer.body, &page)) return NoList();
    for (const S3RunningUpload& upload : page.uploads) {
      if (LocalTimeOf(upload.begun_ms, answer) >= before_ms) continue;
      BVHMILL_RETURN_IF_ERROR(
          DropPart(upload.key.substr(outer.size()), upload.id));
    }
    query["key-marker"] = page.next_key;
    query["upload-id-marker"] = page.next_id;
  } while (!page.next_key.empty());
  return absl::OkStatus();
}

// The parts of a state that is left are in use.
absl::Status S3BlobStore::DropPart(const std::string& key,
                                   const std::string& id) {
  BlobName name;
  const std::string_view rest =
      std::string_view(key).substr(sizeof(kBlobs) - 1);
  if (!ReadName(rest, '/', &name) || IsRunning(name)) return absl::OkStatus();
  std::string text;
  S3UploadState state;
  std::string_view tail;
  const absl::Status loaded = LoadState(name, &text, &state, &tail);
  if (!loaded.ok() && !absl::IsNotFound(loaded)) return loaded;
  if (loaded.ok() && state.id == id) return absl::OkStatus();
  return AbortParts(client_.get(), key, id);
}

absl::Status OpenS3BlobsForCheck(const S3Options& options,
                                 const std::string& identity,
                                 std::unique_ptr<BlobStore>* store) {
  std::unique_ptr<S3BlobStore> out;
  BVHMILL_RETURN_IF_ERROR(S3BlobStore::OpenForCheck(options, identity, &out));
  *store = std::move(out);
  return absl::OkStatus();
}

absl::Status OpenS3BlobStore(const S3Options& options, const std::string& spool,
                             const std::string& identity, bool has_jobs,
                             const BlobQuota& quota,
                             std::unique_ptr<BlobStore>* store) {
  std::unique_ptr<S3BlobStore> out;
  BVHMILL_RETURN_IF_ERROR(
      S3BlobStore::Open(options, spool, identity, has_jobs, quota, &out));
  *store = std::move(out);
  return absl::OkStatus();
}

}  // namespace bvhmill::server
