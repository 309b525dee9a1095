#include "server/observe/metrics_page.h"

#include <poll.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <limits>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/base/version.h"
#include "server/limits/memory.h"
#include "server/net/listener.h"

namespace bvhmill::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxConnections = 64;
constexpr size_t kMaxRequestBytes = 8192;
constexpr std::chrono::seconds kMaxAge(10);

absl::Status Unavailable(const std::string& why) {
  return MakeStatus(absl::StatusCode::kUnavailable, why);
}

std::string Response(std::string_view status, std::string_view more_headers,
                     std::string_view body) {
  return "HTTP/1.0 " + std::string(status) + "\r\n" +
         std::string(more_headers) +
         "Content-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + std::string(body);
}

// One connection. The destructor closes it.
struct Client {
  explicit Client(int f) : file(f) {}
  Client(Client&& other) noexcept { *this = std::move(other); }
  Client& operator=(Client&& other) noexcept {
    std::swap(file, other.file);
    std::swap(since, other.since);
    std::swap(request, other.request);
    std::swap(response, other.response);
    std::swap(sent, other.sent);
    return *this;
  }
  ~Client() {
    if (file >= 0) close(file);
  }

  int file = -1;
  Clock::time_point since = Clock::now();
  std::string request;
  // Empty until the request is complete.
  std::string response;
  size_t sent = 0;
};

// True if the request ends with an empty line; a line may end without a
// carriage return.
bool IsWhole(std::string_view request) {
  return request.find("\r\n\r\n") != std::string_view::npos ||
         request.find("\n\n") != std::string_view::npos;
}

// False if the connection has ended, or what came is too long for a request.
bool ReadSome(Client* client) {
  char buffer[2048];
  const ssize_t got = recv(client->file, buffer, sizeof buffer, 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  client->request.append(buffer, static_cast<size_t>(got));
  return got > 0 && client->request.size() <= kMaxRequestBytes;
}

// False once everything is sent or the connection failed.
bool WriteSome(Client* client) {
  const size_t left = client->response.size() - client->sent;
  const ssize_t put = send(client->file, client->response.data() + client->sent,
                           left, MSG_NOSIGNAL);
  if (put < 0) return errno == EAGAIN || errno == EINTR;
  client->sent += static_cast<size_t>(put);
  if (static_cast<size_t>(put) < left) return true;
  shutdown(client->file, SHUT_WR);
  return false;
}

}  // namespace

// Serves GET /metrics; `render` makes the page for each request, in the thread
// of the page.
class MetricsPage::HttpPage {
 public:
  using Render = std::function<std::string()>;

  explicit HttpPage(Render render) : render_(std::move(render)) {}
  ~HttpPage() {
    if (!thread_.joinable()) return;
    eventfd_write(stop_.all().front(), 1);
    thread_.join();
  }

  // UNAVAILABLE if the address cannot be used, or the system has no file or no
  // thread.
  absl::Status Start(const std::string& address) {
    BVHMILL_RETURN_IF_ERROR(ListeningSockets::Open(address, &sockets_));
    const int stop = eventfd(0, EFD_CLOEXEC);
    if (stop < 0) return Unavailable("no file is left");
    stop_.Add(stop);
    try {
      thread_ = std::jthread([this] { Run(); });
    } catch (const std::system_error&) {
      return Unavailable("the system has no thread for it");
    }
    return absl::OkStatus();
  }

  const std::string& address() const { return sockets_->address(); }

 private:
  void Run() {
    while (true) {
      // Without memory for a connection or a page, it closes all connections.
      try {
        while (Step()) {
        }
        return;
      } catch (const std::exception&) {
        clients_.clear();
      }
    }
  }

  // Waits for events and handles them. False once the thread must stop.
  bool Step() {
    polled_.assign(1, {stop_.all().front(), POLLIN, 0});
    for (const int file : sockets_->files()) {
      polled_.push_back({file, POLLIN, 0});
    }
    const size_t first = polled_.size();
    for (const Client& client : clients_) {
      const bool reads = client.response.empty();
      polled_.push_back(
          {client.file, static_cast<int16_t>(reads ? POLLIN : POLLOUT), 0});
    }
    constexpr int kSecondMs = 1000;
    poll(polled_.data(), polled_.size(), clients_.empty() ? -1 : kSecondMs);
    if (polled_.front().revents != 0) return false;
    ServeClients(first);
    for (size_t i = 1; i < first; ++i) {
      if (polled_[i].revents != 0) AcceptSome(polled_[i].fd);
    }
    return true;
  }

  // `first`: where the clients begin in polled_.
  void ServeClients(size_t first) {
    const auto oldest = Clock::now() - kMaxAge;
    size_t i = first;
    std::erase_if(clients_, [&](Client& client) {
      const bool is_ready = polled_[i++].revents != 0;
      return client.since < oldest || (is_ready && !Serve(&client));
    });
  }

  // False once the connection is to be closed.
  bool Serve(Client* client) {
    if (client->response.empty()) {
      if (!ReadSome(client)) return false;
      if (!IsWhole(client->request)) return true;
      client->response = Answer(client->request);
    }
    return WriteSome(client);
  }

  std::string Answer(std::string_view request) const {
    const std::string_view line = request.substr(0, request.find('\n'));
    const size_t method_end = line.find(' ');
    if (line.substr(0, method_end) != "GET") {
      return Response("405 Method Not Allowed", "Allow: GET\r\n", "");
    }
    const std::string_view target = line.substr(method_end + 1);
    if (target.substr(0, target.find_first_of(" ?\r")) != "/metrics") {
      return Response("404 Not Found", "", "");
    }
    return Response("200 OK",
                    "Content-Type: text/plain; version=0.0.4; "
                    "charset=utf-8\r\n",
                    render_());
  }

  // A request usually follows its connection at once, so it is served before
  // the next connection may replace it.
  void AcceptSome(int listening) {
    for (size_t i = 0; i < kMaxConnections; ++i) {
      const int file =
          accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (file < 0) return PauseIfShort(errno);
      Client client(file);
      if (!Serve(&client)) continue;
      if (clients_.size() >= kMaxConnections) clients_.erase(clients_.begin());
      clients_.push_back(std::move(client));
    }
  }

  // If the process is short of files, the connection waits and its socket stays
  // readable: without a pause the thread would use a whole core. Closes the
  // oldest connection, to free a file.
  void PauseIfShort(int error) {
    constexpr std::chrono::milliseconds kPause(100);
    if (error == EAGAIN || error == EINTR || error == ECONNABORTED) return;
    if (!clients_.empty()) clients_.erase(clients_.begin());
    std::this_thread::sleep_for(kPause);
  }

  const Render render_;
  std::unique_ptr<ListeningSockets> sockets_;
  // Readable once the thread must stop.
  OpenFiles stop_;
  // In the order in which they came.
  std::vector<Client> clients_;
  std::vector<pollfd> polled_;
  std::jthread thread_;
};

// The page as text.

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

ClientMetric::Label Label(const char* name, std::string_view value) {
  return {name, std::string(value)};
}

void AddCounter(Labels labels, int64_t value, MetricFamily* family) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = static_cast<double>(value);
  family->metric.push_back(std::move(metric));
}

void AddHistogram(Labels labels, const TimeHistogram& times,
                  MetricFamily* family) {
  ClientMetric metric;
  metric.label = std::move(labels);
  constexpr size_t kBounds = TimeHistogram::kBounds.size();
  uint64_t total = 0;
  for (size_t i = 0; i <= kBounds; ++i) {
    total += static_cast<uint64_t>(times.count(i));
    const double bound = i < kBounds ? TimeHistogram::kBounds[i]
                                     : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({total, bound});
  }
  metric.histogram.sample_count = total;
  metric.histogram.sample_sum = times.sum_seconds();
  family->metric.push_back(std::move(metric));
}

MetricFamily OneCounter(const char* name, const char* help,
                        const Counter& counter) {
  MetricFamily family{name, help, MetricType::Counter, {}};
  AddCounter({}, counter.value(), &family);
  return family;
}

MetricFamily OneGauge(const char* name, const char* help, double value,
                      Labels labels = {}) {
  MetricFamily family{name, help, MetricType::Gauge, {}};
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
  return family;
}

MetricFamily Calls(const Metrics& metrics) {
  MetricFamily family{
      "bvhmill_calls_total", "Calls that have ended", MetricType::Counter, {}};
  for (int m = 0; m < kMethods; ++m) {
    for (int code = 0; code < kStatusCodes; ++code) {
      const int64_t value =
          metrics.calls[static_cast<size_t>(m)][static_cast<size_t>(code)]
              .value();
      // Only codes that occurred have a row.
      if (value == 0 && code != 0) continue;
      AddCounter({Label("method", NameOf(static_cast<Method>(m))),
                  Label("code", NameOfCode(code))},
                 value, &family);
    }
  }
  return family;
}

MetricFamily CallTimes(const Metrics& metrics) {
  MetricFamily family{
      "bvhmill_call_seconds", "Time of whole calls", MetricType::Histogram, {}};
  for (int m = 0; m < kMethods; ++m) {
    AddHistogram({Label("method", NameOf(static_cast<Method>(m)))},
                 metrics.call_times[static_cast<size_t>(m)], &family);
  }
  return family;
}

MetricFamily StageTimesOf(const Metrics& metrics) {
  MetricFamily family{"bvhmill_stage_seconds",
                      "Time of clips by stage",
                      MetricType::Histogram,
                      {}};
  for (int s = 0; s < kStages; ++s) {
    AddHistogram({Label("stage", NameOf(static_cast<Stage>(s)))},
                 metrics.stage_times[static_cast<size_t>(s)], &family);
  }
  return family;
}

// One row for each value of the counter, also if it was never counted: the
// first increase of a row that is new cannot be seen.
MetricFamily Labelled(const char* name, const char* help, const char* label,
                      const LabelledCounter& counter) {
  MetricFamily family{name, help, MetricType::Counter, {}};
  for (const std::string_view value : counter.values()) {
    AddCounter({Label(label, value)}, counter.count(value), &family);
  }
  return family;
}

MetricFamily Clips(const Metrics& metrics) {
  MetricFamily family{"bvhmill_clips_total",
                      "Clips that were converted",
                      MetricType::Counter,
                      {}};
  AddCounter({Label("result", "good")}, metrics.good_clips.value(), &family);
  for (const std::string_view reason : metrics.failed_clips.values()) {
    const int64_t count = metrics.failed_clips.count(reason);
    // Only reasons that occurred have a row: there are more than a hundred.
    if (count == 0) continue;
    AddCounter({Label("result", "failed"), Label("reason", reason)}, count,
               &family);
  }
  return family;
}

void AddCallers(const Metrics& metrics, std::vector<MetricFamily>* families) {
  const auto add = [&](const char* name, const char* help,
                       Counter CallerCounters::*counter) {
    MetricFamily family{name, help, MetricType::Counter, {}};
    metrics.callers.ForEach(
        [&](const std::string& caller, const CallerCounters& counters) {
          AddCounter({Label("caller", caller)}, (counters.*counter).value(),
                     &family);
        });
    families->push_back(std::move(family));
  };
  add("bvhmill_caller_calls_total", "Calls that have ended, by token",
      &CallerCounters::calls);
  add("bvhmill_caller_clips_total", "Clips of calls and of jobs, by token",
      &CallerCounters::clips);
  add("bvhmill_caller_received_bytes_total",
      "Bytes of sources that came, by token", &CallerCounters::received_bytes);
}

MetricFamily Items(const Metrics& metrics) {
  MetricFamily family{"bvhmill_job_items_total",
                      "Items of jobs that got a result",
                      MetricType::Counter,
                      {}};
  const std::pair<const char*, const Counter*> results[] = {
      {"good", &metrics.good_items},
      {"failed", &metrics.failed_items},
      {"set_aside", &metrics.items_set_aside}};
  for (const auto& [result, counter] : results) {
    AddCounter({Label("result", result)}, counter->value(), &family);
  }
  return family;
}

using AddGauge =
    std::function<void(const char* name, const char* help, double value)>;

void AddJobs(const Metrics& metrics, const Gauges& now, const AddGauge& add,
             std::vector<MetricFamily>* families) {
  families->push_back(Items(metrics));
  families->push_back(OneCounter("bvhmill_job_item_retries_total",
                                 "Tries of items that failed by faults of the "
                                 "server",
                                 metrics.item_retries));
  add("bvhmill_jobs_unfinished", "Jobs that are not over",
      static_cast<double>(now.jobs));
  add("bvhmill_job_items_waiting", "Items that wait",
      static_cast<double>(now.waiting_items));
  add("bvhmill_job_items_running", "Items that are worked on",
      static_cast<double>(now.running_items));
  add("bvhmill_job_oldest_item_seconds",
      "Age of the oldest item that is not finished", now.oldest_item_seconds);
  add("bvhmill_blob_bytes", "Bytes of all blobs",
      static_cast<double>(now.blob_bytes));
  add("bvhmill_jobs_paused",
      "1 while jobs pause, since the disk is full or memory is short",
      now.jobs_paused ? 1 : 0);
  add("bvhmill_job_callers_blocked",
      "Callers whose items wait, since their blobs are beyond their share",
      static_cast<double>(now.blocked_callers));
  if (now.database_up) {
    add("bvhmill_database_up", "1 if the database of jobs answers, else 0",
        *now.database_up ? 1 : 0);
  }
  if (now.free_disk_bytes) {
    add("bvhmill_data_folder_free_bytes",
        "Free bytes of the disk of the data folder",
        static_cast<double>(*now.free_disk_bytes));
  }
}

void AddLimits(const UseLimits& limits, const AddGauge& add) {
  const auto add_limit = [&](const char* name, const char* help,
                             int64_t limit) {
    add(name, help,
        limit == 0 ? std::numeric_limits<double>::infinity()
                   : static_cast<double>(limit));
  };
  add_limit("bvhmill_max_calls", "Limit on bvhmill_inflight_calls",
            limits.max_calls);
  add_limit("bvhmill_max_inflight_clips", "Limit on bvhmill_inflight_clips",
            limits.max_inflight_clips);
  add_limit("bvhmill_max_inflight_bytes", "Limit on bvhmill_inflight_bytes",
            limits.max_inflight_bytes);
  add_limit("bvhmill_max_streams", "Limit on bvhmill_streams",
            limits.max_streams);
  add_limit("bvhmill_max_total_stream_bytes", "Limit on bvhmill_stream_bytes",
            limits.max_total_stream_bytes);
  add_limit("bvhmill_max_connections", "Limit on bvhmill_connections",
            limits.max_connections);
  add_limit("bvhmill_max_transport_bytes", "Limit on bvhmill_request_bytes",
            limits.max_transport_bytes);
  add_limit("bvhmill_max_queued_items",
            "Limit on items of jobs that wait or are worked on",
            limits.max_queued_items);
  add_limit("bvhmill_max_data_bytes", "Limit on bvhmill_blob_bytes",
            limits.max_data_bytes);
  add("bvhmill_min_free_disk_bytes",
      "Least bvhmill_data_folder_free_bytes with which uploads are accepted",
      static_cast<double>(limits.min_free_disk_bytes));
}

// Collects the counters and the gauges for one page.
class Collector {
 public:
  Collector(const Metrics* metrics, std::function<Gauges()> gauges)
      : metrics_(*metrics), gauges_(std::move(gauges)) {}

  std::vector<MetricFamily> Collect() const {
    const Gauges now = gauges_();
    std::vector<MetricFamily> families = Counters();
    families.push_back(RefusedConnections(now));
    const auto add = [&](const char* name, const char* help, double value) {
      families.push_back(OneGauge(name, help, value));
    };
    AddUse(now, add);
    AddJobs(metrics_, now, add, &families);
    AddLimits(now.limits, add);
    families.push_back(
        OneGauge("bvhmill_build_info", "Always 1", 1,
                 {Label("version", Version()), Label("commit", GitCommit())}));
    return families;
  }

 private:
  std::vector<MetricFamily> Counters() const {
    std::vector<MetricFamily> families = {
        Calls(metrics_),
        CallTimes(metrics_),
        StageTimesOf(metrics_),
        Labelled("bvhmill_refused_total", "Calls and clips that were refused",
                 "reason", metrics_.refused),
        Clips(metrics_),
        OneCounter("bvhmill_frames_total", "Frames of clips", metrics_.frames),
        OneCounter("bvhmill_joint_frames_total", "Frames times joints",
                   metrics_.joint_frames),
        OneCounter("bvhmill_received_bytes_total", "Bytes of sources that came",
                   metrics_.received_bytes),
        OneCounter("bvhmill_sent_bytes_total",
                   "Bytes of outputs that were sent", metrics_.sent_bytes),
        Labelled("bvhmill_connections_cut_total",
                 "Connections that the server has cut", "reason",
                 metrics_.cut_connections)};
    AddCallers(metrics_, &families);
    return families;
  }

  static MetricFamily RefusedConnections(const Gauges& now) {
    MetricFamily family{"bvhmill_refused_connections_total",
                        "Connections that were refused",
                        MetricType::Counter,
                        {}};
    AddCounter({Label("reason", "max_connections")}, now.refused_connections,
               &family);
    AddCounter({Label("reason", "max_connections_per_address")},
               now.refused_connections_of_address, &family);
    return family;
  }

  void AddUse(const Gauges& now, const AddGauge& add) const {
    add("bvhmill_connections", "Open connections",
        static_cast<double>(now.connections));
    add("bvhmill_inflight_calls", "Running calls",
        static_cast<double>(now.calls));
    add("bvhmill_inflight_clips", "Admitted clips",
        static_cast<double>(now.clips));
    add("bvhmill_inflight_bytes", "Bytes of memory that calls account for",
        static_cast<double>(now.bytes));
    add("bvhmill_inflight_bytes_peak",
        "Maximum of bvhmill_inflight_bytes since the start",
        static_cast<double>(now.peak_bytes));
    add("bvhmill_stream_bytes",
        "Bytes of sources and outputs that streams hold",
        static_cast<double>(now.stream_bytes));
    add("bvhmill_streams", "Open streams",
        static_cast<double>(metrics_.open_streams.load()));
    add("bvhmill_request_bytes",
        "Bytes of requests that arrive or wait for a worker",
        static_cast<double>(now.request_bytes));
    add("bvhmill_requests_waiting", "Calls whose requests wait with the client",
        static_cast<double>(now.waiting_requests));
    add("bvhmill_workers", "Worker threads", now.workers);
    add("bvhmill_workers_busy", "Workers that run a task", now.busy_workers);
    if (now.certificate_expiry_seconds > 0) {
      add("bvhmill_tls_certificate_expiry_timestamp_seconds",
          "Time at which the certificate expires, in seconds since 1970",
          static_cast<double>(now.certificate_expiry_seconds));
    }
    add("process_resident_memory_bytes", "Memory of the process",
        static_cast<double>(ResidentBytes()));
    add("process_start_time_seconds",
        "Start of the process, in seconds since 1970", started_);
  }

  const Metrics& metrics_;
  std::function<Gauges()> gauges_;
  double started_ = std::chrono::duration<double>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
};

}  // namespace

MetricsPage::MetricsPage(std::unique_ptr<HttpPage> page)
    : page_(std::move(page)) {}

MetricsPage::~MetricsPage() = default;

const std::string& MetricsPage::address() const { return page_->address(); }

absl::Status MetricsPage::Start(const std::string& address,
                                const Metrics* metrics,
                                std::function<Gauges()> gauges,
                                std::unique_ptr<MetricsPage>* page) {
  const auto render = [collector = Collector(metrics, std::move(gauges))] {
    return prometheus::TextSerializer().Serialize(collector.Collect());
  };
  auto served = std::make_unique<HttpPage>(render);
  const absl::Status status = served->Start(address);
  if (!status.ok()) {
    return Unavailable("cannot serve metrics on " + address + ": " +
                       std::string(MessageOf(status)));
  }
  page->reset(new MetricsPage(std::move(served)));
  return absl::OkStatus();
}

}  // namespace bvhmill::server
