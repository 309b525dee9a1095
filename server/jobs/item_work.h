#pragma once

// ItemWork, step 3 of an item of a job (see job_runner.h): a worker converts
// the item. The source is read from its blob and converted by the code of
// streams; the outputs become new blobs, which item_storer stores. The work is
// divided into turns, so that it does not delay other work.
//
//   ItemWork work(config, &blobs, item);
//   // Fill work.ticket() from the admission.
//   while (!work.Turn()) {}
//   ItemEnd& end = work.end();  // A result with its outputs, or a fault.

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

// The end of the work on an item.
struct ItemEnd {
  // The result. If there is none, `fault` is the reason; of an item that is
  // dead-lettered, `fault` is the status of the result.
  std::optional<ItemResult> result;
  // Outputs of the result, not stored yet.
  std::vector<std::unique_ptr<NewBlob>> outputs;
  // The conversion, for the metrics; null if there was none.
  std::unique_ptr<ConvertResult> converted;
  absl::Status fault;
  // True if `fault` counts as a failed try. False if the conversion did not
  // begin, the item was cancelled, or a store is at fault.
  bool counts = true;
  // True if only this item may have the fault: it needs more memory than there
  // is. The try counts if the fault repeats and other items were stored
  // meanwhile.
  bool may_be_its_own = false;
};

class BlobReceiver;

// See the top of the file. One thread at a time; `cancel()`: any thread. After
// Turn has thrown, do not call it again.
class ItemWork {
 public:
  // Both must outlive the work.
  ItemWork(const ServerConfig& config, BlobStore* blobs, ClaimedItem item);
  ~ItemWork();

  const ClaimedItem& item() const { return item_; }
  CancelToken& cancel() { return cancel_; }
  // Counts the memory of the item. Fill it before the first turn.
  Ticket& ticket() { return ticket_; }

  // Reads and converts up to 512 KiB of the source. After its last byte, makes
  // the outputs. True if the item is done: `end` is set.
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

// DATA_LOSS, SOURCE_DAMAGED: a stored source has other bytes than its name
// says.
absl::Status SourceDamaged();

// Dead-lettered items.

// True if the tries of the item are used up; sets `why` to the reason.
// `max_tries` = 0: any number of tries may fail. Tries that end the server are
// always bounded.
bool IsUsedUp(const ClaimedItem& item, int64_t max_tries, std::string* why);

// The end of an item that is dead-lettered for the reason `why`: INTERNAL,
// ITEM_SET_ASIDE.
void SetAside(const ClaimedItem& item, const std::string& why, ItemEnd* end);

}  // namespace bvhmill::server
