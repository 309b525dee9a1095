// Names, numbers and types of the API against a list that only grows: with a
// number or a type changed, a client of before reads something else.

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "bvhmill/v1/blob_service.pb.h"
#include "bvhmill/v1/clip_service.pb.h"
#include "bvhmill/v1/job_service.pb.h"
#include "bvhmill/v1/server_service.pb.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;

using Facts = std::set<std::string>;

std::string TypeOf(const FieldDescriptor* field) {
  if (field->type() == FieldDescriptor::TYPE_MESSAGE) {
    return field->message_type()->full_name();
  }
  if (field->type() == FieldDescriptor::TYPE_ENUM) {
    return field->enum_type()->full_name();
  }
  return field->type_name();
}

std::string FieldFact(const FieldDescriptor* field) {
  std::string label;
  if (field->is_repeated()) label = "repeated ";
  if (field->has_optional_keyword()) label = "optional ";
  if (field->real_containing_oneof() != nullptr) {
    label = "oneof " + field->containing_oneof()->name() + " ";
  }
  return "field " + field->full_name() + " = " +
         std::to_string(field->number()) + " " + label + TypeOf(field);
}

void AddEnum(const EnumDescriptor* type, Facts* facts) {
  for (int i = 0; i < type->value_count(); ++i) {
    facts->insert("value " + type->full_name() + "." + type->value(i)->name() +
                  " = " + std::to_string(type->value(i)->number()));
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as messages are nested.
void AddMessage(const Descriptor* message, Facts* facts) {
  facts->insert("message " + message->full_name());
  for (int i = 0; i < message->field_count(); ++i) {
    facts->insert(FieldFact(message->field(i)));
  }
  for (int i = 0; i < message->nested_type_count(); ++i) {
    AddMessage(message->nested_type(i), facts);
  }
  for (int i = 0; i < message->enum_type_count(); ++i) {
    AddEnum(message->enum_type(i), facts);
  }
}

std::string MethodFact(const MethodDescriptor* method) {
  const auto type = [](const Descriptor* message, bool is_stream) {
    return (is_stream ? "stream " : "") + message->full_name();
  };
  return "method " + method->full_name() + " (" +
         type(method->input_type(), method->client_streaming()) + ") (" +
         type(method->output_type(), method->server_streaming()) + ")";
}

void AddFile(const FileDescriptor* file, Facts* facts) {
  for (int i = 0; i < file->message_type_count(); ++i) {
    AddMessage(file->message_type(i), facts);
  }
  for (int i = 0; i < file->enum_type_count(); ++i) {
    AddEnum(file->enum_type(i), facts);
  }
  for (int i = 0; i < file->service_count(); ++i) {
    for (int k = 0; k < file->service(i)->method_count(); ++k) {
      facts->insert(MethodFact(file->service(i)->method(k)));
    }
  }
}

// All files of the API, by what imports them.
Facts FactsOfApi() {
  Facts facts;
  std::set<const FileDescriptor*> files = {
      v1::ConvertClipRequest::descriptor()->file(),
      v1::CreateJobRequest::descriptor()->file(),
      v1::WriteBlobRequest::descriptor()->file(),
      v1::GetServerInfoRequest::descriptor()->file()};
  std::vector<const FileDescriptor*> open(files.begin(), files.end());
  while (!open.empty()) {
    const FileDescriptor* file = open.back();
    open.pop_back();
    if (file->package() != "bvhmill.v1") continue;
    AddFile(file, &facts);
    for (int i = 0; i < file->dependency_count(); ++i) {
      if (files.insert(file->dependency(i)).second) {
        open.push_back(file->dependency(i));
      }
    }
  }
  return facts;
}

Facts WrittenFacts() {
  Facts facts;
  const std::string text = ReadFile(SourceFile("tests/wire/api_numbers.txt"));
  for (const std::string& line : Split(text, '\n')) {
    if (!line.empty() && !line.starts_with('#')) facts.insert(line);
  }
  return facts;
}

// A line that is only in the list is a name that was changed or taken away:
// clients of before break. New names join the list before a release:
// BVHMILL_UPDATE_GOLDEN=1 wire_test writes it.
TEST(ApiNumbers, OfTheListAreThoseOfTheApi) {
  const Facts actual = FactsOfApi();
  if (std::getenv("BVHMILL_UPDATE_GOLDEN") != nullptr) {
    std::string text =
        "# Names, numbers and types of the API, proto/bvhmill/v1. Clients of\n"
        "# other versions rely on them: a line is never changed.\n";
    for (const std::string& fact : actual) text += fact + "\n";
    WriteFile(SourceFile("tests/wire/api_numbers.txt"), text);
  }
  const Facts written = WrittenFacts();
  ASSERT_GT(written.size(), 200u);
  for (const std::string& fact : written) {
    EXPECT_TRUE(actual.contains(fact)) << "not in the API any more: " << fact;
  }
}

// Two fields of one message with one number would not compile; two lines of the
// list would say that one name has two numbers.
TEST(ApiNumbers, ListNamesEachFieldOnce) {
  std::set<std::string> names;
  for (const std::string& fact : WrittenFacts()) {
    const std::string name = fact.substr(0, fact.find(" = "));
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

}  // namespace
}  // namespace bvhmill::testing
