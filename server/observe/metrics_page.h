#pragma once

// The metrics of a server as a page for Prometheus:
//
//   const MetricsPage page(&metrics, [&] { return Gauges{...}; });
//   response.set_content(page.Text(), MetricsPage::kType);

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "server/observe/metrics.h"

namespace bvhmill::server {

// Limits on the uses in Gauges; 0 = no limit. The page names them as the flags
// do, and shows +Inf for no limit.
struct UseLimits {
  int64_t max_calls = 0;
  int64_t max_inflight_clips = 0;
  int64_t max_inflight_bytes = 0;
  int64_t max_streams = 0;
  int64_t max_total_stream_bytes = 0;
  int64_t max_connections = 0;
  int64_t max_transport_bytes = 0;
  int64_t max_queued_items = 0;
  int64_t max_data_bytes = 0;
  int64_t min_free_disk_bytes = 0;
};

// The state of a server at one moment. Its counters are in Metrics.
struct Gauges {
  // Running calls, admitted clips, and the bytes of memory that calls count.
  int64_t calls = 0;
  int64_t clips = 0;
  int64_t bytes = 0;
  // The maximum of `bytes` since the start.
  int64_t peak_bytes = 0;
  // Bytes of clips and outputs that streams hold.
  int64_t stream_bytes = 0;
  int workers = 0;
  int busy_workers = 0;
  int64_t connections = 0;
  // Connections that were refused since the start: beyond the limit on all, and
  // beyond that on those of one address.
  int64_t refused_connections = 0;
  int64_t refused_connections_of_address = 0;
  // Bytes of requests that arrive or wait for a worker, and calls whose
  // requests wait with their clients.
  int64_t request_bytes = 0;
  int64_t waiting_requests = 0;
  // Unfinished jobs, their waiting items, and their running items.
  int64_t jobs = 0;
  int64_t waiting_items = 0;
  int64_t running_items = 0;
  // The age of the oldest unfinished item.
  double oldest_item_seconds = 0;
  int64_t blob_bytes = 0;
  // True while jobs pause because the disk is full or memory is short.
  bool jobs_paused = false;
  // Callers whose items wait because their blobs exceed their share.
  int64_t blocked_callers = 0;
  // True if the database of jobs answers. Empty without one.
  std::optional<bool> database_up;
  // Free bytes of the disk of the data folder. Empty without a folder.
  std::optional<int64_t> free_disk_bytes;
  // The time at which the certificate expires, in seconds since 1970; 0 without
  // TLS.
  int64_t certificate_expiry_seconds = 0;
  UseLimits limits;
};

// Thread-safe.
class MetricsPage {
 public:
  static constexpr char kType[] = "text/plain; version=0.0.4; charset=utf-8";

  // `metrics` and the objects that `gauges` uses must outlive the page.
  MetricsPage(const Metrics* metrics, std::function<Gauges()> gauges);
  // The page as of now. Calls `gauges`.
  std::string Text() const;

 private:
  const Metrics& metrics_;
  const std::function<Gauges()> gauges_;
  // Seconds since 1970.
  const double started_;
};

}  // namespace bvhmill::server
