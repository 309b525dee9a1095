#pragma once

// Measures a clip as its rows come.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bvhmill/clip/clip_info.h"
#include "bvhmill/math/linear.h"
#include "bvhmill/validate/row_observer.h"

namespace bvhmill {

// Makes measures instead of issues. It is not in the table of row_observers.cc,
// since it needs the positions of all nodes, and callers must ask for it. Uses
// the facts that the motion rules write: whether the first and the last frame
// stand apart. Memory: about 110 bytes for each node and 24 for each channel;
// MemoryBytes also counts the measures and messages with them. Cost: O(nodes +
// channels) for each frame; a joint whose values do not change costs a
// comparison.
class ClipMeasurer final : public RowObserver {
 public:
  bool NeedsPositions() const override { return true; }
  int64_t MemoryBytes(const Skeleton& skeleton,
                      const SkeletonFacts& facts) const override;
  void Begin(const ObservedClip& clip) override;
  void Add(const ObservedRows& rows) override;
  void Truncate(int64_t /*frames*/) override {}
  void Finish(IssueLog* /*log*/) override {}

  // The measures of the clip. Call it after the last row and before the next
  // Begin.
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

  std::optional<ObservedClip> clip_;
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
