// Any message becomes plain data, or is refused; what is made of that again
// means what the message meant, by a twin that knows only the .proto files.

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/wire/options.h"
#include "bvhmill/wire/result.h"
#include "bvhmill/wire/serialize.h"
#include "bvhmill/wire/status.h"
#include "tests/fuzz/support/any_message.h"
#include "tests/fuzz/support/canonical.h"

namespace {

namespace v1 = bvhmill::v1;
namespace wire = bvhmill::wire;
using bvhmill::fuzz::AreEqual;
using bvhmill::fuzz::Bytes;
using bvhmill::fuzz::Require;

// Texts that mean something somewhere.
constexpr std::string_view kWords[] = {
    "",
    "hips",
    "hips#2",
    "leg*",
    "xyz",
    "zxy",
    "+++",
    "-+-",
    "mixamo",
    "second_life",
    "mPelvis",
    "PELVIS",
    "GROUND",
    "express_smile",
    "MOTION_ROW_SHORT",
    "JOINT_NAME_REPEATED",
    "retry_after_ms",
    "limit_name",
    "resource_type",
    "9223372036854775807",
    "field: why",
    "type.googleapis.com/google.rpc.ErrorInfo"};

v1::ConvertOptions Canonical(v1::ConvertOptions options) {
  bvhmill::fuzz::MakeCanonical({}, &options);
  return options;
}

v1::ClipResult Canonical(v1::ClipResult result) {
  bvhmill::fuzz::MakeCanonical(&result);
  return result;
}

void CheckOptions(const v1::ConvertOptions& message) {
  bvhmill::ConvertOptions options;
  if (!wire::FromProto(message, &options).ok()) return;
  Require(bvhmill::CheckOptions(options).ok());
  const v1::ConvertOptions again = wire::ToProto(options);
  Require(AreEqual(Canonical(message), Canonical(again)));
  bvhmill::ConvertOptions same;
  Require(wire::FromProto(again, &same).ok());
  Require(same.outputs == options.outputs);
  Require(AreEqual(again, wire::ToProto(same)));
}

// Requests are options beside what is not plain data.
void CheckRequest(Bytes* bytes) {
  v1::ConvertClipsRequest request;
  if (!bvhmill::fuzz::ReadOrFill(kWords, bytes, &request)) return;
  CheckOptions(request.open().options());
  CheckOptions(request.begin().options());
}

// True if a status keeps the text: short, and nothing that is not shown.
bool IsPlain(std::string_view text) {
  constexpr size_t kShort = 40;
  for (const char c : text) {
    if (c < ' ' || c > '~' || c == '\\') return false;
  }
  return text.size() <= kShort;
}

bool IsPlain(const v1::ErrorInfo& info) {
  constexpr int kFew = 10;
  for (const auto& [name, value] : info.metadata()) {
    if (!IsPlain(name) || !IsPlain(value)) return false;
  }
  return IsPlain(info.reason()) && info.metadata_size() <= kFew;
}

void CheckStatus(const v1::Status& message, const v1::Status& again) {
  constexpr int kLastCode = 16;
  constexpr size_t kMaxMessage = 1024;
  const bool known = message.code() >= 0 && message.code() <= kLastCode;
  if (known) Require(again.code() == message.code());
  Require((again.code() == 0) == (message.code() == 0));
  Require(again.message().size() <= kMaxMessage);
  Require(bvhmill::IsUtf8(again.message()));
  if (again.code() != 0 && IsPlain(message.message())) {
    Require(again.message() == message.message());
  }
  // A status that is OK has no details.
  const bool has_details =
      again.code() != 0 && !message.info().reason().empty();
  Require(again.has_info() == has_details);
  if (!again.has_info() || !IsPlain(message.info())) return;
  v1::ErrorInfo expected = message.info();
  expected.DiscardUnknownFields();
  expected.set_domain("bvhmill.v1");
  Require(AreEqual(again.info(), expected));
}

// The bytes of a result, with `data` as the data of each output.
std::string Join(const std::vector<std::string>& pieces,
                 std::string_view data) {
  std::string out = pieces[0];
  for (size_t i = 1; i < pieces.size(); ++i) {
    out.append(data).append(pieces[i]);
  }
  return out;
}

// Bytes that are serialized without messages equal those that Protobuf makes.
void CheckSerialized(const bvhmill::ConvertResult& result,
                     v1::ClipResult expected, std::string_view data) {
  const std::vector<size_t> sizes(result.outputs.size(), data.size());
  v1::ClipResult parsed;
  Require(parsed.ParseFromString(
      Join(wire::Serialize("key", result, sizes), data)));
  expected.set_key("key");
  for (v1::Output& output : *expected.mutable_outputs()) {
    output.set_data(data.data(), data.size());
  }
  Require(AreEqual(parsed, expected));
  v1::ClipInfo info;
  Require(info.ParseFromString(wire::Serialize(result.info)));
  Require(AreEqual(info, expected.info()));
}

bool IsNormal(const google::protobuf::Duration& time) {
  constexpr int64_t kMaxSeconds = 1'000'000'000;
  constexpr int32_t kSecond = 1'000'000'000;
  return time.seconds() >= 0 && time.seconds() <= kMaxSeconds &&
         time.nanos() >= 0 && time.nanos() < kSecond;
}

// An invalid time may be read as any time, but then stays the same.
void CheckTimes(const v1::StageTimes& message, const v1::StageTimes& again) {
  v1::StageTimes third;
  wire::ToProto(wire::FromProto(again), &third);
  Require(AreEqual(again, third));
  if (IsNormal(message.queued())) {
    Require(AreEqual(message.queued(), again.queued()));
  }
  if (IsNormal(message.read())) {
    Require(AreEqual(message.read(), again.read()));
  }
  if (IsNormal(message.validate())) {
    Require(AreEqual(message.validate(), again.validate()));
  }
  if (IsNormal(message.edit())) {
    Require(AreEqual(message.edit(), again.edit()));
  }
  if (IsNormal(message.solve())) {
    Require(AreEqual(message.solve(), again.solve()));
  }
  if (IsNormal(message.encode())) {
    Require(AreEqual(message.encode(), again.encode()));
  }
}

void CheckResult(Bytes* bytes) {
  const std::string_view data = bytes->TakeBytes(bytes->Below(4));
  v1::ConvertClipResponse response;
  if (!bvhmill::fuzz::ReadOrFill(kWords, bytes, &response)) return;
  v1::ClipResult& message = *response.mutable_result();
  message.DiscardUnknownFields();
  const bvhmill::ConvertResult result = wire::FromProto(message);
  v1::ClipResult again;
  wire::ToProto(result, &again);
  Require(AreEqual(Canonical(message), Canonical(again)));
  CheckStatus(message.status(), again.status());
  for (int i = 0; i < again.outputs_size(); ++i) {
    CheckStatus(message.outputs(i).status(), again.outputs(i).status());
  }
  CheckTimes(message.times(), again.times());
  CheckSerialized(result, again, data);
}

// The error of a status survives the details of a call.
void CheckError(const absl::Status& status) {
  constexpr size_t kMaxDetails = 4096;
  const std::string details = wire::SerializeDetails(status);
  Require(details.size() <= kMaxDetails);
  const absl::Status again =
      wire::FromDetails(status.code(), bvhmill::MessageOf(status), details);
  const bvhmill::CallError error = bvhmill::CallErrorOf(status);
  Require(status.ok() ||
          bvhmill::CallErrorOf(again).reason.empty() == error.reason.empty());
  Require(wire::SerializeDetails(again).size() <= kMaxDetails);
}

void CheckDetails(Bytes* bytes) {
  v1::RpcStatus message;
  const auto code = static_cast<absl::StatusCode>(bytes->Below(17));
  const std::string_view text = kWords[bytes->Below(std::size(kWords))];
  if (bytes->OneIn(4)) {
    return CheckError(wire::FromDetails(code, text, bytes->rest()));
  }
  if (!bvhmill::fuzz::ReadOrFill(kWords, bytes, &message)) return;
  // Finds a detail of a known type among any others.
  v1::ErrorInfo info;
  bvhmill::fuzz::FillMessage(kWords, bytes, &info);
  google::protobuf::Any* const any = message.add_details();
  any->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
  info.SerializeToString(any->mutable_value());
  const absl::Status status =
      wire::FromDetails(code, text, message.SerializeAsString());
  if (status.ok()) return;
  const bvhmill::CallError error = bvhmill::CallErrorOf(status);
  const bvhmill::ErrorArgs metadata = bvhmill::MetadataOf(error);
  Require(error.reason == info.reason());
  Require(metadata.size() == info.metadata().size());
  for (const auto& [name, value] : metadata) {
    Require(info.metadata().at(name) == value);
  }
  CheckError(status);
}

}  // namespace

// The first byte chooses the message.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  v1::ConvertOptions options;
  switch (bytes.Below(4)) {
    case 0:
      if (bvhmill::fuzz::ReadOrFill(kWords, &bytes, &options)) {
        CheckOptions(options);
      }
      break;
    case 1:
      CheckRequest(&bytes);
      break;
    case 2:
      CheckResult(&bytes);
      break;
    default:
      CheckDetails(&bytes);
  }
  return 0;
}
