#include "server/http/clip_api.h"

#include <google/protobuf/util/json_util.h>
#include <grpcpp/client_context.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/encode/encode.h"
#include "bvhmill/encode/report_json.h"
#include "bvhmill/encode/zip.h"
#include "bvhmill/pipeline/option_text.h"
#include "bvhmill/report/report.h"
#include "bvhmill/v1/clip_service.grpc.pb.h"
#include "bvhmill/v1/server_service.grpc.pb.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/status.h"
#include "server/http/clip_query.h"
#include "server/http/http_server.h"
#include "server/http/openapi.h"
#include "server/rpc/call_record.h"
#include "server/store/file_ops.h"

namespace bvhmill::server {
namespace {

using Json = nlohmann::json;

constexpr char kJson[] = "application/json";
constexpr char kProblem[] = "application/problem+json";
constexpr char kZip[] = "application/zip";
constexpr std::string_view kReportExtension = ".report.json";
constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr size_t kMostOptionBytes = size_t{1} << 20;
// The memory of a part of a form beside its bytes.
constexpr size_t kBytesOfPart = 256;

const char* TitleOf(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return status < 500 ? "Bad Request" : "Internal Server Error";
  }
}

void SetProblem(const absl::Status& status, bool is_of_clip,
                const std::string& report, httplib::Response* response) {
  const CallError error = CallErrorOf(status);
  response->status = HttpStatusOf(status, is_of_clip);
  Json problem = {{"type", "about:blank"},
                  {"title", TitleOf(response->status)},
                  {"status", response->status},
                  {"detail", MessageOf(status)}};
  if (!error.reason.empty()) problem["reason"] = error.reason;
  if (!error.field.empty()) problem["field"] = error.field;
  if (!error.limit_name.empty()) problem["limit"] = error.limit_name;
  for (const auto& [name, value] : error.args) problem["args"][name] = value;
  std::string text =
      problem.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!report.empty()) {
    text.pop_back();
    text += ",\"report\":" + report + "}";
  }
  const std::string_view retry = FindArg(error, "retry_after_ms");
  if (!retry.empty() || response->status == 503) {
    constexpr int64_t kSecond = 1000;
    const int64_t ms = NumberOf<int64_t>(retry).value_or(kSecond);
    response->set_header("Retry-After",
                         std::to_string((ms + kSecond - 1) / kSecond));
  }
  if (response->status == 401) {
    response->set_header("WWW-Authenticate", "Bearer");
  }
  response->set_content(text + "\n", kProblem);
}

// Bytes in a file without a name.
struct SpooledFile {
  OwnedFile file;
  int64_t size = 0;

  absl::Status Open(const std::string& folder) {
    return OpenUnnamedFile(folder, &file);
  }
  absl::Status Append(std::string_view bytes) {
    size += static_cast<int64_t>(bytes.size());
    return WriteFile(file, "", bytes);
  }
  // Calls `take` with all bytes, in pieces.
  absl::Status ForEach(
      const std::function<absl::Status(std::string_view)>& take) const {
    std::string piece;
    for (int64_t at = 0; at < size; at += static_cast<int64_t>(piece.size())) {
      BVHMILL_RETURN_IF_ERROR(ReadFileAt(file, "", at, kChunkBytes, &piece));
      if (piece.empty()) return FileFault("read", "", EIO);
      BVHMILL_RETURN_IF_ERROR(take(piece));
    }
    return absl::OkStatus();
  }
};

class SpoolSink final : public Sink {
 public:
  explicit SpoolSink(SpooledFile* file) : file_(*file) {}
  absl::Status Append(std::string_view bytes) override {
    return file_.Append(bytes);
  }

 private:
  SpooledFile& file_;
};

// Sends the bytes of a file as the answer.
void SetFile(SpooledFile file, const std::string& type,
             httplib::Response* response) {
  const auto shared = std::make_shared<SpooledFile>(std::move(file));
  response->status = 200;
  if (shared->size == 0) return response->set_content("", type);
  response->set_content_provider(
      static_cast<size_t>(shared->size), type,
      [shared](size_t offset, size_t size, httplib::DataSink& sink) {
        std::string piece;
        const absl::Status read =
            ReadFileAt(shared->file, "", static_cast<int64_t>(offset),
                       std::min(size, kChunkBytes), &piece);
        return read.ok() && !piece.empty() &&
               sink.write(piece.data(), piece.size());
      });
}

// Passes headers on as metadata. gRPC ends the process for a value that is not
// printable ASCII: such a header is as good as none.
void PassHeaders(const httplib::Request& request,
                 grpc::ClientContext* context) {
  for (const char* const name :
       {"authorization", "x-request-id", "traceparent"}) {
    const std::string value = request.get_header_value(name);
    const bool is_printable =
        std::all_of(value.begin(), value.end(),
                    [](char c) { return c >= 0x20 && c < 0x7f; });
    if (!value.empty() && is_printable) context->AddMetadata(name, value);
  }
}

// One clip on a stream of ClipService. The thread of the request sends the
// clip; another one receives the outputs.
class ClipCall {
 public:
  ClipCall(const ClipApiOptions& api, const httplib::Request& request,
           const ClipQuery& query)
      : api_(api), query_(query) {
    PassHeaders(request, &context_);
    context_.AddMetadata(kHttpPeer, "http:" + request.remote_addr + ":" +
                                        std::to_string(request.remote_port));
    stream_ = v1::ClipService::NewStub(api.channel)->ConvertClips(&context_);
    receiver_ = std::thread([this] { Receive(); });
  }
  ~ClipCall() {
    if (!receiver_.joinable()) return;
    context_.TryCancel();
    receiver_.join();
  }
  ClipCall(const ClipCall&) = delete;
  ClipCall& operator=(const ClipCall&) = delete;

  // Sends the next bytes of the clip. False if the call has ended.
  bool Send(std::string_view bytes) {
    has_ended_ = !has_begun_ && !Begin(bytes);
    while (!has_ended_ && !bytes.empty()) {
      v1::ConvertClipsRequest message;
      message.set_chunk(std::string(bytes.substr(0, kChunkBytes)));
      has_ended_ = !stream_->Write(message);
      bytes.remove_prefix(std::min(kChunkBytes, bytes.size()));
    }
    return !has_ended_;
  }
  // Ends the clip, and waits for its result. Returns the status of the call.
  absl::Status Finish() {
    if (has_begun_ || Begin("")) {
      v1::ConvertClipsRequest message;
      message.mutable_end();
      stream_->Write(message);
    }
    return Close();
  }
  // True if the server ended the call before it had all of the clip.
  bool has_ended() const { return has_ended_; }

  const v1::ClipResult& result() const { return result_; }
  std::vector<SpooledFile>& files() { return files_; }
  std::string request_id() const {
    const auto& metadata = context_.GetServerInitialMetadata();
    const auto found = metadata.find("x-request-id");
    return found == metadata.end()
               ? ""
               : std::string(found->second.data(), found->second.size());
  }

 private:
  bool Begin(std::string_view bytes) {
    has_begun_ = true;
    v1::ConvertClipsRequest open;
    *open.mutable_open()->mutable_options() = wire::ToProto(query_.options);
    if (!stream_->Write(open)) return false;
    v1::ConvertClipsRequest begin;
    begin.mutable_begin()->set_key("clip");
    v1::Source& source = *begin.mutable_begin()->mutable_source();
    source.set_display_name(query_.name);
    source.set_format(wire::ToProto(query_.options.source_format));
    constexpr std::string_view kGzip = "\x1f\x8b";
    constexpr std::string_view kZstd = "\x28\xb5\x2f\xfd";
    if (bytes.starts_with(kGzip)) {
      source.set_encoding(v1::CONTENT_ENCODING_GZIP);
    } else if (bytes.starts_with(kZstd)) {
      source.set_encoding(v1::CONTENT_ENCODING_ZSTD);
    }
    return stream_->Write(begin);
  }

  absl::Status Close() {
    stream_->WritesDone();
    receiver_.join();
    const absl::Status status = StatusOf(stream_->Finish());
    return fault_.ok() ? status : fault_;
  }

  static absl::Status StatusOf(const grpc::Status& status) {
    return status.ok() ? absl::OkStatus()
                       : wire::FromDetails(
                             static_cast<absl::StatusCode>(status.error_code()),
                             status.error_message(), status.error_details());
  }

  void Receive() {
    v1::ConvertClipsResponse response;
    while (stream_->Read(&response)) {
      if (fault_.ok()) fault_ = Take(response);
      if (!fault_.ok()) context_.TryCancel();
    }
  }
  absl::Status Take(const v1::ConvertClipsResponse& response) {
    switch (response.frame_case()) {
      case v1::ConvertClipsResponse::kBegin:
        for (int i = 0; i < response.begin().outputs_size(); ++i) {
          BVHMILL_RETURN_IF_ERROR(files_.emplace_back().Open(api_.spool));
        }
        return absl::OkStatus();
      case v1::ConvertClipsResponse::kOutputChunk:
        return files_[static_cast<size_t>(
                          response.output_chunk().output_index())]
            .Append(response.output_chunk().data());
      case v1::ConvertClipsResponse::kResult:
        result_ = response.result();
        return absl::OkStatus();
      default:
        return absl::OkStatus();
    }
  }

  const ClipApiOptions& api_;
  const ClipQuery& query_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ConvertClipsRequest,
                                           v1::ConvertClipsResponse>>
      stream_;
  bool has_begun_ = false;
  bool has_ended_ = false;
  // Written by the receiver until it has ended.
  std::vector<SpooledFile> files_;
  v1::ClipResult result_;
  absl::Status fault_;
  std::thread receiver_;
};

// The name of an output, e.g. "walk.npz" for the clip "walk.bvh". A name of an
// output is no path.
std::string FileName(const ClipQuery& query, std::string_view extension) {
  std::string stem = query.name;
  if (const size_t slash = stem.find_last_of("/\\"); slash != stem.npos) {
    stem.erase(0, slash + 1);
  }
  for (const std::string_view ending : {".gz", ".zst", ".bvh", ".anim"}) {
    if (stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  }
  constexpr std::string_view kUnsafe = "\"\\;%\r\n\t";
  std::replace_if(
      stem.begin(), stem.end(),
      [&](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
               kUnsafe.find(c) != kUnsafe.npos;
      },
      '_');
  return (stem.empty() ? "clip" : stem) + std::string(extension);
}

void SetDisposition(const std::string& name, httplib::Response* response) {
  response->set_header("Content-Disposition",
                       "attachment; filename=\"" + name + "\"");
}

std::string ReportOf(const v1::ClipResult& result, const std::string& name) {
  return ReportJson(name, wire::FromProto(result.report()),
                    wire::FromProto(result.info()));
}

// An output as a file of the answer.
struct NamedFile {
  std::string name;
  std::string type;
  SpooledFile* file;
};

absl::Status MakeZip(const ClipApiOptions& api,
                     const std::vector<NamedFile>& files,
                     SpooledFile* archive) {
  BVHMILL_RETURN_IF_ERROR(archive->Open(api.spool));
  SpoolSink sink(archive);
  ZipWriter zip(&sink);
  for (const NamedFile& file : files) {
    BVHMILL_RETURN_IF_ERROR(zip.AddWritten(file.name, [&](Sink* to) {
      return file.file->ForEach(
          [to](std::string_view bytes) { return to->Append(bytes); });
    }));
  }
  return zip.Finish();
}

// Counts of issues in headers, so that nothing of a good clip is silent.
void SetCounts(const Report& report, httplib::Response* response) {
  response->set_header("Bvhmill-Verdict",
                       std::string(VerdictName(report.verdict)));
  response->set_header("Bvhmill-Errors", std::to_string(report.counts.errors));
  response->set_header("Bvhmill-Warnings",
                       std::to_string(report.counts.warnings));
}

// Answers with the outputs that could be made.
absl::Status SetOutputs(const ClipApiOptions& api, const ClipQuery& query,
                        ClipCall* call, httplib::Response* response) {
  const v1::ClipResult& result = call->result();
  std::vector<NamedFile> files;
  std::string missing;
  for (int i = 0; i < result.outputs_size(); ++i) {
    const Format& format =
        FormatOf(query.options.outputs[static_cast<size_t>(i)].format);
    if (result.outputs(i).status().code() != 0) {
      missing += (missing.empty() ? "" : ",") + std::string(format.name);
      continue;
    }
    files.push_back({FileName(query, format.extension),
                     std::string(format.media_type),
                     &call->files()[static_cast<size_t>(i)]});
  }
  if (!missing.empty()) response->set_header("Bvhmill-Missing", missing);
  SpooledFile report;
  if (query.emits_report) {
    BVHMILL_RETURN_IF_ERROR(report.Open(api.spool));
    BVHMILL_RETURN_IF_ERROR(report.Append(ReportOf(result, query.name) + "\n"));
    files.push_back({FileName(query, kReportExtension), kJson, &report});
  }
  if (files.size() == 1) {
    SetDisposition(files[0].name, response);
    SetFile(std::move(*files[0].file), files[0].type, response);
    return absl::OkStatus();
  }
  SpooledFile archive;
  BVHMILL_RETURN_IF_ERROR(MakeZip(api, files, &archive));
  SetDisposition(FileName(query, ".zip"), response);
  SetFile(std::move(archive), kZip, response);
  return absl::OkStatus();
}

// Reads a form: parameters, then one `file`, whose bytes `take` gets.
bool ReadForm(const httplib::ContentReader& reader, httplib::Params* params,
              const std::function<bool(std::string_view)>& take,
              absl::Status* wrong) {
  bool is_file = false;
  bool has_file = false;
  std::string* text = nullptr;
  size_t bytes_of_texts = 0;
  const auto fits = [&](size_t more) {
    bytes_of_texts += more;
    if (bytes_of_texts > kMostOptionBytes) {
      *wrong = InvalidField("options", "the form has too many bytes");
    }
    return wrong->ok();
  };
  const bool is_read = reader(
      [&](const httplib::MultipartFormData& part) {
        if (has_file) {
          *wrong = InvalidField(part.name, "comes behind the file in the form");
          return false;
        }
        is_file = has_file = part.name == "file";
        if (is_file && params->find("name") == params->end()) {
          params->emplace("name", part.filename);
        }
        if (!is_file) text = &params->emplace(part.name, "")->second;
        return fits(part.name.size() + kBytesOfPart);
      },
      [&](const char* bytes, size_t size) {
        if (is_file) return take({bytes, size});
        text->append(bytes, size);
        return fits(size);
      });
  if (is_read && !has_file) {
    *wrong = InvalidField("file", "is missing in the form");
  }
  return is_read;
}

absl::Status BodyCut() {
  return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                    "the body ended before its end, or came too slowly");
}

// Serves one clip: reads the query, sends the body, and calls `answer` with the
// result.
class ClipHandler {
 public:
  using Answer = std::function<absl::Status(
      const ClipApiOptions& api, const ClipQuery& query, ClipCall* call,
      httplib::Response* response)>;
  ClipHandler(const ClipApiOptions& api, bool needs_outputs, Answer answer)
      : api_(api), needs_outputs_(needs_outputs), answer_(std::move(answer)) {}

  void operator()(const httplib::Request& request, httplib::Response& response,
                  const httplib::ContentReader& reader) const {
    httplib::Params params = request.params;
    ClipQuery query;
    std::unique_ptr<ClipCall> call;
    absl::Status wrong;
    const auto take = [&](std::string_view bytes) {
      if (call == nullptr) wrong = Begin(request, params, &query, &call);
      return wrong.ok() && call->Send(bytes);
    };
    const bool is_form = request.is_multipart_form_data();
    const bool is_read = is_form ? ReadForm(reader, &params, take, &wrong)
                                 : reader([&](const char* bytes, size_t size) {
                                     return take({bytes, size});
                                   });
    if (call == nullptr && wrong.ok()) {
      wrong = Begin(request, params, &query, &call);
    }
    // What has come of the clip may look like a whole one.
    if (wrong.ok() && !is_read && !call->has_ended()) wrong = BodyCut();
    if (!wrong.ok()) return Refuse(wrong, &response);
    if (!is_read) CloseAfterAnswer();
    const absl::Status called = call->Finish();
    if (!call->request_id().empty()) {
      response.set_header("X-Request-Id", call->request_id());
    }
    if (!called.ok()) return Refuse(called, &response);
    const absl::Status answered = answer_(api_, query, call.get(), &response);
    if (!answered.ok()) Refuse(answered, &response);
  }

 private:
  static void Refuse(const absl::Status& why, httplib::Response* response) {
    CloseAfterAnswer();
    SetProblem(why, /*is_of_clip=*/false, "", response);
  }
  absl::Status Begin(const httplib::Request& request,
                     const httplib::Params& params, ClipQuery* query,
                     std::unique_ptr<ClipCall>* call) const {
    BVHMILL_RETURN_IF_ERROR(ReadClipQuery(params, query));
    if (needs_outputs_ && query->options.outputs.empty() &&
        !query->emits_report) {
      return InvalidField("emit", "names no output; for example emit=npz");
    }
    *call = std::make_unique<ClipCall>(api_, request, *query);
    return absl::OkStatus();
  }

  const ClipApiOptions& api_;
  const bool needs_outputs_;
  const Answer answer_;
};

absl::Status AnswerConvert(const ClipApiOptions& api, const ClipQuery& query,
                           ClipCall* call, httplib::Response* response) {
  const v1::ClipResult& result = call->result();
  const absl::Status status = wire::FromProto(result.status());
  const Report report = wire::FromProto(result.report());
  SetCounts(report, response);
  if (status.ok()) return SetOutputs(api, query, call, response);
  const bool is_broken = HttpStatusOf(status, true) == 422;
  SetProblem(status, /*is_of_clip=*/true, is_broken ? ReportJson(report) : "",
             response);
  return absl::OkStatus();
}

// The answer is the report, also of a broken clip.
absl::Status AnswerValidate(const ClipApiOptions& /*api*/,
                            const ClipQuery& query, ClipCall* call,
                            httplib::Response* response) {
  const v1::ClipResult& result = call->result();
  const absl::Status status = wire::FromProto(result.status());
  SetCounts(wire::FromProto(result.report()), response);
  // A limit or an option, which the report does not have.
  const bool is_of_call = absl::IsResourceExhausted(status) ||
                          absl::IsUnimplemented(status) ||
                          CallErrorOf(status).reason == "FIELD_INVALID";
  if (is_of_call) {
    SetProblem(status, /*is_of_clip=*/true, "", response);
    return absl::OkStatus();
  }
  response->status = 200;
  response->set_content(ReportOf(result, query.name) + "\n", kJson);
  return absl::OkStatus();
}

void AnswerInfo(const ClipApiOptions& api, const httplib::Request& request,
                httplib::Response* response) {
  grpc::ClientContext context;
  PassHeaders(request, &context);
  v1::GetServerInfoResponse info;
  const grpc::Status status = v1::ServerService::NewStub(api.channel)
                                  ->GetServerInfo(&context, {}, &info);
  if (!status.ok()) {
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    return SetProblem(
        wire::FromDetails(code, status.error_message(), status.error_details()),
        /*is_of_clip=*/false, "", response);
  }
  google::protobuf::util::JsonPrintOptions how;
  how.always_print_primitive_fields = true;
  how.preserve_proto_field_names = true;
  std::string text;
  static_cast<void>(
      google::protobuf::util::MessageToJsonString(info, &text, how));
  response->set_content(text + "\n", kJson);
}

std::string IssuesJson() {
  Json issues = Json::array();
  for (const CatalogueEntry& entry : Catalogue()) {
    issues.push_back({{"code", entry.name},
                      {"severity", SeverityName(entry.lenient)},
                      {"severity_strict", SeverityName(entry.strict)},
                      {"title", entry.title},
                      {"message", entry.message},
                      {"help", entry.help}});
  }
  return issues.dump() + "\n";
}

// Answers of httplib itself, such as 404, get a body.
void DescribeError(const httplib::Request& /*request*/,
                   httplib::Response& response) {
  if (!response.body.empty() || response.content_length_ > 0) return;
  const Json problem = {{"type", "about:blank"},
                        {"title", TitleOf(response.status)},
                        {"status", response.status}};
  response.set_content(problem.dump() + "\n", kProblem);
}

// Lets pages of the origins read the answers.
void AllowOrigin(const std::set<std::string>& origins,
                 const httplib::Request& request, httplib::Response* response) {
  response->set_header("X-Content-Type-Options", "nosniff");
  if (!request.has_header("Origin")) return;
  const std::string origin = request.get_header_value("Origin");
  const bool is_any = origins.contains("*");
  if (!is_any && !origins.contains(origin)) return;
  response->set_header("Access-Control-Allow-Origin", is_any ? "*" : origin);
  response->set_header("Vary", "Origin");
  response->set_header(
      "Access-Control-Expose-Headers",
      "Content-Disposition, X-Request-Id, Retry-After, Bvhmill-Verdict, "
      "Bvhmill-Errors, Bvhmill-Warnings, Bvhmill-Missing");
}

void AnswerPreflight(const httplib::Request& /*request*/,
                     httplib::Response& response) {
  response.set_header("Access-Control-Allow-Methods", "GET, POST, PUT");
  response.set_header("Access-Control-Allow-Headers",
                      "Authorization, Content-Type, X-Request-Id, Traceparent");
  response.set_header("Access-Control-Max-Age", "600");
  response.status = 204;
}

}  // namespace

absl::Status AddClipApi(const ClipApiOptions& options,
                        httplib::Server* routes) {
  const auto api = std::make_shared<const ClipApiOptions>(options);
  const auto add = [&](const char* path, bool needs_outputs,
                       const ClipHandler::Answer& answer) {
    const httplib::Server::HandlerWithContentReader handler =
        [api, serve = ClipHandler(*api, needs_outputs, answer)](
            const httplib::Request& request, httplib::Response& response,
            const httplib::ContentReader& reader) {
          serve(request, response, reader);
        };
    routes->Post(path, handler);
    routes->Put(path, handler);
  };
  add("/v1/convert", true, &AnswerConvert);
  add("/v1/validate", false, &AnswerValidate);
  routes->Get("/v1/info", [api](const auto& request, auto& response) {
    AnswerInfo(*api, request, &response);
  });
  routes->Get("/v1/issues", [text = IssuesJson()](const auto&, auto& response) {
    response.set_content(text, kJson);
  });
  routes->Get("/v1/openapi.json",
              [text = OpenApiJson()](const auto&, auto& response) {
                response.set_content(text, kJson);
              });
  routes->Options("/v1/.*", &AnswerPreflight);
  routes->set_error_handler(
      httplib::Server::Handler([](const auto& request, auto& response) {
        DescribeError(request, response);
      }));
  routes->set_post_routing_handler([api](const auto& request, auto& response) {
    AllowOrigin(api->origins, request, &response);
  });
  if (options.files.empty() || routes->set_mount_point("/", options.files)) {
    return absl::OkStatus();
  }
  return MakeStatus(absl::StatusCode::kInvalidArgument,
                    "--http-files: " + options.files + " is no folder");
}

}  // namespace bvhmill::server
