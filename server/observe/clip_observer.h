#pragma once

// Receives facts about the clips that a call or a stream converts.

#include <chrono>
#include <cstdint>
#include <string>

#include "bvhmill/pipeline/convert.h"
#include "server/observe/metrics.h"

namespace bvhmill::server {

// Thread-safe.
class ClipObserver {
 public:
  ClipObserver() = default;
  virtual ~ClipObserver() = default;
  ClipObserver(const ClipObserver&) = delete;
  ClipObserver& operator=(const ClipObserver&) = delete;

  // Bytes of sources that came, and bytes of outputs that were made.
  virtual void AddBytes(int64_t received, int64_t sent) = 0;
  // A clip that was converted, with any outcome.
  virtual void AddClip(const ConvertResult& result) = 0;
  // A clip of a stream that was refused, for `reason`, and not converted.
  virtual void AddRefusedClip(const std::string& reason) = 0;
  // The time of a stage that no result contains: kWrite or kTotal.
  virtual void AddStage(Stage stage, std::chrono::nanoseconds time) = 0;
};

}  // namespace bvhmill::server
