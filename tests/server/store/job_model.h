#pragma once

// A plain model of jobs in memory.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "server/store/job_store.h"

namespace bvhmill::testing {

using server::JobState;

struct ModelItem {
  std::string blob = {};
  enum { kWaits, kLeased, kDone } state = kWaits;
  int64_t lease = 0;
  int64_t not_before = 0;
  int tries = 0;
  int crashes = 0;
  int code = 0;
  std::string result = {};

  // No wait lasts longer than the longest backoff.
  bool MayBegin(int64_t now) const {
    return not_before <= now || not_before - now > server::kLongestBackoffMs;
  }
};

struct ModelJob {
  std::string caller;
  std::string request_id;
  std::string digest;
  JobState state = JobState::kPending;
  int64_t set_aside = 0;
  int64_t create = 0;
  int64_t start = 0;
  int64_t end = 0;
  int64_t number = 0;
  // The turn of the last claim of its items.
  int64_t served = 0;
  std::vector<ModelItem> items;

  int64_t Count(int state_of_items) const {
    return std::count_if(items.begin(), items.end(), [&](const auto& item) {
      return item.state == state_of_items;
    });
  }
  int64_t Failed() const {
    return std::count_if(items.begin(), items.end(), [](const auto& item) {
      return item.state == ModelItem::kDone && item.code != 0;
    });
  }
  void EndIfOver(int64_t now) {
    if (server::IsOver(state)) return;
    const bool is_whole =
        Count(ModelItem::kDone) == static_cast<int64_t>(items.size());
    if (!is_whole &&
        (state != JobState::kCancelling || Count(ModelItem::kLeased) > 0)) {
      return;
    }
    state = is_whole ? JobState::kSucceeded : JobState::kCancelled;
    end = std::max(create, now);
  }
  bool MayBeClaimed() const {
    return state == JobState::kPending || state == JobState::kRunning;
  }
  void Complete(const server::ItemResult& result, ModelItem* item) {
    item->state = ModelItem::kDone;
    item->code = result.code;
    item->result = result.bytes;
    if (result.is_set_aside) ++set_aside;
  }
};

inline ModelJob ModelOf(const server::NewJob& job, int64_t now) {
  ModelJob made;
  made.caller = job.caller;
  made.request_id = job.request_id;
  made.digest = job.request_digest;
  made.create = now;
  for (const server::NewItem& item : job.items) {
    made.items.push_back({.blob = item.blob});
  }
  made.EndIfOver(now);
  return made;
}

}  // namespace bvhmill::testing
