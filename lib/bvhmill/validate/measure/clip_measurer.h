#pragma once

// Measures a clip as its rows come.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

// Makes measures instead of issues. Uses the facts that the motion rules write:
// whether the first and the last frame stand apart. Cost: O(nodes + channels)
// for each frame; a joint whose values do not change costs a comparison.
class ClipMeasurer {
 public:
  // The bytes of a measurer and of its measures, and of messages with them.
  static int64_t MemoryBytes(const Skeleton& skeleton);

  // `clip` stays. Its facts are complete.
  explicit ClipMeasurer(const CheckedClip& clip);
  // Measures the next `frames` frames of the clip. `positions` are frames x
  // nodes x 3: world positions of joints and end sites, in the units of the
  // file.
  void Add(int64_t frames, std::span<const float> positions);
  // The measures of the clip. All frames were added.
  ClipMeasures Measure() const;

 private:
  using Row = std::span<const float>;

  // A value for each joint of the trunk, one of which is the body root.
  template <typename T>
  using OfTrunk = std::array<T, Trunk::kMost>;

  // The longest step of a joint among some steps, and the ways of the joints of
  // the trunk.
  struct Steps {
    // The square; -1: no step is known.
    double longest = -1;
    int32_t joint = 0;
    int64_t frame = 0;
    // The ways of their known steps, and whether there is one.
    OfTrunk<double> paths = {};
    OfTrunk<bool> has_path = {};

    void Add(const Steps& more);
  };
  // A frame at one end of the clip: its values and the places of the trunk.
  struct End {
    std::vector<float> row;
    OfTrunk<std::array<float, 3>> places = {};
  };
  // Angles of each node from its rotation in one frame.
  struct Turns {
    std::vector<Quat<double>> from;
    // The largest so far without the newest frame, and that of the newest.
    std::vector<double> largest;
    std::vector<double> newest;

    void Begin(size_t nodes);
    void Add(size_t node, const Quat<double>& rotation);
    double Largest(size_t node, bool with_newest) const;
  };

  void AddValues(Row row);
  void AddTurns(Row row);
  void AddPositions(Row positions);
  Steps StepsTo(Row positions) const;
  void KeepEnds(Row row, Row positions);
  Steps AllSteps() const;
  // The index in the trunk of the body root.
  size_t BodyRoot() const;
  void SetJoints(ClipMeasures* measures) const;
  void SetSpeeds(ClipMeasures* measures) const;
  void SetLoop(ClipMeasures* measures) const;

  const CheckedClip& clip_;
  int64_t frames_ = 0;
  // By channel.
  std::vector<float> least_;
  std::vector<float> greatest_;
  // By node: from frame 0, and from frame 1.
  std::array<Turns, 2> turns_;
  std::vector<float> last_positions_;
  ClipExtents extents_;
  // The steps to frame 1, to the last frame, and all others.
  Steps first_step_;
  Steps last_step_;
  Steps steps_;
  End first_;
  End second_;
  End before_last_;
  End last_;
};

}  // namespace bvhmill
