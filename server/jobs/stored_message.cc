#include "server/jobs/stored_message.h"

#include "bvhmill/v1/job_service.pb.h"
#include "bvhmill/v1/options.pb.h"
#include "bvhmill/v1/result.pb.h"

namespace bvhmill::server {
namespace {

template <typename Message>
bool Reads(std::string_view bytes) {
  Message message;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

bool IsStoredMessage(StoredMessage kind, std::string_view bytes) {
  switch (kind) {
    case StoredMessage::kOptions:
      return Reads<v1::ConvertOptions>(bytes);
    case StoredMessage::kAnnotations:
      return Reads<v1::Job>(bytes);
    case StoredMessage::kResult:
      return Reads<v1::ClipResult>(bytes);
  }
  return false;
}

}  // namespace bvhmill::server
