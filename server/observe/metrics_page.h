#pragma once

// The metrics of a server as a page for Prometheus, over plain HTTP:
// http://ADDRESS/metrics.
//
//   std::unique_ptr<MetricsPage> page;
//   absl::Status status = MetricsPage::Start(
//       "127.0.0.1:9090", &metrics, [&] { return Gauges{...}; }, &page);
//
// One thread serves all connections. It never blocks on a single connection. At
// most 64 connections are open: a new one replaces the oldest. Each connection
// is closed after 10 seconds. So a peer that connects and sends nothing cannot
// block other peers.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
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

// Serves the page from Start to the destructor.
class MetricsPage {
 public:
  // `address` is HOST:PORT; port 0 picks a free port. The thread of the page
  // calls `gauges` for each page that it makes. `metrics` and the objects that
  // `gauges` uses must outlive the page. UNAVAILABLE if the address cannot be
  // used, or if the system has no file descriptor or no thread left.
  static absl::Status Start(const std::string& address, const Metrics* metrics,
                            std::function<Gauges()> gauges,
                            std::unique_ptr<MetricsPage>* page);
  // Ends the connections and the thread.
  ~MetricsPage();

  // HOST:PORT with the port that was picked.
  const std::string& address() const;

 private:
  class HttpPage;
  explicit MetricsPage(std::unique_ptr<HttpPage> page);

  std::unique_ptr<HttpPage> page_;
};

}  // namespace bvhmill::server
