#include "bvhmill/anim/avatar/missing_limb.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "bvhmill/anim/avatar/avatar.h"

namespace bvhmill {
namespace {

struct Half {
  // The limb from here on, and this half of it.
  std::string_view whole;
  std::string_view half;
  // The joint that turns it, the next one below, and the collar or the half
  // above.
  std::string_view joint;
  std::string_view below;
  std::string_view above;
};
constexpr std::array<Half, 8> kHalves = {
    {{"left arm", "left upper arm", "mShoulderLeft", "mElbowLeft",
      "mCollarLeft"},
     {"right arm", "right upper arm", "mShoulderRight", "mElbowRight",
      "mCollarRight"},
     {"left leg", "left thigh", "mHipLeft", "mKneeLeft", "mPelvis"},
     {"right leg", "right thigh", "mHipRight", "mKneeRight", "mPelvis"},
     {"left forearm", "left forearm", "mElbowLeft", "mWristLeft",
      "mShoulderLeft"},
     {"right forearm", "right forearm", "mElbowRight", "mWristRight",
      "mShoulderRight"},
     {"left shin", "left shin", "mKneeLeft", "mAnkleLeft", "mHipLeft"},
     {"right shin", "right shin", "mKneeRight", "mAnkleRight", "mHipRight"}}};
constexpr size_t kFirstLowerHalf = 4;

constexpr std::array<std::string_view, 6> kSpine = {
    "mTorso", "mChest", "mSpine1", "mSpine2", "mSpine3", "mSpine4"};

template <size_t kCount>
bool IsOneOf(std::string_view name,
             const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool HangsOnSpine(std::string_view name) {
  return name == "mNeck" || name == "mHead" || name.starts_with("mCollar") ||
         name.starts_with("mShoulder");
}

// A node, and its neighbours that drive the avatar.
struct Place {
  // The joint of the avatar that it drives, or else that the nearest node above
  // drives; -1 if there is none.
  int32_t at_or_above = -1;
  bool is_driver = false;
  // It drives nothing and moves.
  bool is_unknown = false;
  // The longest chain of unknown nodes from here down; 0 above a driver.
  size_t chain = 0;
  // The first driven joint below; -1 if there is none.
  int32_t driven_below = -1;
};

class Finder {
 public:
  Finder(const Clip& clip, std::span<const int32_t> drivers)
      : clip_(clip), drivers_(drivers), places_(clip.skeleton.nodes.size()) {}

  std::optional<MissingLimb> Find() {
    LookDown();
    LookUp();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].is_unknown) continue;
      const std::string_view limb = LimbMovedBy(i);
      if (!limb.empty()) return MissingLimb{limb, NodesFrom(i)};
    }
    return std::nullopt;
  }

 private:
  bool IsDriven(std::string_view joint) const {
    return drivers_[static_cast<size_t>(FindAvatarJoint(joint))] >= 0;
  }
  static std::string_view NameOf(int32_t joint) {
    return joint < 0 ? "" : AvatarJoints()[static_cast<size_t>(joint)].name;
  }

  bool Moves(const Node& node) const {
    constexpr float kLeastDegrees = 1;
    const size_t stride = clip_.skeleton.channels.size();
    const auto first = static_cast<size_t>(node.first_channel);
    const auto channels = ChannelsOf(clip_.skeleton, node);
    for (size_t c = 0; c < channels.size(); ++c) {
      if (!IsRotation(channels[c])) continue;
      const float* value = clip_.motion.values.data() + first + c;
      for (int64_t frame = 1; frame < clip_.motion.frames; ++frame) {
        const float now = value[static_cast<size_t>(frame) * stride];
        if (std::fabs(now - value[0]) > kLeastDegrees) return true;
      }
    }
    return false;
  }

  void LookDown() {
    for (size_t joint = 0; joint < drivers_.size(); ++joint) {
      if (drivers_[joint] < 0) continue;
      Place& place = places_[static_cast<size_t>(drivers_[joint])];
      place.is_driver = true;
      place.at_or_above = static_cast<int32_t>(joint);
    }
    for (size_t i = 0; i < places_.size(); ++i) {
      const Node& node = clip_.skeleton.nodes[i];
      Place& place = places_[i];
      if (place.is_driver || IsEndSite(node)) continue;
      if (node.parent >= 0) {
        place.at_or_above =
            places_[static_cast<size_t>(node.parent)].at_or_above;
      }
      place.is_unknown = Moves(node);
    }
  }

  void LookUp() {
    for (size_t i = places_.size(); i-- > 0;) {
      Place& place = places_[i];
      place.chain += place.is_unknown;
      const int32_t parent = clip_.skeleton.nodes[i].parent;
      if (parent < 0) continue;
      Place& above = places_[static_cast<size_t>(parent)];
      const int32_t driven =
          place.is_driver ? place.at_or_above : place.driven_below;
      if (driven >= 0) above.driven_below = driven;
      if (!place.is_driver) above.chain = std::max(above.chain, place.chain);
    }
  }

  // The limb of the avatar that unknown node `i` moves in the source; "" if the
  // avatar misses nothing.
  std::string_view LimbMovedBy(size_t i) const {
    const Place& place = places_[i];
    const std::string_view above = NameOf(place.at_or_above);
    const std::string_view below = NameOf(place.driven_below);
    const bool has_spine =
        std::any_of(kSpine.begin(), kSpine.end(),
                    [&](std::string_view joint) { return IsDriven(joint); });
    if (!has_spine && HangsOnSpine(below)) return "spine";
    for (size_t h = 0; h < kHalves.size(); ++h) {
      const Half& half = kHalves[h];
      if (IsDriven(half.joint)) continue;
      if (below == half.below) return half.half;
      if (!below.empty() || IsDriven(half.below)) continue;
      const bool is_lower = h >= kFirstLowerHalf;
      if (is_lower && above == half.above) return half.whole;
      if (!is_lower && place.chain >= 2 && CanHang(half, above)) {
        return half.whole;
      }
    }
    return "";
  }

  // True if a whole arm or leg may hang on `above`, or on no driven joint.
  static bool CanHang(const Half& half, std::string_view above) {
    if (above == half.above) return true;
    const bool is_leg = half.above == "mPelvis";
    return is_leg ? above.empty() : IsOneOf(above, kSpine) || above == "mNeck";
  }

  // Node `i` and the unknown nodes below it, without those below a driver.
  std::vector<int32_t> NodesFrom(size_t i) const {
    std::vector<bool> is_below(places_.size());
    std::vector<int32_t> nodes;
    for (size_t j = i; j < places_.size(); ++j) {
      const int32_t parent = clip_.skeleton.nodes[j].parent;
      is_below[j] = j == i || (parent >= 0 && !places_[j].is_driver &&
                               is_below[static_cast<size_t>(parent)]);
      if (is_below[j] && places_[j].is_unknown) {
        nodes.push_back(static_cast<int32_t>(j));
      }
    }
    return nodes;
  }

  const Clip& clip_;
  const std::span<const int32_t> drivers_;
  std::vector<Place> places_;
};

}  // namespace

std::optional<MissingLimb> FindMissingLimb(const Clip& clip,
                                           std::span<const int32_t> drivers) {
  return Finder(clip, drivers).Find();
}

}  // namespace bvhmill
