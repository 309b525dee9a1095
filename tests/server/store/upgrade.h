#pragma once

// Upgrades of stored databases: a job of four items, of which one is done, one
// is leased by a server that is gone, and two wait; one of these has failed
// once.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "server/store/fault_points.h"
#include "server/store/job_store.h"
#include "tests/server/store/row_bytes.h"

namespace bvhmill::testing {

// A step that no server has: it changes rows, tables and indexes. Both engines
// read it.
inline constexpr std::string_view kLaterStep =
    "ALTER TABLE item ADD COLUMN note TEXT NOT NULL DEFAULT 'none';"
    "UPDATE item SET note = 'item ' || number;"
    "CREATE TABLE extra (job BIGINT NOT NULL);"
    "INSERT INTO extra SELECT number FROM job;"
    "DROP INDEX item_blob;";
// A step that cannot be done: its last part fails.
inline constexpr std::string_view kBrokenStep =
    "ALTER TABLE item ADD COLUMN broken TEXT NOT NULL DEFAULT '';"
    "UPDATE item SET broken = 'x';"
    "INSERT INTO no_such_table VALUES (1);";

// A stored database of one engine.
class OldDatabase {
 public:
  virtual ~OldDatabase() = default;
  // Removes what is there, and loads the stored database.
  virtual void Load() = 0;
  // Brings it to the steps of the server and, after them, `later`.
  virtual absl::Status Upgrade(const std::vector<std::string_view>& later) = 0;
  // Steps that it has.
  virtual int64_t Steps() = 0;
  // Rows of a query, a line each, with columns separated by |.
  virtual std::string Query(const std::string& sql) = 0;
};

// The rows of every server, whichever steps it knows.
inline std::string RowsOf(OldDatabase* database) {
  return database->Query(
             "SELECT number, id, caller, state, total FROM job ORDER BY 1") +
         database->Query(
             "SELECT job, number, blob, state, tries FROM item ORDER BY 1, "
             "2") +
         database->Query("SELECT job, item, code, blob FROM result") +
         database->Query("SELECT job, item, position, blob FROM output");
}

// The bytes of the stored job, whose rows no server has counted: a job, four
// items, a result and an output.
inline void ExpectOldBytes(server::JobStore* store) {
  const std::string texts =
      "an old job"
      "options"
      "r1"
      "done.bvh"
      "leased.bvh"
      "waits.bvh"
      "own"
      "failed.bvh"
      "an old result";
  EXPECT_EQ(RowBytesOfCaller(store, "caller"),
            7 * server::kRowBytes + static_cast<int64_t>(texts.size()));
}

// The stored job is done, and its old result is kept.
inline void ExpectOldJobIsDone(server::JobStore* store) {
  server::JobInfo info;
  ASSERT_TRUE(store->Get("caller", "oldjob", &info).ok());
  EXPECT_EQ(info.state, server::JobState::kSucceeded);
  EXPECT_EQ(info.display_name, "an old job");
  EXPECT_EQ(info.ok, 4);
  std::vector<server::StoredResult> results;
  const server::ResultPage page = {.limit = 10, .max_bytes = 1 << 20};
  ASSERT_TRUE(store->Results("caller", "oldjob", page, &results).ok());
  ASSERT_EQ(results.size(), 4U);
  EXPECT_EQ(results[0].bytes, "an old result");
}

// A process upgrades the database with `later`, and is killed at a point.
// False if it ended before it reached the point.
inline bool KillUpgrade(OldDatabase* database,
                        const std::vector<std::string_view>& later,
                        const server::FaultPlan& plan) {
  const pid_t child = fork();
  if (child == 0) {
    server::FaultPoints::Arm(plan);
    _exit(database->Upgrade(later).ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

// A database that was upgraded in part or in whole has its rows, and each step
// is done or not begun.
inline void ExpectWhole(OldDatabase* database, int64_t all_steps,
                        const std::string& rows) {
  EXPECT_EQ(RowsOf(database), rows);
  const std::string notes = database->Query("SELECT note FROM item");
  const bool has_step = notes.find("item 0\n") != std::string::npos;
  EXPECT_EQ(has_step, database->Steps() == all_steps);
}

inline void ExpectUpgraded(OldDatabase* database, int64_t all_steps,
                           const std::string& rows) {
  ExpectWhole(database, all_steps, rows);
  EXPECT_EQ(database->Steps(), all_steps);
  EXPECT_EQ(database->Query("SELECT note FROM item ORDER BY number"),
            "item 0\nitem 1\nitem 2\nitem 3\n");
  EXPECT_EQ(database->Query("SELECT job FROM extra"), "1\n");
}

// Kills an upgrade at each point in turn, then lets it end.
inline void ExpectEachKillLeavesAWholeDatabase(OldDatabase* database,
                                               int64_t all_steps) {
  int64_t kills = 0;
  for (const server::Fault fault :
       {server::Fault::kKill, server::Fault::kKillWithinWrite}) {
    bool was_killed = true;
    for (int64_t at = 1; was_killed; ++at) {
      database->Load();
      const std::string rows = RowsOf(database);
      was_killed = KillUpgrade(database, {kLaterStep}, {at, fault});
      kills += was_killed ? 1 : 0;
      ExpectWhole(database, all_steps, rows);
      const absl::Status again = database->Upgrade({kLaterStep});
      EXPECT_TRUE(again.ok()) << again;
      ExpectUpgraded(database, all_steps, rows);
      if (::testing::Test::HasFailure()) {
        ADD_FAILURE() << "killed at point " << at;
        return;
      }
    }
  }
  EXPECT_GE(kills, 10);
}

// A step that fails, or a disk that is full, changes nothing.
inline void ExpectAFailureChangesNothing(OldDatabase* database) {
  database->Load();
  const std::string rows = RowsOf(database);
  const int64_t steps = database->Steps();
  EXPECT_TRUE(absl::IsInternal(database->Upgrade({kBrokenStep})));
  EXPECT_EQ(RowsOf(database), rows);
  EXPECT_EQ(database->Query("SELECT broken FROM item").find("x\n"),
            std::string::npos);
  EXPECT_LE(steps, database->Steps());
}

}  // namespace bvhmill::testing
