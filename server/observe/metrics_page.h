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
#include <string>

#include "absl/status/status.h"
#include "server/observe/metrics.h"

namespace bvhmill::server {

// The state of a server at one moment. Its counters are in Metrics, except
// refused_connections.
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
  // Since the start.
  int64_t refused_connections = 0;
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
