#pragma once

// Measures of a clip: its size, joint ranges, speeds, rest pose and loop. They
// are facts and no issues.
//
//   ClipMeasurer measurer(clip);
//   for each block of frames: measurer.Add(frames, positions);
//   ClipMeasures measures = measurer.Measure();

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bvhmill/clip/clip.h"
#include "bvhmill/clip/clip_info.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/skeletons/body_root.h"
#include "bvhmill/validate/checked_clip.h"

namespace bvhmill {

// Measures a clip as the world positions of its frames come. Uses the facts of
// the motion rules: whether the first and the last frame stand apart. Cost:
// O(nodes + channels) for each frame; a joint whose values do not change costs
// a comparison.
class ClipMeasurer {
 public:
  // `clip` outlives the measurer. Its facts are complete.
  explicit ClipMeasurer(const CheckedClip& clip);
  // Measures the next `frames` frames of the clip. `positions` are frames x
  // nodes x 3: world positions of joints and end sites, in the units of the
  // file.
  void Add(int64_t frames, std::span<const float> positions);
  // The measures of the clip. Requires that all frames were added.
  ClipMeasures Measure() const;

  // The bytes of a measurer, of its measures, and of the messages that hold
  // them.
  static int64_t MemoryBytes(const Skeleton& skeleton);

 private:
  using Row = std::span<const float>;

  // A value for each joint of the trunk, one of which is the body root.
  template <typename T>
  using OfTrunk = std::array<T, Trunk::kMost>;

  // The longest step of a joint among some steps, and the lengths of the paths
  // of the joints of the trunk.
  struct Steps {
    // Its square; -1 if no step is known.
    double longest = -1;
    int32_t joint = 0;
    int64_t frame = 0;
    // The sum of the known steps of each, and whether there is one.
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
    // The largest of all frames but the newest one, and that of the newest.
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
