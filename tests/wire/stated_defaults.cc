#include "tests/wire/stated_defaults.h"

namespace bvhmill::testing {

void StateDefaults(v1::ConvertOptions* message) {
  v1::ReadOptions* read = message->mutable_read();
  if (read->strictness() == 0) read->set_strictness(v1::STRICTNESS_LENIENT);
  if (read->joint_positions() == 0) {
    read->set_joint_positions(v1::JOINT_POSITIONS_REPLACE_OFFSET);
  }
  if (read->root_offset() == 0) read->set_root_offset(v1::ROOT_OFFSET_IGNORE);
  v1::ValidationOptions* validation = message->mutable_validation();
  if (validation->max_issues() == 0) validation->set_max_issues(100);
  for (v1::OutputRequest& output : *message->mutable_outputs()) {
    if (!output.has_anim()) continue;
    v1::AnimFormat* anim = output.mutable_anim();
    if (!anim->has_max_degrees()) anim->set_max_degrees(0.1F);
    if (!anim->has_max_millimetres()) anim->set_max_millimetres(1);
    if (!anim->has_max_degrees_limit()) anim->set_max_degrees_limit(5);
  }
}

}  // namespace bvhmill::testing
