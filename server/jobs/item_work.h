#pragma once

// The conversion of one item of a job: reads its source, converts it by the
// code of streams, and writes its outputs into new blobs. Works in turns, so
// that other work is not delayed.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bvhmill/base/cancel.h"
#include "bvhmill/digest/sha256.h"
#include "bvhmill/pipeline/options.h"
#include "bvhmill/v1/result.pb.h"
#include "server/app/config.h"
#include "server/convert/source.h"
#include "server/limits/admission.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace bvhmill::server {

class BlobReceiver;

// The end of the work on an item.
struct ItemEnd {
  // Set if it has a result; else `fault` says why there is none.
  std::optional<ItemResult> result;
  // Outputs of the result, which are not stored yet.
  std::vector<std::unique_ptr<NewBlob>> outputs;
  // The conversion, for the metrics; null if there was none.
  std::unique_ptr<ConvertResult> converted;
  absl::Status fault;
  // True if `fault` counts as a try. False if the item was not worked on, was
  // cancelled, or a store is at fault.
  bool counts = true;
  // True if the fault may be one of this item alone: it needs more memory than
  // there is. It counts if other items are stored while it lasts.
  bool may_be_its_own = false;
};

// Used by one thread at a time; `cancel()` by any thread. If Turn throws, it
// must not be called again.
class ItemWork {
 public:
  // Both must outlive the work.
  ItemWork(const ServerConfig& config, BlobStore* blobs, ClaimedItem item);
  ~ItemWork();

  const ClaimedItem& item() const { return item_; }
  CancelToken& cancel() { return cancel_; }
  // The memory of the item is drawn from this ticket. Fill it before the first
  // turn.
  Ticket& ticket() { return ticket_; }

  // Reads up to 512 KiB of the source or, after its last byte, makes the
  // outputs. True if the item is done: `end` says how.
  bool Turn();
  // Adds the time of a turn, which the caller measures.
  void AddTime(std::chrono::duration<double> time) { seconds_ += time.count(); }
  double seconds() const { return seconds_; }
  ItemEnd& end() { return end_; }

 private:
  absl::Status Begin();
  absl::Status Feed(bool* has_ended);
  absl::Status FromStore(const absl::Status& status);
  void KeepOutputs(const ConvertResult& made, v1::ClipResult* message,
                   ItemResult* result);
  void Finish();
  void Fail(const absl::Status& fault, bool counts);
  void FailToRead(const absl::Status& fault);

  const ServerConfig& config_;
  BlobStore& blobs_;
  const ClaimedItem item_;
  CancelToken cancel_;
  Ticket ticket_;
  ConvertOptions options_;
  std::unique_ptr<BlobReader> reader_;
  int64_t read_ = 0;
  // The store could not open or read the source.
  bool is_store_at_fault_ = false;
  double seconds_ = 0;
  Sha256 digest_;
  std::unique_ptr<BlobReceiver> receiver_;
  std::unique_ptr<SourceConversion> conversion_;
  ItemEnd end_;
};

// The result of an item that is given up, for the reason `why`.
ItemResult SetAside(const ClaimedItem& item, const std::string& why);

// True if the tries of the item are used up; `why` says how. `max_tries` = 0:
// any number of tries may fail. Tries that end the server are bounded always.
bool IsUsedUp(const ClaimedItem& item, int64_t max_tries, std::string* why);

}  // namespace bvhmill::server
