#pragma once

// The metrics of a server as a page for Prometheus, over plain HTTP.

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/observe/http_page.h"
#include "server/observe/metrics.h"

namespace bvhmill::server {

// Values of the present moment, in contrast to counters.
struct Gauges {
  int64_t calls = 0;
  int64_t clips = 0;
  int64_t bytes = 0;
  // The most `bytes` have been since the start.
  int64_t peak_bytes = 0;
  // Bytes of clips and outputs that streams hold.
  int64_t stream_bytes = 0;
  int workers = 0;
  int busy_workers = 0;
  int64_t connections = 0;
  // Since the start.
  int64_t refused_connections = 0;
  // Jobs that are not over, and their items that wait and that are worked on.
  int64_t jobs = 0;
  int64_t waiting_items = 0;
  int64_t running_items = 0;
  // Since the oldest unfinished item was created.
  double oldest_item_seconds = 0;
  int64_t blob_bytes = 0;
  // The disk is full, or memory is short.
  bool jobs_paused = false;
  // Callers whose items wait, since their blobs are beyond their share.
  int64_t blocked_callers = 0;
};

// Serves http://ADDRESS/metrics until it goes.
class MetricsPage {
 public:
  // `address` is HOST:PORT, port 0 picks one. `metrics` and what `gauges` looks
  // at must outlive the page. UNAVAILABLE if the address cannot be had.
  static absl::Status Start(const std::string& address, const Metrics* metrics,
                            std::function<Gauges()> gauges,
                            std::unique_ptr<MetricsPage>* page);

  // HOST:PORT with the port that was picked.
  const std::string& address() const { return page_->address(); }

 private:
  explicit MetricsPage(std::unique_ptr<HttpPage> page);

  std::unique_ptr<HttpPage> page_;
};

}  // namespace bvhmill::server
