#include "client/cli/ui/message_json.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bvhmill/base/utf8.h"

namespace bvhmill::client {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

Json ToJson(const Message& message);

Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

// The value `index` of a repeated field.
Json ItemToJson(const Message& message, const FieldDescriptor& field,
                int index) {
  const Reflection& from = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToJson(from.GetRepeatedMessage(message, &field, index));
    case FieldDescriptor::CPPTYPE_ENUM:
      return from.GetRepeatedEnum(message, &field, index)->name();
    default:
      return from.GetRepeatedString(message, &field, index);
  }
}

Json ListToJson(const Message& message, const FieldDescriptor& field) {
  Json out = Json::array();
  const int size = message.GetReflection()->FieldSize(message, &field);
  for (int i = 0; i < size; ++i) out.push_back(ItemToJson(message, field, i));
  return out;
}

Json MemberToJson(const Message& message, const FieldDescriptor& field) {
  const Reflection& from = *message.GetReflection();
  return from.HasField(message, &field)
             ? ToJson(from.GetMessage(message, &field))
             : Json();
}

Json ValueToJson(const Message& message, const FieldDescriptor& field) {
  const Reflection& from = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return from.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return from.GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return from.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return from.GetUInt64(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return NumberOrNull(from.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return NumberOrNull(from.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return from.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return from.GetEnum(message, &field)->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return from.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MemberToJson(message, field);
  }
  return {};
}

Json ToJson(const Message& message) {
  const auto& descriptor = *message.GetDescriptor();
  Json out = Json::object();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor& field = *descriptor.field(i);
    out[field.name()] = field.is_repeated() ? ListToJson(message, field)
                                            : ValueToJson(message, field);
  }
  return out;
}

}  // namespace

std::string MessageJson(const Message& message) {
  // Texts of another server may not be UTF-8: they are shown, not thrown.
  return PlainJson(
      ToJson(message).dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace bvhmill::client
