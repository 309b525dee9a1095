#include "server/observe/metrics_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "bvhmill/base/version.h"
#include "server/limits/memory.h"

namespace bvhmill::server {
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

std::vector<MetricFamily> Counters(const Metrics& metrics) {
  std::vector<MetricFamily> families = {
      Calls(metrics),
      CallTimes(metrics),
      StageTimesOf(metrics),
      Labelled("bvhmill_refused_total", "Calls and clips that were refused",
               "reason", metrics.refused),
      Clips(metrics),
      OneCounter("bvhmill_frames_total", "Frames of clips", metrics.frames),
      OneCounter("bvhmill_joint_frames_total", "Frames times joints",
                 metrics.joint_frames),
      OneCounter("bvhmill_received_bytes_total", "Bytes of sources that came",
                 metrics.received_bytes),
      OneCounter("bvhmill_sent_bytes_total", "Bytes of outputs that were sent",
                 metrics.sent_bytes),
      Labelled("bvhmill_connections_cut_total",
               "Connections that the server has cut", "reason",
               metrics.cut_connections)};
  AddCallers(metrics, &families);
  return families;
}

MetricFamily RefusedConnections(const Gauges& now) {
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

void AddUse(const Metrics& metrics, const Gauges& now, double started,
            const AddGauge& add) {
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
  add("bvhmill_stream_bytes", "Bytes of sources and outputs that streams hold",
      static_cast<double>(now.stream_bytes));
  add("bvhmill_streams", "Open streams",
      static_cast<double>(metrics.open_streams.load()));
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
      "Start of the process, in seconds since 1970", started);
}

}  // namespace

MetricsPage::MetricsPage(const Metrics* metrics, std::function<Gauges()> gauges)
    : metrics_(*metrics),
      gauges_(std::move(gauges)),
      started_(std::chrono::duration<double>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count()) {}

std::string MetricsPage::Text() const {
  const Gauges now = gauges_();
  std::vector<MetricFamily> families = Counters(metrics_);
  families.push_back(RefusedConnections(now));
  const auto add = [&](const char* name, const char* help, double value) {
    families.push_back(OneGauge(name, help, value));
  };
  AddUse(metrics_, now, started_, add);
  AddJobs(metrics_, now, add, &families);
  AddLimits(now.limits, add);
  families.push_back(
      OneGauge("bvhmill_build_info", "Always 1", 1,
               {Label("version", Version()), Label("commit", GitCommit())}));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace bvhmill::server
