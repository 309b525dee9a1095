#include "server/store/s3/s3_upload_state.h"

#include "bvhmill/digest/sha256.h"
#include "server/store/s3/s3_parts.h"

namespace bvhmill::server {
namespace {

// Lines of a name and a value; an empty line ends them.
constexpr std::string_view kFirstLine = "bvhmill-upload 1";

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end + 1);
  return line;
}

bool ReadLine(std::string_view line, S3UploadState* state) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return false;
  const std::string_view name = line.substr(0, space);
  const std::string value(line.substr(space + 1));
  if (name == "id") {
    state->id = value;
  } else if (name == "digest") {
    state->digest = value;
  } else if (name == "part") {
    state->tags.push_back(value);
  } else if (name == "part_bytes") {
    return value == std::to_string(kS3PartBytes);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string WriteUploadState(const S3UploadState& state) {
  std::string text(kFirstLine);
  text += "\npart_bytes " + std::to_string(kS3PartBytes) + "\n";
  if (!state.id.empty()) {
    text += "id " + state.id + "\ndigest " + state.digest + "\n";
  }
  for (const std::string& tag : state.tags) text += "part " + tag + "\n";
  return text + "\n";
}

bool ReadUploadState(std::string_view text, S3UploadState* state,
                     std::string_view* tail) {
  *state = {};
  if (TakeLine(&text) != kFirstLine) return false;
  while (true) {
    if (text.find('\n') == std::string_view::npos) return false;
    const std::string_view line = TakeLine(&text);
    if (line.empty()) break;
    if (!ReadLine(line, state)) return false;
  }
  *tail = text;
  return state->id.empty() ? state->tags.empty() && state->digest.empty()
                           : !state->tags.empty() && IsSha256(state->digest);
}

}  // namespace bvhmill::server
