#pragma once

// The places of campaigns, by the engine that has the jobs.

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "bench/support/postgres_process.h"
#include "tests/crash/crash_load.h"

namespace bvhmill::testing {

enum class Engine {
  kSqlite,
  // Points are also the effects of SQLite on its own files.
  kSqliteFiles,
  kPostgres,
};

// The engine with this name on the command line: sqlite, sqlite-files or
// postgres; none if there is none.
std::optional<Engine> EngineOfName(std::string_view name);
// Writes the name.
void PrintTo(Engine engine, std::ostream* out);

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
