#include "tests/fuzz/support/any_message.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/message_differencer.h>

#include <limits>
#include <string>

namespace bvhmill::fuzz {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Words = std::span<const std::string_view>;

constexpr int kMaxDepth = 8;
constexpr size_t kMaxEntries = 4;

// Small numbers, and those where types end.
int64_t TakeInteger(Bytes* bytes) {
  switch (bytes->Below(8)) {
    case 0:
      return bytes->Take<int64_t>();
    case 1:
      return std::numeric_limits<int64_t>::max();
    case 2:
      return std::numeric_limits<int64_t>::min();
    case 3:
      return std::numeric_limits<int32_t>::max();
    case 4:
      return std::numeric_limits<int32_t>::min();
    default:
      return bytes->Take<int8_t>();
  }
}

double TakeReal(Bytes* bytes) {
  switch (bytes->Below(8)) {
    case 0:
      return bytes->Take<double>();
    case 1:
      return std::numeric_limits<double>::infinity();
    case 2:
      return std::numeric_limits<double>::quiet_NaN();
    case 3:
      return 0;
    default:
      return bytes->Take<int16_t>() / 16.0;
  }
}

std::string TakeText(Words words, Bytes* bytes) {
  const size_t choice = bytes->Below(4);
  if (choice > 0) return std::string(words[bytes->Below(words.size())]);
  // ASCII, so that it is UTF-8.
  std::string text(bytes->TakeBytes(bytes->Below(100)));
  for (char& c : text) c = static_cast<char>(c & 0x7F);
  return text;
}

int TakeEnum(const EnumDescriptor& type, Bytes* bytes) {
  const auto values = static_cast<size_t>(type.value_count());
  const size_t choice = bytes->Below(values + 1);
  return choice < values ? type.value(static_cast<int>(choice))->number()
                         : static_cast<int>(TakeInteger(bytes));
}

class Filler {
 public:
  Filler(Words words, Bytes* bytes) : words_(words), bytes_(*bytes) {}

  void Fill(int depth, Message* message) {
    const auto* const type = message->GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor& field = *type->field(i);
      if (bytes_.empty()) return;
      if (!bytes_.OneIn(2)) continue;
      const size_t entries =
          field.is_repeated() ? bytes_.Below(kMaxEntries) : 1;
      for (size_t k = 0; k < entries; ++k) SetField(field, depth, message);
    }
  }

 private:
  void SetField(const FieldDescriptor& field, int depth, Message* message) {
    const Reflection& reflection = *message->GetReflection();
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (depth == kMaxDepth) return;
      Fill(depth + 1, field.is_repeated()
                          ? reflection.AddMessage(message, &field)
                          : reflection.MutableMessage(message, &field));
      return;
    }
    // A number stands for any type of number.
    if (field.is_repeated()) {
      Add(field, reflection, message);
    } else {
      Set(field, reflection, message);
    }
  }

  void Set(const FieldDescriptor& field, const Reflection& to,
           Message* message) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return to.SetBool(message, &field, bytes_.OneIn(2));
      case FieldDescriptor::CPPTYPE_INT32:
        return to.SetInt32(message, &field,
                           static_cast<int32_t>(TakeInteger(&bytes_)));
      case FieldDescriptor::CPPTYPE_UINT32:
        return to.SetUInt32(message, &field,
                            static_cast<uint32_t>(TakeInteger(&bytes_)));
      case FieldDescriptor::CPPTYPE_INT64:
        return to.SetInt64(message, &field, TakeInteger(&bytes_));
      case FieldDescriptor::CPPTYPE_UINT64:
        return to.SetUInt64(message, &field,
                            static_cast<uint64_t>(TakeInteger(&bytes_)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return to.SetFloat(message, &field,
                           static_cast<float>(TakeReal(&bytes_)));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return to.SetDouble(message, &field, TakeReal(&bytes_));
      case FieldDescriptor::CPPTYPE_ENUM:
        return to.SetEnumValue(message, &field,
                               TakeEnum(*field.enum_type(), &bytes_));
      case FieldDescriptor::CPPTYPE_STRING:
        return to.SetString(message, &field, TakeText(words_, &bytes_));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return;
    }
  }

  void Add(const FieldDescriptor& field, const Reflection& to,
           Message* message) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        return to.AddInt64(message, &field, TakeInteger(&bytes_));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return to.AddFloat(message, &field,
                           static_cast<float>(TakeReal(&bytes_)));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return to.AddDouble(message, &field, TakeReal(&bytes_));
      case FieldDescriptor::CPPTYPE_ENUM:
        return to.AddEnumValue(message, &field,
                               TakeEnum(*field.enum_type(), &bytes_));
      case FieldDescriptor::CPPTYPE_STRING:
        return to.AddString(message, &field, TakeText(words_, &bytes_));
      default:
        // The API has no lists of others; one would go untested.
        std::abort();
    }
  }

  Words words_;
  Bytes& bytes_;
};

}  // namespace

void FillMessage(Words words, Bytes* bytes, Message* message) {
  Filler(words, bytes).Fill(0, message);
}

bool ReadOrFill(Words words, Bytes* bytes, Message* message) {
  if (bytes->OneIn(2)) {
    const std::string_view rest = bytes->rest();
    return message->ParseFromArray(rest.data(), static_cast<int>(rest.size()));
  }
  FillMessage(words, bytes, message);
  return true;
}

bool AreEqual(const Message& a, const Message& b) {
  google::protobuf::util::DefaultFieldComparator numbers;
  numbers.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&numbers);
  return differencer.Compare(a, b);
}

}  // namespace bvhmill::fuzz
