#pragma once

// The outputs of a conversion: their encoders, the arrays that these need, and
// what a frame costs. Private to pipeline/.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bvhmill/encode/encoder.h"
#include "bvhmill/kinematics/plan.h"

namespace bvhmill {

// An array that one or more encoders need. It is solved once.
struct SharedArray {
  PoseArray array;
  // It is solved for all frames, and taken at the end.
  bool whole = false;
};

// Kept from clip to clip: SetOutputs costs nothing if the requests are those of
// the previous clip. The other functions may run in several threads at once.
class OutputPlan {
 public:
  void SetOutputs(const std::vector<OutputRequest>& requests);

  // The number of frames must be known before the first tile.
  bool NeedsFrameCount() const;
  // Tiles need the rows around them.
  bool NeedsNeighbours() const;
  // An encoder has something to log.
  bool NeedsLog() const;

  size_t size() const { return encoders_.size(); }
  const OutputRequest& request(size_t i) const { return requests_[i]; }
  Encoder& encoder(size_t i) const { return *encoders_[i]; }
  std::span<const SharedArray> arrays() const { return arrays_; }
  // The arrays of an encoder, in the order of its needs, as indices into
  // arrays().
  std::span<const size_t> ArraysOf(size_t encoder) const;

  // Bytes of an array of `frames` frames, if it is whole; else 0.
  int64_t WholeBytes(const SharedArray& shared, int64_t frames,
                     const Skeleton& skeleton) const;
  // Bytes that arrays add to outputs whose size, as `outputs` say, is not
  // known. The sum of the sizes that are known is included.
  int64_t ForeseenBytes(std::span<const OutputInfo> outputs, int64_t frames,
                        const Skeleton& skeleton) const;
  // About how many bytes a frame of all outputs has.
  int64_t FrameBytes(std::span<const OutputInfo> outputs,
                     const Plan& plan) const;
  // Units of work that a frame costs beside the bytes of its outputs.
  int64_t FrameWork(std::span<const OutputInfo> outputs,
                    const Plan& plan) const;

 private:
  void AddNeeds(const EncoderNeeds& needs);

  std::vector<OutputRequest> requests_;
  std::vector<std::unique_ptr<Encoder>> encoders_;
  std::vector<SharedArray> arrays_;
  // Indices into arrays_, those of the first encoder first.
  std::vector<size_t> uses_;
};

}  // namespace bvhmill
