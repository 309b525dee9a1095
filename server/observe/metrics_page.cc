#include "server/observe/metrics_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
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

MetricFamily OneCounter(const char* name, const char* help, int64_t value) {
  MetricFamily family{name, help, MetricType::Counter, {}};
  AddCounter({}, value, &family);
  return family;
}

MetricFamily OneCounter(const char* name, const char* help,
                        const Counter& counter) {
  return OneCounter(name, help, counter.value());
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

MetricFamily Refused(const Metrics& metrics) {
  MetricFamily family{"bvhmill_refused_total",
                      "Calls and clips that were refused",
                      MetricType::Counter,
                      {}};
  for (size_t i = 0; i < kRefusals.size(); ++i) {
    AddCounter({Label("reason", kRefusals[i])}, metrics.refused[i].value(),
               &family);
  }
  return family;
}

MetricFamily Clips(const Metrics& metrics) {
  MetricFamily family{"bvhmill_clips_total",
                      "Clips that were converted",
                      MetricType::Counter,
                      {}};
  AddCounter({Label("result", "good")}, metrics.good_clips.value(), &family);
  AddCounter({Label("result", "failed")}, metrics.failed_clips.value(),
             &family);
  return family;
}

MetricFamily Items(const Metrics& metrics) {
  MetricFamily family{"bvhmill_job_items_total",
                      "Items of jobs that got a result",
                      MetricType::Counter,
                      {}};
  AddCounter({Label("result", "good")}, metrics.good_items.value(), &family);
  AddCounter({Label("result", "failed")}, metrics.failed_items.value(),
             &family);
  return family;
}

void AddJobs(const Metrics& metrics, const Gauges& now,
             std::vector<MetricFamily>* families) {
  families->push_back(Items(metrics));
  families->push_back(OneCounter("bvhmill_job_item_retries_total",
                                 "Tries of items that failed by faults of the "
                                 "server",
                                 metrics.item_retries));
  families->push_back(OneCounter("bvhmill_job_items_set_aside_total",
                                 "Items that were given up",
                                 metrics.items_set_aside));
  const auto add = [&](const char* name, const char* help, double value) {
    families->push_back(OneGauge(name, help, value));
  };
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
}

class Collector {
 public:
  Collector(const Metrics* metrics, std::function<Gauges()> gauges)
      : metrics_(*metrics), gauges_(std::move(gauges)) {}

  std::vector<MetricFamily> Collect() const {
    const Gauges now = gauges_();
    std::vector<MetricFamily> families = {
        Calls(metrics_),
        CallTimes(metrics_),
        StageTimesOf(metrics_),
        Refused(metrics_),
        Clips(metrics_),
        OneCounter("bvhmill_frames_total", "Frames of clips", metrics_.frames),
        OneCounter("bvhmill_joint_frames_total", "Frames times joints",
                   metrics_.joint_frames),
        OneCounter("bvhmill_received_bytes_total", "Bytes of sources that came",
                   metrics_.received_bytes),
        OneCounter("bvhmill_sent_bytes_total",
                   "Bytes of outputs that were sent", metrics_.sent_bytes),
        OneCounter("bvhmill_refused_connections_total",
                   "Connections beyond max_connections",
                   now.refused_connections),
        OneGauge("bvhmill_connections", "Open connections",
                 static_cast<double>(now.connections)),
        OneGauge("bvhmill_inflight_calls", "Running calls",
                 static_cast<double>(now.calls)),
        OneGauge("bvhmill_inflight_clips", "Admitted clips",
                 static_cast<double>(now.clips)),
        OneGauge("bvhmill_inflight_bytes",
                 "Bytes of memory that calls account for",
                 static_cast<double>(now.bytes)),
        OneGauge("bvhmill_inflight_bytes_peak",
                 "Maximum of bvhmill_inflight_bytes since the start",
                 static_cast<double>(now.peak_bytes)),
        OneGauge("bvhmill_stream_bytes",
                 "Bytes of sources and outputs that streams hold",
                 static_cast<double>(now.stream_bytes)),
        OneGauge("bvhmill_workers", "Worker threads", now.workers),
        OneGauge("bvhmill_workers_busy", "Workers that run a task",
                 now.busy_workers),
        OneGauge("bvhmill_build_info", "Always 1", 1,
                 {Label("version", Version()), Label("commit", GitCommit())}),
        OneGauge("process_resident_memory_bytes", "Memory of the process",
                 static_cast<double>(ResidentBytes())),
        OneGauge("process_start_time_seconds",
                 "Start of the process, in seconds since 1970", started_)};
    AddJobs(metrics_, now, &families);
    return families;
  }

 private:
  const Metrics& metrics_;
  std::function<Gauges()> gauges_;
  double started_ = std::chrono::duration<double>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
};

}  // namespace

MetricsPage::MetricsPage(std::unique_ptr<HttpPage> page)
    : page_(std::move(page)) {}

absl::Status MetricsPage::Start(const std::string& address,
                                const Metrics* metrics,
                                std::function<Gauges()> gauges,
                                std::unique_ptr<MetricsPage>* page) {
  const auto render = [collector = Collector(metrics, std::move(gauges))] {
    return prometheus::TextSerializer().Serialize(collector.Collect());
  };
  std::unique_ptr<HttpPage> served;
  const absl::Status status =
      HttpPage::Start(address, "/metrics", render, &served);
  if (!status.ok()) {
    return MakeStatus(absl::StatusCode::kUnavailable,
                      "cannot serve metrics on " + address + ": " +
                          std::string(MessageOf(status)));
  }
  page->reset(new MetricsPage(std::move(served)));
  return absl::OkStatus();
}

}  // namespace bvhmill::server
