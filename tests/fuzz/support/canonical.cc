#include "tests/fuzz/support/canonical.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <limits>

namespace bvhmill::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// UNSPECIFIED means the first value, but for these two.
bool HasDefault(const google::protobuf::EnumDescriptor& type) {
  return type.name() != "Axis" && type.name() != "Severity";
}

void WriteOut(Message* message);

void WriteOutField(const FieldDescriptor& field, Message* message) {
  const Reflection& reflection = *message->GetReflection();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM &&
      !field.is_repeated() && HasDefault(*field.enum_type()) &&
      reflection.GetEnumValue(*message, &field) == 0) {
    reflection.SetEnumValue(message, &field, 1);
  }
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field.is_map()) {
    return;
  }
  for (int i = 0;
       field.is_repeated() && i < reflection.FieldSize(*message, &field); ++i) {
    WriteOut(reflection.MutableRepeatedMessage(message, &field, i));
  }
  // An arm of a oneof that is not chosen stays so.
  const bool is_arm = field.containing_oneof() != nullptr;
  if (field.is_repeated() ||
      (is_arm && !reflection.HasField(*message, &field))) {
    return;
  }
  WriteOut(reflection.MutableMessage(message, &field));
}

// Enums get their default, and messages are there.
void WriteOut(Message* message) {
  const auto* const type = message->GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    WriteOutField(*type->field(i), message);
  }
}

void WriteOutArrays(v1::CsvFormat* csv) {
  if (csv->arrays().empty()) csv->add_arrays(v1::NPZ_ARRAY_POSITIONS);
  std::sort(csv->mutable_arrays()->begin(), csv->mutable_arrays()->end());
}

// In the order of their numbers.
void WriteOutArrays(v1::NpzFormat* npz) {
  if (npz->arrays().empty()) {
    npz->add_arrays(v1::NPZ_ARRAY_POSITIONS);
    npz->add_arrays(v1::NPZ_ARRAY_ROTATIONS);
  }
  std::sort(npz->mutable_arrays()->begin(), npz->mutable_arrays()->end());
}

void WriteOutGlb(v1::GlbFormat* glb) {
  constexpr float kTolerance = 0.1F;
  if (!glb->has_tolerance_degrees()) glb->set_tolerance_degrees(kTolerance);
  if (!glb->has_tolerance_percent()) glb->set_tolerance_percent(kTolerance);
}

void WriteOutAnim(v1::AnimFormat* anim) {
  constexpr float kMaxDegrees = 0.1F;
  constexpr float kMaxDegreesLimit = 5;
  constexpr float kMaxMillimetres = 1;
  if (!anim->has_max_degrees()) anim->set_max_degrees(kMaxDegrees);
  if (!anim->has_max_degrees_limit()) {
    anim->set_max_degrees_limit(kMaxDegreesLimit);
  }
  if (!anim->has_max_mm()) {
    anim->set_max_mm(kMaxMillimetres);
  }
  // An .anim holds times in single precision.
  const auto round = [](double seconds) { return static_cast<float>(seconds); };
  if (anim->has_loop_in()) {
    anim->set_loop_in(round(anim->loop_in()));
  }
  if (anim->has_loop_out()) {
    anim->set_loop_out(round(anim->loop_out()));
  }
  if (anim->has_ease_in()) {
    anim->set_ease_in(round(anim->ease_in()));
  }
  if (anim->has_ease_out()) {
    anim->set_ease_out(round(anim->ease_out()));
  }
}

void WriteOutEdits(v1::ClipEdits* edits) {
  if (edits->frames().step() == 0) edits->mutable_frames()->set_step(1);
  if (edits->root_axes().empty()) edits->set_root_axes("xyz");
  if (edits->root_signs().empty()) edits->set_root_signs("+++");
  while (edits->root_correction_size() < 3) edits->add_root_correction(0);
}

}  // namespace

void MakeCanonical(const Limits& limits, v1::ConvertOptions* options) {
  options->DiscardUnknownFields();
  for (v1::OutputRequest& output : *options->mutable_outputs()) {
    if (output.has_npz()) WriteOutArrays(output.mutable_npz());
    if (output.has_csv()) WriteOutArrays(output.mutable_csv());
  }
  WriteOut(options);
  WriteOutEdits(options->mutable_edits());
  v1::ValidationOptions* const validation = options->mutable_validation();
  const auto most = static_cast<int32_t>(limits.max_issues_per_report);
  if (validation->max_issues() == 0 || validation->max_issues() > most) {
    validation->set_max_issues(most);
  }
  for (v1::OutputRequest& output : *options->mutable_outputs()) {
    if (output.has_anim()) WriteOutAnim(output.mutable_anim());
    if (output.has_glb()) WriteOutGlb(output.mutable_glb());
    // The shortest text is -1 where nothing is set.
    if (output.has_bvh() && !output.bvh().has_decimals()) {
      output.mutable_bvh()->set_decimals(-1);
    }
  }
}

// Three numbers: those that are missing are 0.
template <class Numbers>
void MakeVector(Numbers* numbers) {
  while (numbers->size() < 3) numbers->Add(0);
  numbers->Truncate(3);
}

void MakeCanonical(v1::ClipMeasures* measures) {
  if (measures->has_extents()) {
    MakeVector(measures->mutable_extents()->mutable_min());
    MakeVector(measures->mutable_extents()->mutable_max());
  }
  MakeVector(measures->mutable_rest_size());
  if (measures->rest_pose() < v1::REST_POSE_UNSPECIFIED ||
      measures->rest_pose() > v1::REST_POSE_OTHER) {
    measures->set_rest_pose(v1::REST_POSE_OTHER);
  }
  for (v1::JointMeasures& joint : *measures->mutable_joints()) {
    // A value for each channel.
    while (joint.max_size() < joint.min_size()) {
      joint.add_max(std::numeric_limits<float>::quiet_NaN());
    }
    joint.mutable_max()->Truncate(joint.min_size());
  }
}

void MakeCanonical(v1::ClipResult* result) {
  result->DiscardUnknownFields();
  // Only jobs state them.
  result->clear_display_name();
  result->clear_left_out();
  if (result->has_measures()) MakeCanonical(result->mutable_measures());
  if (result->status().code() != 0) result->clear_outputs();
  result->clear_key();
  result->clear_status();
  result->clear_times();
  v1::ValidationReport* const report = result->mutable_report();
  report->mutable_counts();
  if (report->verdict() < v1::VERDICT_VALID ||
      report->verdict() > v1::VERDICT_UNREADABLE) {
    report->set_verdict(v1::VERDICT_UNREADABLE);
  }
  for (v1::Issue& issue : *report->mutable_issues()) {
    issue.mutable_location();
    if (issue.severity() < v1::SEVERITY_ERROR ||
        issue.severity() > v1::SEVERITY_HINT) {
      issue.set_severity(v1::SEVERITY_WARNING);
    }
  }
  for (v1::Joint& joint : *result->mutable_info()->mutable_joints()) {
    while (joint.offset_size() < 3) joint.add_offset(0);
    joint.mutable_offset()->Truncate(3);
  }
  for (v1::Output& output : *result->mutable_outputs()) {
    output.clear_data();
    output.clear_status();
    // Only jobs state them.
    output.clear_blob();
    if (output.has_tensor()) {
      output.mutable_tensor()->set_dtype(v1::DATA_TYPE_FLOAT32);
    }
  }
}

}  // namespace bvhmill::fuzz
