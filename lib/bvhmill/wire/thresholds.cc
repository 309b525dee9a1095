#include "bvhmill/wire/thresholds.h"

namespace bvhmill::wire {

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
