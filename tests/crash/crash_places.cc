#include "tests/crash/crash_places.h"

#include <filesystem>
#include <utility>

#include "server/store/postgres/open_postgres.h"
#include "tests/crash/sqlite_faults.h"

namespace bvhmill::testing {
namespace {

constexpr char kDatabase[] = "crash";

constexpr std::pair<std::string_view, Engine> kEngines[] = {
    {"sqlite", Engine::kSqlite},
    {"sqlite-files", Engine::kSqliteFiles},
    {"postgres", Engine::kPostgres}};

}  // namespace

std::optional<Engine> EngineOfName(std::string_view name) {
  for (const auto& [engine_name, engine] : kEngines) {
    if (engine_name == name) return engine;
  }
  return std::nullopt;
}

void PrintTo(Engine engine, std::ostream* out) {
  for (const auto& [name, named] : kEngines) {
    if (named == engine) *out << name;
  }
}

EngineCampaign::EngineCampaign(Engine engine, std::string scratch,
                               std::string* why)
    : engine_(engine), scratch_(std::move(scratch)) {
  why->clear();
  campaign_.place.folder = scratch_ + "/data";
  campaign_.empty = [folder = campaign_.place.folder] {
    std::filesystem::remove_all(folder);
  };
  std::filesystem::remove_all(scratch_);
  std::filesystem::create_directories(scratch_);
  if (engine_ == Engine::kSqliteFiles) NumberFilesOfSqlite(true);
  if (engine_ == Engine::kPostgres) StartPostgres(why);
}

EngineCampaign::~EngineCampaign() {
  if (engine_ == Engine::kSqliteFiles) NumberFilesOfSqlite(false);
  std::filesystem::remove_all(scratch_);
}

// The database survives its clients, which are what is killed: it need not wait
// for the disk.
void EngineCampaign::StartPostgres(std::string* why) {
  if (!server::HasPostgres()) {
    *why = "the program was built without PostgreSQL";
    return;
  }
  postgres_ = bench::PostgresProcess::Start(/*durable=*/false, why);
  if (postgres_ == nullptr) return;
  campaign_.place.database = postgres_->NewDatabase(kDatabase);
  campaign_.empty = [this] {
    std::filesystem::remove_all(campaign_.place.folder);
    postgres_->RunSql(kDatabase, "DROP SCHEMA IF EXISTS bvhmill CASCADE");
  };
}

}  // namespace bvhmill::testing
