#include "tests/wire/coverage.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace bvhmill::testing {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view kPackage = "bvhmill.v1.";
constexpr char kUnknown[] = ": unknown value";
constexpr char kZero[] = ": zero";

std::string NameOf(const FieldDescriptor* field) {
  const std::string& name = field->full_name();
  return name.starts_with(kPackage) ? name.substr(kPackage.size()) : name;
}

bool IsOurs(const Descriptor* message) {
  return message->full_name().starts_with(kPackage);
}

bool IsMessage(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

bool IsEnum(const FieldDescriptor* field) {
  return field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM;
}

std::string EnumEntry(const FieldDescriptor* field, int number) {
  const EnumValueDescriptor* value =
      field->enum_type()->FindValueByNumber(number);
  return NameOf(field) + (value == nullptr ? kUnknown : ": " + value->name());
}

// Numbers of an enum field, which may be repeated.
std::vector<int> EnumNumbers(const Message& message,
                             const FieldDescriptor* field) {
  const Reflection* reflection = message.GetReflection();
  if (!field->is_repeated()) {
    return {reflection->GetEnumValue(message, field)};
  }
  std::vector<int> numbers;
  for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
    numbers.push_back(reflection->GetRepeatedEnumValue(message, field, i));
  }
  return numbers;
}

// True if a field that is set holds 0, false or nothing.
bool IsZero(const Message& message, const FieldDescriptor* field) {
  std::string text;
  google::protobuf::TextFormat::PrintFieldValueToString(message, field, -1,
                                                        &text);
  return text == "0" || text == "false" || text == "\"\"";
}

// Calls `visit` for each field of our messages below `root`, once.
void ForEachField(const Descriptor* root,
                  const std::function<void(const FieldDescriptor*)>& visit) {
  std::set<const Descriptor*> known = {root};
  std::vector<const Descriptor*> open = {root};
  while (!open.empty()) {
    const Descriptor* message = open.back();
    open.pop_back();
    for (int i = 0; i < message->field_count(); ++i) {
      const FieldDescriptor* field = message->field(i);
      visit(field);
      if (!IsMessage(field) || !IsOurs(field->message_type())) continue;
      const Descriptor* inner = field->message_type();
      if (known.insert(inner).second) open.push_back(inner);
    }
  }
}

std::vector<std::string> EntriesOf(const FieldDescriptor* field) {
  std::vector<std::string> entries = {NameOf(field)};
  if (field->has_optional_keyword()) entries.push_back(NameOf(field) + kZero);
  if (!IsEnum(field)) return entries;
  for (int i = 0; i < field->enum_type()->value_count(); ++i) {
    const int number = field->enum_type()->value(i)->number();
    if (number != 0) entries.push_back(EnumEntry(field, number));
  }
  return entries;
}

}  // namespace

void FieldCoverage::Add(const Message& message) {
  const Reflection* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool is_zero =
        field->has_optional_keyword() && IsZero(message, field);
    seen_.insert(NameOf(field) + (is_zero ? kZero : ""));
    if (IsEnum(field)) {
      for (const int number : EnumNumbers(message, field)) {
        seen_.insert(EnumEntry(field, number));
      }
    }
    if (!IsMessage(field) || !IsOurs(field->message_type())) continue;
    if (!field->is_repeated()) {
      Add(reflection->GetMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      Add(reflection->GetRepeatedMessage(message, field, i));
    }
  }
}

std::vector<std::string> FieldCoverage::Missing(const Descriptor* root) const {
  std::vector<std::string> missing;
  ForEachField(root, [&](const FieldDescriptor* field) {
    for (const std::string& entry : EntriesOf(field)) {
      if (!seen_.contains(entry)) missing.push_back(entry);
    }
  });
  return missing;
}

std::vector<std::string> FieldCoverage::WithoutUnknownValue(
    const Descriptor* root) const {
  std::vector<std::string> missing;
  ForEachField(root, [&](const FieldDescriptor* field) {
    if (IsEnum(field) && !seen_.contains(NameOf(field) + kUnknown)) {
      missing.push_back(NameOf(field));
    }
  });
  return missing;
}

std::vector<std::string> Without(const std::vector<std::string>& exempt,
                                 const std::vector<std::string>& all) {
  std::vector<std::string> rest;
  for (const std::string& name : all) {
    if (std::find(exempt.begin(), exempt.end(), name) == exempt.end()) {
      rest.push_back(name);
    }
  }
  for (const std::string& name : exempt) {
    EXPECT_NE(std::find(all.begin(), all.end(), name), all.end())
        << name << " is exempt without need";
  }
  return rest;
}

void ParseTextInto(std::string_view text, Message* message) {
  EXPECT_TRUE(
      google::protobuf::TextFormat::ParseFromString(std::string(text), message))
      << text;
}

}  // namespace bvhmill::testing
