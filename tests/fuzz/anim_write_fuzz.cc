// Any motion can be written and reads back equal, also one that the viewer
// refuses.

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/base/sink.h"

namespace {

using bvhmill::AnimJoint;
using bvhmill::AnimKey;
using bvhmill::AnimMotion;

void Require(bool holds) {
  if (!holds) std::abort();
}

// Values made of the input, and zeros after its end.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T Any() {
    T value = {};
    const size_t size = std::min(sizeof(T), bytes_.size());
    std::memcpy(&value, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return value;
  }
  size_t Below(size_t end) { return Any<uint8_t>() % end; }
  std::string Text(size_t end) {
    // Below shortens bytes_, so it comes first.
    const size_t wanted = Below(end);
    const size_t size = std::min(wanted, bytes_.size());
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }
  bvhmill::Vec3<float> Vector() {
    const float x = Any<float>();
    const float y = Any<float>();
    return {x, y, Any<float>()};
  }

 private:
  std::string_view bytes_;
};

void AddKeys(Source* source, std::vector<AnimKey>* keys) {
  keys->resize(source->Below(8));
  for (AnimKey& key : *keys) key = source->Any<AnimKey>();
}

AnimMotion MakeMotion(Source* source) {
  AnimMotion motion;
  motion.base_priority = source->Any<int32_t>();
  motion.duration = source->Any<float>();
  motion.emote = source->Text(20);
  motion.loop_in = source->Any<float>();
  motion.loop_out = source->Any<float>();
  motion.loop = source->Any<int32_t>();
  motion.ease_in = source->Any<float>();
  motion.ease_out = source->Any<float>();
  motion.hand_pose = source->Any<uint32_t>();
  motion.joints.resize(source->Below(217));
  for (AnimJoint& joint : motion.joints) {
    joint.name = source->Text(20);
    joint.priority = source->Any<int32_t>();
    AddKeys(source, &joint.rotations);
    AddKeys(source, &joint.positions);
  }
  motion.constraints.resize(source->Below(11));
  for (bvhmill::AnimConstraint& c : motion.constraints) {
    c.chain_length = source->Any<uint8_t>();
    c.type = source->Any<uint8_t>();
    c.source_volume = source->Text(18);
    c.source_offset = source->Vector();
    c.target_volume = source->Text(18);
    c.target_direction = source->Vector();
    c.ease_out_stop = source->Any<float>();
  }
  return motion;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Source source({reinterpret_cast<const char*>(data), size});
  const AnimMotion motion = MakeMotion(&source);
  std::string bytes;
  bvhmill::StringSink sink(&bytes);
  if (!bvhmill::WriteAnim(motion, &sink).ok()) {
    Require(bytes.empty());
    return 0;
  }
  bvhmill::IssueLog log({});
  const bvhmill::AnimReadResult result = bvhmill::ReadAnim(bytes, {}, &log);
  Require(result.read);
  std::string again;
  bvhmill::StringSink again_sink(&again);
  Require(bvhmill::WriteAnim(result.motion, &again_sink).ok());
  Require(again == bytes);
  return 0;
}
