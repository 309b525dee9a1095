// A random walk of each store of jobs beside a plain model in memory. After
// each step all that the store can tell is compared with the model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <tuple>

#include "bvhmill/base/status.h"
#include "server/store/blob_store.h"
#include "tests/server/store/job_model.h"
#include "tests/server/store/store_kinds.h"

namespace bvhmill::testing {
namespace {

using server::ClaimedItem;
using server::FinishedItem;
using server::JobInfo;
using server::StoredResult;

class ModelWalk
    : public ::testing::TestWithParam<std::tuple<std::string, uint32_t>> {
 public:
  ModelWalk() : random_(std::get<1>(GetParam())) {}

  int64_t Pick(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  std::string Caller() {
    return std::string(1, static_cast<char>(Pick('a', 'c')));
  }

  // A job of the model that was or was not; its id.
  std::string AnyJob() {
    if (jobs_.empty() || Pick(0, 9) == 0) return "none";
    return std::next(jobs_.begin(),
                     Pick(0, static_cast<int64_t>(jobs_.size()) - 1))
        ->first;
  }

  void Create();
  void Cancel();
  void Delete();
  void Claim();
  bool MayClaim(const ModelItem& item, bool alone) const {
    return item.state == ModelItem::kWaits && item.MayBegin(now_) &&
           (item.crashes >= server::kAloneCrashes) == alone;
  }
  std::vector<server::Lease> Expected(const server::ClaimRules& rules);
  void Complete();
  void Release();
  void Expire();
  void Reopen();
  void Compare();
  void CompareJob(const std::string& id, const ModelJob& job);

  ModelItem* Leased(const server::Lease& lease) {
    for (auto& [id, job] : jobs_) {
      if (numbers_[id] != lease.job) continue;
      ModelItem& item = job.items[static_cast<size_t>(lease.item)];
      const bool is_his =
          item.state == ModelItem::kLeased && item.lease == lease.lease;
      return is_his ? &item : nullptr;
    }
    return nullptr;
  }
  ModelJob* JobOfLease(const server::Lease& lease) {
    for (auto& [id, job] : jobs_) {
      if (numbers_[id] == lease.job) return &job;
    }
    return nullptr;
  }

  std::minstd_rand random_;
  std::unique_ptr<StoreKind> kind_;
  std::unique_ptr<server::JobStore> store_;
  std::map<std::string, ModelJob> jobs_;
  std::map<std::string, int64_t> numbers_;
  // All claims, also those that have ended.
  std::vector<ClaimedItem> claims_;
  int64_t now_ = 1'000'000;
};

void ModelWalk::Create() {
  server::NewJob job;
  job.caller = Caller();
  job.request_id = Pick(0, 2) == 0 ? "" : "r" + std::to_string(Pick(0, 20));
  job.request_digest = "d" + std::to_string(Pick(0, 3) / 3);
  for (int64_t i = Pick(0, 6); i > 0; --i) {
    job.items.push_back({.key = std::to_string(i),
                         .blob = "b" + std::to_string(Pick(0, 9)),
                         .options = std::string(Pick(0, 3) * 50, 'o')});
  }
  JobInfo info;
  bool is_new = false;
  const absl::Status status = store_->Create(job, now_, &info, &is_new);
  for (const auto& [id, known] : jobs_) {
    if (job.request_id.empty() || known.caller != job.caller ||
        known.request_id != job.request_id) {
      continue;
    }
    EXPECT_EQ(status.ok(), known.digest == job.request_digest);
    EXPECT_EQ(info.id, id);
    EXPECT_FALSE(is_new);
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(is_new);
  jobs_[info.id] = ModelOf(job, now_);
  jobs_[info.id].number = info.number;
  numbers_[info.id] = info.number;
}

void ModelWalk::Cancel() {
  const std::string id = AnyJob();
  const std::string caller = Caller();
  JobInfo info;
  const absl::Status status = store_->Cancel(caller, id, now_, &info);
  const auto found = jobs_.find(id);
  const bool is_his = found != jobs_.end() && found->second.caller == caller;
  ASSERT_EQ(status.ok(), is_his) << status;
  if (!is_his || server::IsOver(found->second.state)) return;
  found->second.state = JobState::kCancelling;
  found->second.EndIfOver(now_);
}

void ModelWalk::Delete() {
  const std::string id = AnyJob();
  const std::string caller = Caller();
  const absl::Status status = store_->Delete(caller, id);
  const auto found = jobs_.find(id);
  const bool is_his = found != jobs_.end() && found->second.caller == caller;
  if (!is_his) {
    EXPECT_TRUE(absl::IsNotFound(status));
  } else if (!server::IsOver(found->second.state)) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status));
  } else {
    EXPECT_TRUE(status.ok());
    jobs_.erase(found);
  }
}

// The items that a claim must lease, without the number of the lease: those of
// the jobs that were served least recently, or the one with the fewest crashes.
std::vector<server::Lease> ModelWalk::Expected(
    const server::ClaimRules& rules) {
  std::vector<ModelJob*> jobs;
  int64_t last_turn = 0;
  for (auto& [id, job] : jobs_) {
    if (!server::IsOver(job.state)) last_turn = std::max(last_turn, job.served);
    if (job.MayBeClaimed()) jobs.push_back(&job);
  }
  std::sort(jobs.begin(), jobs.end(), [](const auto* a, const auto* b) {
    return std::tie(a->served, a->number) < std::tie(b->served, b->number);
  });
  // A job that was served last stays where it is, since others have no items.
  const auto serve = [&](ModelJob* job) {
    const bool is_last =
        std::all_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
          const ModelJob& other = entry.second;
          return &other == job || server::IsOver(other.state) ||
                 other.served < job->served;
        });
    if (rules.alone || job->state == JobState::kPending || !is_last) {
      job->served = ++last_turn;
    }
  };
  std::vector<std::tuple<int, int64_t, int64_t>> wanted;
  for (ModelJob* const job : jobs) {
    bool is_served = false;
    for (size_t i = 0; i < job->items.size(); ++i) {
      const ModelItem& item = job->items[i];
      if (!MayClaim(item, rules.alone)) continue;
      if (!rules.alone && static_cast<int>(wanted.size()) == rules.limit) break;
      wanted.emplace_back(rules.alone ? item.crashes : 0, job->number, i);
      is_served = !rules.alone;
    }
    if (is_served) serve(job);
  }
  if (rules.alone && !wanted.empty()) {
    wanted = {*std::min_element(wanted.begin(), wanted.end())};
    for (ModelJob* const job : jobs) {
      if (job->number == std::get<1>(wanted[0])) serve(job);
    }
  }
  std::vector<server::Lease> leases;
  for (const auto& [crashes, job, item] : wanted) leases.push_back({job, item});
  return leases;
}

void ModelWalk::Claim() {
  server::ClaimRules rules;
  rules.limit = static_cast<int>(Pick(1, 8));
  rules.now_ms = now_;
  rules.until_ms = now_ + 100;
  rules.alone = Pick(0, 3) == 0;
  const std::vector<server::Lease> expected = Expected(rules);
  std::vector<ClaimedItem> items;
  const absl::Status claimed_ok = store_->Claim(rules, &items);
  ASSERT_TRUE(claimed_ok.ok()) << claimed_ok;
  ASSERT_EQ(items.size(), expected.size());
  for (size_t i = 0; i < items.size(); ++i) {
    const ClaimedItem& claimed = items[i];
    EXPECT_EQ(claimed.lease.job, expected[i].job);
    EXPECT_EQ(claimed.lease.item, expected[i].item);
    ModelJob* const job = JobOfLease(claimed.lease);
    ASSERT_NE(job, nullptr);
    ASSERT_TRUE(job->MayBeClaimed());
    ModelItem& item = job->items[static_cast<size_t>(claimed.lease.item)];
    EXPECT_TRUE(MayClaim(item, rules.alone));
    EXPECT_EQ(claimed.caller, job->caller);
    EXPECT_EQ(claimed.item.blob, item.blob);
    EXPECT_EQ(claimed.tries, item.tries);
    EXPECT_EQ(claimed.crashes, item.crashes);
    item.state = ModelItem::kLeased;
    item.lease = claimed.lease.lease;
    job->state = JobState::kRunning;
    if (job->start == 0) job->start = now_;
    claims_.push_back(claimed);
  }
}

void ModelWalk::Complete() {
  std::vector<FinishedItem> items;
  for (int64_t i = Pick(0, 4); i > 0 && !claims_.empty(); --i) {
    const auto& claim = claims_[static_cast<size_t>(
        Pick(0, static_cast<int64_t>(claims_.size()) - 1))];
    FinishedItem& item = items.emplace_back();
    item.lease = claim.lease;
    item.result.code = static_cast<int>(Pick(0, 1)) * 3;
    item.result.bytes =
        "result " + std::to_string(now_) + "." + std::to_string(i);
    item.result.outputs = {"o" + std::to_string(Pick(0, 5))};
    item.result.is_set_aside = item.result.code != 0 && Pick(0, 1) == 0;
  }
  std::vector<bool> accepted;
  std::vector<int64_t> over;
  ASSERT_TRUE(store_->Complete(items, now_, &accepted, &over).ok());
  ASSERT_EQ(accepted.size(), items.size());
  std::set<std::string> touched;
  for (size_t i = 0; i < items.size(); ++i) {
    ModelItem* const item = Leased(items[i].lease);
    EXPECT_EQ(accepted[i], item != nullptr);
    if (item == nullptr) continue;
    JobOfLease(items[i].lease)->Complete(items[i].result, item);
  }
  for (auto& [id, job] : jobs_) job.EndIfOver(now_);
}

void ModelWalk::Release() {
  std::vector<server::FailedTry> tries;
  for (int64_t i = Pick(0, 3); i > 0 && !claims_.empty(); --i) {
    const auto& claim = claims_[static_cast<size_t>(
        Pick(0, static_cast<int64_t>(claims_.size()) - 1))];
    // Some times are those of a clock that was set back after them.
    const int64_t wait = Pick(0, 4) == 0
                             ? server::kLongestBackoffMs + Pick(-50, 50)
                             : Pick(0, 50);
    tries.push_back({claim.lease, Pick(0, 1) == 0, now_ + wait, "why"});
  }
  std::vector<int64_t> over;
  ASSERT_TRUE(store_->Release(tries, now_, &over).ok());
  for (const server::FailedTry& failed : tries) {
    ModelItem* const item = Leased(failed.lease);
    if (item == nullptr) continue;
    item->state = ModelItem::kWaits;
    item->tries += failed.counts ? 1 : 0;
    item->not_before = failed.not_before_ms;
  }
  for (auto& [id, job] : jobs_) job.EndIfOver(now_);
}

void ModelWalk::Expire() {
  const int64_t before = now_ - Pick(0, 2000);
  int64_t count = 0;
  ASSERT_TRUE(store_->Expire(before, &count).ok());
  EXPECT_EQ(count, std::erase_if(jobs_, [&](const auto& entry) {
              return server::IsOver(entry.second.state) &&
                     entry.second.end < before;
            }));
}

void ModelWalk::Reopen() {
  kind_->Open(&store_);
  for (auto& [id, job] : jobs_) {
    for (ModelItem& item : job.items) {
      if (item.state != ModelItem::kLeased) continue;
      item.state = ModelItem::kWaits;
      ++item.crashes;
    }
    // Its end is a time of the system, which the walk does not know.
    if (job.state == JobState::kCancelling) {
      JobInfo info;
      ASSERT_TRUE(store_->Get(job.caller, id, &info).ok());
      job.state = JobState::kCancelled;
      job.end = info.end_ms;
    }
  }
}

void ModelWalk::CompareJob(const std::string& id, const ModelJob& job) {
  JobInfo info;
  ASSERT_TRUE(store_->Get(job.caller, id, &info).ok());
  EXPECT_EQ(info.state, job.state);
  EXPECT_EQ(info.total, static_cast<int64_t>(job.items.size()));
  EXPECT_EQ(info.running, job.Count(ModelItem::kLeased));
  EXPECT_EQ(info.ok + info.failed, job.Count(ModelItem::kDone));
  EXPECT_EQ(info.failed, job.Failed());
  EXPECT_EQ(info.set_aside, job.set_aside);
  EXPECT_EQ(info.start_ms, job.start);
  EXPECT_EQ(info.end_ms, job.end);
  EXPECT_TRUE(absl::IsNotFound(store_->Get(job.caller + "x", id, &info)));
  // Results in pages of two.
  std::map<int64_t, std::string> results;
  for (server::ResultPage page{.limit = 2, .max_bytes = 1 << 20};;) {
    std::vector<StoredResult> some;
    const absl::Status read = store_->Results(job.caller, id, page, &some);
    ASSERT_TRUE(read.ok()) << read;
    if (some.empty()) break;
    for (const StoredResult& result : some) {
      EXPECT_GT(result.item, page.after);
      page.after = result.item;
      EXPECT_TRUE(results.emplace(result.item, result.bytes).second);
    }
  }
  for (size_t i = 0; i < job.items.size(); ++i) {
    const bool is_done = job.items[i].state == ModelItem::kDone;
    const auto found = results.find(static_cast<int64_t>(i));
    ASSERT_EQ(found != results.end(), is_done);
    if (is_done) {
      EXPECT_EQ(found->second, job.items[i].result);
    }
    const server::BlobName blobs[] = {
        {server::SpaceOf(job.caller), job.items[i].blob},
        {server::SpaceOf(job.caller), "no such blob"}};
    std::vector<bool> named;
    ASSERT_TRUE(store_->FindNamed(blobs, &named).ok());
    EXPECT_THAT(named, ::testing::ElementsAre(true, false));
  }
}

void ModelWalk::Compare() {
  for (const auto& [id, job] : jobs_) CompareJob(id, job);
  for (const std::string caller : {"a", "b", "c"}) {
    std::vector<JobInfo> jobs;
    for (server::JobPage page{.caller = caller, .limit = 3};;) {
      std::vector<JobInfo> some;
      bool has_more = false;
      ASSERT_TRUE(store_->List(page, &some, &has_more).ok());
      jobs.insert(jobs.end(), some.begin(), some.end());
      if (!has_more) break;
      page.before = some.back().number;
    }
    size_t known = 0;
    for (const auto& [id, job] : jobs_) known += job.caller == caller ? 1 : 0;
    EXPECT_EQ(jobs.size(), known);
    EXPECT_TRUE(std::is_sorted(
        jobs.begin(), jobs.end(),
        [](const auto& a, const auto& b) { return a.number > b.number; }));
  }
  server::JobStats stats;
  ASSERT_TRUE(store_->Stats(&stats).ok());
  int64_t open = 0;
  for (const auto& [id, job] : jobs_) open += server::IsOver(job.state) ? 0 : 1;
  EXPECT_EQ(stats.jobs, open);
}

TEST_P(ModelWalk, IsThatOfTheModel) {
  const auto& [kind, seed] = GetParam();
  std::string why;
  kind_ = MakeKind(kind, "model_" + std::to_string(seed), &why);
  if (kind_ == nullptr) GTEST_SKIP() << why;
  kind_->Open(&store_);
  constexpr int kSteps = 400;
  using Step = void (ModelWalk::*)();
  const std::vector<Step> steps = {
      &ModelWalk::Create,   &ModelWalk::Create,   &ModelWalk::Cancel,
      &ModelWalk::Delete,   &ModelWalk::Claim,    &ModelWalk::Claim,
      &ModelWalk::Complete, &ModelWalk::Complete, &ModelWalk::Release,
      &ModelWalk::Expire,   &ModelWalk::Reopen};
  for (int i = 0; i < kSteps && !HasFailure(); ++i) {
    // Clocks jump, too.
    now_ += Pick(0, 30) == 0 ? Pick(-3000, 3000) : Pick(0, 40);
    (this->*steps[static_cast<size_t>(
                Pick(0, static_cast<int64_t>(steps.size()) - 1))])();
    Compare();
    if (HasFailure()) ADD_FAILURE() << "in step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sqlite, ModelWalk,
                         ::testing::Combine(::testing::Values("sqlite"),
                                            ::testing::Values(1, 2, 3, 4)));
INSTANTIATE_TEST_SUITE_P(Postgres, ModelWalk,
                         ::testing::Combine(::testing::Values("postgres"),
                                            ::testing::Values(1, 2)));

}  // namespace
}  // namespace bvhmill::testing
