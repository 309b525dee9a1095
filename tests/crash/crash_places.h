#pragma once

// The places of campaigns, by the engine that has the jobs.

#include <memory>
#include <string>

#include "bench/support/postgres_process.h"
#include "tests/crash/crash_load.h"

namespace bvhmill::testing {

enum class Engine {
  kSqlite,
  // Points are also the effects of SQLite on its own files.
  kSqliteFiles,
  kPostgres,
};

// A campaign below the folder `scratch`, which is removed at the end, with what
// its engine needs.
class EngineCampaign {
 public:
  // `why` is set if the engine cannot be used here.
  EngineCampaign(Engine engine, std::string scratch, std::string* why);
  ~EngineCampaign();
  EngineCampaign(const EngineCampaign&) = delete;
  EngineCampaign& operator=(const EngineCampaign&) = delete;

  Campaign& campaign() { return campaign_; }

 private:
  void StartPostgres(std::string* why);

  const Engine engine_;
  const std::string scratch_;
  std::unique_ptr<bench::PostgresProcess> postgres_;
  Campaign campaign_;
};

}  // namespace bvhmill::testing
