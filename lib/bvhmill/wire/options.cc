#include "bvhmill/wire/options.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bvhmill/base/limits.h"
#include "bvhmill/base/status.h"
#include "bvhmill/base/text.h"
#include "bvhmill/pipeline/option_rows.h"
#include "bvhmill/wire/unknown_fields.h"

namespace bvhmill::wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Options and their fields.

// An option and its field.
struct OptionField {
  const OptionRow* row;
  const FieldDescriptor* field;
  // The field of the rows, if the option is a joint map; else null.
  const FieldDescriptor* rows = nullptr;
  // The number of each word, if the field is an enum; else empty.
  std::vector<int> numbers = {};
};

// The options in one message, which is `path` below ConvertOptions or
// OutputRequest.
struct MessageFields {
  std::vector<const FieldDescriptor*> path;
  std::vector<OptionField> fields;
};

// The number of the value of `type` that stands for `word`: AXIS_Y for "y".
int NumberOf(const EnumDescriptor& type, std::string_view word) {
  constexpr std::string_view kUnspecified = "UNSPECIFIED";
  std::string name = type.value(0)->name();
  name.resize(name.size() - kUnspecified.size());
  for (const char c : word) {
    name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  const auto* const value = type.FindValueByName(name);
  return value == nullptr ? 0 : value->number();
}

OptionField FieldFor(const OptionRow& row, std::string_view name,
                     const Descriptor& message) {
  OptionField out = {&row, message.FindFieldByName(std::string(name))};
  out.rows = message.FindFieldByName(std::string(name) + "_rows");
  const auto* const place = std::get_if<EnumPlace>(&row.fallback);
  if (place == nullptr || out.field->enum_type() == nullptr) return out;
  for (const OptionWord& word : place->words) {
    out.numbers.push_back(NumberOf(*out.field->enum_type(), word.word));
  }
  return out;
}

// The messages of all options except the options of outputs.
const std::vector<MessageFields>& ClipMessages() {
  static const auto* const kMessages = [] {
    auto* const out = new std::vector<MessageFields>();
    for (const std::string_view path :
         {"options", "options.read", "options.validation", "options.edits",
          "options.edits.repairs"}) {
      const Descriptor* message = v1::ConvertOptions::descriptor();
      MessageFields& fields = out->emplace_back();
      size_t dot = path.find('.');
      while (dot != path.npos) {
        const size_t next = path.find('.', dot + 1);
        fields.path.push_back(message->FindFieldByName(
            std::string(path.substr(dot + 1, next - dot - 1))));
        message = fields.path.back()->message_type();
        dot = next;
      }
      for (const OptionRow& row : Options()) {
        if (MessagePath(row) != path) continue;
        fields.fields.push_back(FieldFor(row, row.name, *message));
      }
    }
    return out;
  }();
  return *kMessages;
}

// The message of each format, in the order of FormatOptions.
const std::vector<MessageFields>& FormatMessages() {
  static const auto* const kMessages = [] {
    auto* const out = new std::vector<MessageFields>();
    for (const Format& format : Formats()) {
      const FieldDescriptor* const field =
          v1::OutputRequest::descriptor()->FindFieldByName(
              std::string(format.name));
      MessageFields& fields = out->emplace_back();
      fields.path = {field};
      for (const OptionRow& row : Options()) {
        if (PlaceIn(row, format.defaults).index() == 0) continue;
        fields.fields.push_back(
            FieldFor(row, FieldOf(row, format.name), *field->message_type()));
      }
    }
    return out;
  }();
  return *kMessages;
}

double GetNumber(const Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.GetInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.GetUInt32(message, field);
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<double>(reflection.GetInt64(message, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.GetFloat(message, field);
    default:
      return reflection.GetDouble(message, field);
  }
}

template <typename T>
void SetNumber(T value, const FieldDescriptor* field, Message* message) {
  const Reflection& reflection = *message->GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.SetInt32(message, field, static_cast<int32_t>(value));
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.SetUInt32(message, field, static_cast<uint32_t>(value));
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.SetInt64(message, field, static_cast<int64_t>(value));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.SetFloat(message, field, static_cast<float>(value));
    default:
      return reflection.SetDouble(message, field, static_cast<double>(value));
  }
}

// A constraint of an .anim as a message, and back.

std::array<float, 3> VectorOf(const v1::AnimVector& v) {
  return {v.x(), v.y(), v.z()};
}

void SetVector(const std::array<float, 3>& v, v1::AnimVector* out) {
  out->set_x(v[0]);
  out->set_y(v[1]);
  out->set_z(v[2]);
}

// INVALID_ARGUMENT "path.field: why" for what the plain data cannot represent:
// an unknown type, a chain above 255 joints. CheckOptions finds values that no
// viewer accepts.
absl::Status ReadConstraint(const std::string& path,
                            const v1::AnimConstraint& from,
                            AnimConstraint* to) {
  constexpr uint32_t kMaxChain = 255;
  if (from.chain_length() > kMaxChain) {
    return InvalidField(path + ".chain_length", "is above 255");
  }
  if (!v1::AnimConstraintType_IsValid(from.type())) {
    return UnknownValue(path + ".type", from.type());
  }
  to->chain_length = static_cast<uint8_t>(from.chain_length());
  to->type = from.type() == v1::ANIM_CONSTRAINT_TYPE_PLANE ? 1 : 0;
  to->source_volume = from.source_volume();
  to->target_volume = from.target_volume();
  to->source_offset = VectorOf(from.source_offset());
  to->target_offset = VectorOf(from.target_offset());
  to->target_direction = VectorOf(from.target_direction());
  to->ease_in_start = from.ease_in_start_seconds();
  to->ease_in_stop = from.ease_in_stop_seconds();
  to->ease_out_start = from.ease_out_start_seconds();
  to->ease_out_stop = from.ease_out_stop_seconds();
  return absl::OkStatus();
}

void WriteConstraint(const AnimConstraint& from, v1::AnimConstraint* to) {
  to->set_chain_length(from.chain_length);
  to->set_type(from.type == 1 ? v1::ANIM_CONSTRAINT_TYPE_PLANE
                              : v1::ANIM_CONSTRAINT_TYPE_POINT);
  to->set_source_volume(from.source_volume);
  to->set_target_volume(from.target_volume);
  SetVector(from.source_offset, to->mutable_source_offset());
  SetVector(from.target_offset, to->mutable_target_offset());
  SetVector(from.target_direction, to->mutable_target_direction());
  to->set_ease_in_start_seconds(from.ease_in_start);
  to->set_ease_in_stop_seconds(from.ease_in_stop);
  to->set_ease_out_start_seconds(from.ease_out_start);
  to->set_ease_out_stop_seconds(from.ease_out_stop);
}

// The value of an option in its field, and back.

// Reads the field of an option into its place, which has the default. A list is
// counted before it is copied.
struct FieldReader {
  const Message& message;
  const OptionField& option;
  const OptionPlace& place;
  // The path of the message, for errors.
  std::string_view path;

  const Reflection& reflection() const { return *message.GetReflection(); }
  const FieldDescriptor* field() const { return option.field; }
  bool IsSet() const { return reflection().HasField(message, field()); }
  std::string Path() const {
    return std::string(path).append(".").append(field()->name());
  }
  absl::Status Wrong(const std::string& why) const {
    return why.empty() ? absl::OkStatus() : InvalidField(Path(), why);
  }
  absl::Status Count(int count) const {
    const auto entries = static_cast<size_t>(count);
    const size_t most = option.row->bounds.most_entries;
    return entries <= most ? absl::OkStatus()
                           : CheckCount(Path(), entries, most);
  }
  // The message, as the only type that has an option of this kind.
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(message);
  }

  template <typename T>
  absl::Status operator()(T* /*number*/) const {
    if (!IsSet()) return absl::OkStatus();
    return Wrong(
        bvhmill::SetNumber(*option.row, GetNumber(message, field()), place));
  }
  absl::Status operator()(std::monostate) const { return absl::OkStatus(); }
  absl::Status operator()(const UnitPlace& to) const {
    return (*this)(to.metres);
  }
  absl::Status operator()(bool* to) const {
    *to = reflection().GetBool(message, field());
    return absl::OkStatus();
  }
  absl::Status operator()(std::string* to) const {
    std::string scratch;
    *to = reflection().GetStringReference(message, field(), &scratch);
    return absl::OkStatus();
  }
  absl::Status operator()(std::optional<std::string>* to) const {
    return IsSet() ? (*this)(&to->emplace()) : absl::OkStatus();
  }
  absl::Status operator()(const EnumPlace& to) const {
    if (!IsSet()) return absl::OkStatus();
    if (option.numbers.empty()) {
      std::string word;
      BVHMILL_RETURN_IF_ERROR((*this)(&word));
      const std::string why = SetWord(word, to);
      return Wrong(why.empty() ? why : Quote(word) + " " + why);
    }
    const int number = reflection().GetEnumValue(message, field());
    const auto& numbers = option.numbers;
    const auto at = std::find(numbers.begin(), numbers.end(), number);
    if (at == numbers.end()) return UnknownValue(Path(), number);
    to.set(to.words[static_cast<size_t>(at - numbers.begin())].value, to.at);
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<std::string>* to) const {
    const int count = reflection().FieldSize(message, field());
    BVHMILL_RETURN_IF_ERROR(Count(count));
    to->reserve(static_cast<size_t>(count));
    std::string scratch;
    for (int i = 0; i < count; ++i) {
      to->push_back(reflection().GetRepeatedStringReference(message, field(), i,
                                                            &scratch));
    }
    return absl::OkStatus();
  }
  absl::Status operator()(std::array<double, 3>* to) const {
    const int count = reflection().FieldSize(message, field());
    if (count == 0) return absl::OkStatus();
    if (count != static_cast<int>(to->size())) {
      return Wrong("has " + std::to_string(count) + " values, not 3");
    }
    for (int i = 0; i < count; ++i) {
      (*to)[static_cast<size_t>(i)] =
          reflection().GetRepeatedDouble(message, field(), i);
    }
    return absl::OkStatus();
  }
  absl::Status operator()(NamePairs* to) const {
    const auto& names = As<v1::ClipEdits>().rename();
    BVHMILL_RETURN_IF_ERROR(Count(static_cast<int>(names.size())));
    to->assign(names.begin(), names.end());
    // A map on the wire has no order, and errors name the first entry.
    std::sort(to->begin(), to->end());
    return absl::OkStatus();
  }
  absl::Status operator()(Severities* to) const {
    const auto& severities = As<v1::ValidationOptions>().severities();
    BVHMILL_RETURN_IF_ERROR(Count(static_cast<int>(severities.size())));
    for (const auto& [code, severity] : severities) {
      if (severity < v1::SEVERITY_ERROR || severity > v1::SEVERITY_HINT) {
        return UnknownValue(Path(), severity);
      }
      (*to)[code] = static_cast<Severity>(severity);
    }
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<ThresholdChoice>* to) const {
    const auto& thresholds = As<v1::ValidationOptions>().thresholds();
    BVHMILL_RETURN_IF_ERROR(Count(thresholds.size()));
    FromProto(thresholds, to);
    return absl::OkStatus();
  }
  absl::Status operator()(std::vector<JointPriority>* to) const {
    const auto& joints = As<v1::AnimFormat>().joint_priority();
    BVHMILL_RETURN_IF_ERROR(Count(joints.size()));
    for (const v1::AnimJointPriority& joint : joints) {
      to->push_back({joint.joint(), joint.priority()});
    }
    return absl::OkStatus();
  }
  absl::Status operator()(const JointMapPlace& to) const {
    BVHMILL_RETURN_IF_ERROR((*this)(to.name));
    const int count = reflection().FieldSize(message, option.rows);
    const size_t most = option.row->bounds.most_entries;
    if (static_cast<size_t>(count) > most) {
      return CheckCount(Path() + "_rows", static_cast<size_t>(count), most);
    }
    for (int i = 0; i < count; ++i) {
      const auto& row = static_cast<const v1::JointMapRow&>(
          reflection().GetRepeatedMessage(message, option.rows, i));
      to.rows->push_back({row.source(), row.target()});
    }
    return absl::OkStatus();
  }
  absl::Status operator()(FrameRange* to) const {
    const v1::FrameRange& frames = As<v1::ClipEdits>().frames();
    *to = {frames.begin(), frames.end(), frames.step()};
    if (to->step == 0) to->step = 1;
    return absl::OkStatus();
  }
  absl::Status operator()(TimeRange* to) const {
    const v1::TimeRange& trim = As<v1::ClipEdits>().trim();
    *to = {trim.begin_seconds(), trim.end_seconds()};
    return absl::OkStatus();
  }
  absl::Status operator()(const ArraysPlace& to) const {
    const int count = reflection().FieldSize(message, field());
    if (count == 0) return absl::OkStatus();
    ResetPlace(to);
    for (int i = 0; i < count; ++i) {
      const int array = reflection().GetRepeatedEnumValue(message, field(), i);
      bool* chosen = nullptr;
      if (array == v1::NPZ_ARRAY_POSITIONS) chosen = to.positions;
      if (array == v1::NPZ_ARRAY_ROTATIONS) chosen = to.rotations;
      if (array == v1::NPZ_ARRAY_VELOCITIES) chosen = to.velocities;
      if (chosen == nullptr) return UnknownValue(Path(), array);
      if (*chosen) return Wrong("names one twice");
      *chosen = true;
    }
    return absl::OkStatus();
  }
  absl::Status operator()(const LoopPlace& to) const {
    const auto& anim = As<v1::AnimFormat>();
    if (anim.has_loop()) *to.loop = anim.loop();
    if (anim.has_loop_in()) *to.in = static_cast<float>(anim.loop_in());
    if (anim.has_loop_out()) *to.out = static_cast<float>(anim.loop_out());
    return absl::OkStatus();
  }
  absl::Status operator()(
      std::optional<std::vector<AnimConstraint>>* to) const {
    const auto& constraints = As<v1::AnimFormat>().constraints();
    if (constraints.empty()) return absl::OkStatus();
    BVHMILL_RETURN_IF_ERROR(Count(constraints.size()));
    std::vector<AnimConstraint>& all = to->emplace();
    for (int i = 0; i < constraints.size(); ++i) {
      BVHMILL_RETURN_IF_ERROR(
          ReadConstraint(Path() + "[" + std::to_string(i) + "]", constraints[i],
                         &all.emplace_back()));
    }
    return absl::OkStatus();
  }
};

// Writes the value of an option, which is not the default, into its field. A
// name that is not UTF-8 is decoded (ToUtf8).
struct FieldWriter {
  const OptionField& option;
  Message* message;

  const Reflection& reflection() const { return *message->GetReflection(); }
  const FieldDescriptor* field() const { return option.field; }
  template <typename T>
  T* As() const {
    return static_cast<T*>(message);
  }

  template <typename T>
  void operator()(T* number) const {
    SetNumber(*number, field(), message);
  }
  template <typename T>
  void operator()(std::optional<T>* number) const {
    SetNumber(number->value_or(0), field(), message);
  }
  void operator()(std::monostate) const {}
  void operator()(const UnitPlace& unit) const { (*this)(unit.metres); }
  void operator()(bool* value) const {
    reflection().SetBool(message, field(), *value);
  }
  void operator()(std::string* value) const {
    reflection().SetString(message, field(), ToUtf8(*value));
  }
  void operator()(std::optional<std::string>* value) const {
    (*this)(&value->value());
  }
  void operator()(const EnumPlace& place) const {
    const int value = place.get(place.at);
    for (size_t i = 0; i < place.words.size(); ++i) {
      if (place.words[i].value != value) continue;
      if (option.numbers.empty()) {
        reflection().SetString(message, field(),
                               std::string(place.words[i].word));
      } else {
        reflection().SetEnumValue(message, field(), option.numbers[i]);
      }
    }
  }
  void operator()(std::vector<std::string>* names) const {
    for (const std::string& name : *names) {
      reflection().AddString(message, field(), ToUtf8(name));
    }
  }
  void operator()(std::array<double, 3>* numbers) const {
    for (const double number : *numbers) {
      reflection().AddDouble(message, field(), number);
    }
  }
  void operator()(NamePairs* pairs) const {
    auto& names = *As<v1::ClipEdits>()->mutable_rename();
    for (const auto& [from, to] : *pairs) names[ToUtf8(from)] = ToUtf8(to);
  }
  void operator()(Severities* severities) const {
    auto& out = *As<v1::ValidationOptions>()->mutable_severities();
    for (const auto& [code, severity] : *severities) {
      out[code] = static_cast<v1::Severity>(severity);
    }
  }
  void operator()(std::vector<ThresholdChoice>* thresholds) const {
    wire::ToProto(*thresholds,
                  As<v1::ValidationOptions>()->mutable_thresholds());
  }
  void operator()(std::vector<JointPriority>* joints) const {
    for (const JointPriority& joint : *joints) {
      v1::AnimJointPriority* const to =
          As<v1::AnimFormat>()->add_joint_priority();
      to->set_joint(joint.joint);
      to->set_priority(joint.priority);
    }
  }
  void operator()(const JointMapPlace& map) const {
    if (!map.name->empty()) (*this)(map.name);
    for (const JointMapRow& row : *map.rows) {
      auto* const to = static_cast<v1::JointMapRow*>(
          reflection().AddMessage(message, option.rows));
      to->set_source(ToUtf8(row.source));
      to->set_target(ToUtf8(row.target));
    }
  }
  void operator()(FrameRange* frames) const {
    v1::FrameRange* const to = As<v1::ClipEdits>()->mutable_frames();
    to->set_begin(frames->begin);
    to->set_end(frames->end);
    to->set_step(frames->step);
  }
  void operator()(TimeRange* trim) const {
    v1::TimeRange* const to = As<v1::ClipEdits>()->mutable_trim();
    to->set_begin_seconds(trim->begin_seconds);
    to->set_end_seconds(trim->end_seconds);
  }
  void operator()(const ArraysPlace& arrays) const {
    const auto add = [this](bool is_chosen, v1::NpzArray array) {
      if (is_chosen) reflection().AddEnumValue(message, field(), array);
    };
    add(*arrays.positions, v1::NPZ_ARRAY_POSITIONS);
    add(*arrays.rotations, v1::NPZ_ARRAY_ROTATIONS);
    add(*arrays.velocities, v1::NPZ_ARRAY_VELOCITIES);
  }
  void operator()(const LoopPlace& loop) const {
    v1::AnimFormat* const to = As<v1::AnimFormat>();
    if (*loop.loop) to->set_loop(**loop.loop);
    if (*loop.in) to->set_loop_in(double{**loop.in});
    if (*loop.out) to->set_loop_out(double{**loop.out});
  }
  void operator()(std::optional<std::vector<AnimConstraint>>* all) const {
    for (const AnimConstraint& constraint : **all) {
      WriteConstraint(constraint, As<v1::AnimFormat>()->add_constraints());
    }
  }
};

// The message at `path` below `message`; null if it is not set.
const Message* MessageAt(const std::vector<const FieldDescriptor*>& path,
                         const Message* message) {
  for (const FieldDescriptor* const field : path) {
    const Reflection& reflection = *message->GetReflection();
    if (!reflection.HasField(*message, field)) return nullptr;
    message = &reflection.GetMessage(*message, field);
  }
  return message;
}

Message* MutableAt(const std::vector<const FieldDescriptor*>& path,
                   Message* message) {
  for (const FieldDescriptor* const field : path) {
    message = message->GetReflection()->MutableMessage(message, field);
  }
  return message;
}

// Reads the options in `message`, which is at `path`, into `target`: the
// options, or those of a format.
template <typename Target>
absl::Status ReadFields(const Message& message,
                        const std::vector<OptionField>& fields,
                        std::string_view path, Target* target) {
  for (const OptionField& option : fields) {
    const OptionPlace place = PlaceIn(*option.row, target);
    BVHMILL_RETURN_IF_ERROR(
        std::visit(FieldReader{message, option, place, path}, place));
  }
  return absl::OkStatus();
}

template <typename Target>
void WriteFields(const MessageFields& message, const Target& target,
                 Message* root) {
  for (const OptionField& option : message.fields) {
    const OptionPlace place = PlaceIn(*option.row, target);
    if (IsDefault(*option.row, place)) continue;
    std::visit(FieldWriter{option, MutableAt(message.path, root)}, place);
  }
}

absl::Status ReadOutput(const v1::OutputRequest& message, size_t index,
                        OutputRequest* output) {
  const Format* const format = FormatOf(message);
  const std::string path = "options.outputs[" + std::to_string(index) + "]";
  if (format == nullptr) return InvalidField(path + ".format", "is not set");
  output->id = message.id();
  output->format = format->defaults;
  const MessageFields& fields = FormatMessages()[output->format.index()];
  return ReadFields(*MessageAt(fields.path, &message), fields.fields,
                    path + "." + std::string(format->name), &output->format);
}

// 0 asks for the limit; a larger number than the limit means the limit.
int64_t IssuesListed(int64_t asked, const Limits& limits) {
  const bool keeps = asked > 0 && !Exceeds(asked, limits.max_issues_per_report);
  return keeps ? asked : limits.max_issues_per_report;
}

}  // namespace

absl::Status FromProto(const v1::ConvertOptions& message,
                       ConvertOptions* options) {
  BVHMILL_RETURN_IF_ERROR(
      CheckBytes("options", message.ByteSizeLong(), kMaxOptionBytes));
  ConvertOptions read;
  read.limits = options->limits;
  read.source_format = options->source_format;
  read.checks_only = options->checks_only;
  read.with_skeleton = options->with_skeleton;
  AddUnknownFields(message, "options", &read.unknown_fields);
  for (const MessageFields& fields : ClipMessages()) {
    const Message* const at = MessageAt(fields.path, &message);
    if (at == nullptr) continue;
    BVHMILL_RETURN_IF_ERROR(ReadFields(
        *at, fields.fields, MessagePath(*fields.fields[0].row), &read));
  }
  read.report.max_issues =
      IssuesListed(message.validation().max_issues(), read.limits);
  for (int i = 0; i < message.outputs_size(); ++i) {
    // CheckOptions refuses one output above the limit; the others are not read.
    if (Exceeds(i, read.limits.max_outputs_per_clip)) break;
    BVHMILL_RETURN_IF_ERROR(ReadOutput(message.outputs(i),
                                       static_cast<size_t>(i),
                                       &read.outputs.emplace_back()));
  }
  *options = std::move(read);
  return CheckOptions(*options);
}

v1::ConvertOptions ToProto(const ConvertOptions& options) {
  v1::ConvertOptions message;
  for (const MessageFields& fields : ClipMessages()) {
    WriteFields(fields, options, &message);
  }
  // Without it, the message would ask for the limit of the server.
  message.mutable_validation()->set_max_issues(
      static_cast<int32_t>(options.report.max_issues));
  for (const OutputRequest& request : options.outputs) {
    v1::OutputRequest* const out = message.add_outputs();
    out->set_id(request.id);
    const MessageFields& fields = FormatMessages()[request.format.index()];
    MutableAt(fields.path, out);
    WriteFields(fields, request.format, out);
  }
  return message;
}

const Format* FormatOf(const v1::OutputRequest& message) {
  // The name of a format is that of its field.
  static const google::protobuf::OneofDescriptor* const kFormat =
      v1::OutputRequest::descriptor()->FindOneofByName("format");
  const FieldDescriptor* const field =
      v1::OutputRequest::GetReflection()->GetOneofFieldDescriptor(message,
                                                                  kFormat);
  return field == nullptr ? nullptr : FindFormat(field->name());
}

std::optional<SourceFormat> FromProto(v1::SourceFormat format) {
  if (format == v1::SOURCE_FORMAT_UNSPECIFIED) return SourceFormat::kBvh;
  return SourceFormatOfNumber(static_cast<int>(format));
}

v1::SourceFormat ToProto(SourceFormat format) {
  return format == SourceFormat::kBvh ? v1::SOURCE_FORMAT_UNSPECIFIED
                                      : static_cast<v1::SourceFormat>(format);
}

void ToProto(const SourceFormatInfo& info, v1::SourceFormatInfo* out) {
  out->set_format(static_cast<v1::SourceFormat>(info.format));
  out->set_name(std::string(info.name));
  out->set_media_type(std::string(info.media_type));
  out->set_file_extension(std::string(info.extension));
}

void ToProto(const std::vector<ThresholdChoice>& choices, RuleThresholds* out) {
  out->Clear();
  for (const auto& [code, name, value] : choices) {
    v1::RuleThreshold* threshold = out->Add();
    threshold->set_code(code);
    threshold->set_name(name);
    threshold->set_value(value);
  }
}

void FromProto(const RuleThresholds& message,
               std::vector<ThresholdChoice>* out) {
  out->clear();
  for (const v1::RuleThreshold& threshold : message) {
    out->push_back({threshold.code(), threshold.name(), threshold.value()});
  }
}

}  // namespace bvhmill::wire
