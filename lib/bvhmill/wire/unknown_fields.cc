#include "bvhmill/wire/unknown_fields.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include "bvhmill/base/status.h"

namespace bvhmill::wire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr size_t kMaxUnknownFields = 16;

std::string Below(std::string_view path, const FieldDescriptor& field) {
  std::string out(path);
  return (out.empty() ? out : out + ".") + field.name();
}

void AddFrom(const Message& message, const FieldDescriptor& field,
             std::string_view path, std::vector<std::string>* fields) {
  const Reflection& reflection = *message.GetReflection();
  const std::string below = Below(path, field);
  if (!field.is_repeated()) {
    return AddUnknownFields(reflection.GetMessage(message, &field), below,
                            fields);
  }
  const int count = reflection.FieldSize(message, &field);
  for (int i = 0; i < count && fields->size() < kMaxUnknownFields; ++i) {
    AddUnknownFields(reflection.GetRepeatedMessage(message, &field, i),
                     below + "[" + std::to_string(i) + "]", fields);
  }
}

}  // namespace

void AddOwnUnknownFields(const Message& message, std::string_view path,
                         std::vector<std::string>* fields) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (fields->size() >= kMaxUnknownFields) return;
    fields->push_back((path.empty() ? "" : std::string(path) + ": ") +
                      "field " + std::to_string(unknown.field(i).number()));
  }
}

void AddUnknownFields(const Message& message, std::string_view path,
                      std::vector<std::string>* fields) {
  AddOwnUnknownFields(message, path, fields);
  std::vector<const FieldDescriptor*> set;
  message.GetReflection()->ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    const bool is_message =
        field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (is_message) AddFrom(message, *field, path, fields);
  }
}

absl::Status UnknownValue(std::string_view field, int value) {
  return InvalidField(field, "unknown value " + std::to_string(value));
}

}  // namespace bvhmill::wire
