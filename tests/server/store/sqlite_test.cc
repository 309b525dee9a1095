// Statements of the embedded database.

#include "server/store/sqlite/sqlite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

namespace bvhmill::testing {
namespace {

class SqliteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    ASSERT_TRUE(server::Database::Open(folder_ + "/jobs.db", &database_).ok());
  }
  ~SqliteTest() override {
    database_ = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string folder_ =
      ::testing::TempDir() + "sqlite-" + std::to_string(getpid());
  std::unique_ptr<server::Database> database_;
};

TEST_F(SqliteTest, AStatementThatCannotBePreparedSaysWhy) {
  server::Statement find(database_.get(), "SELECT text FROM nowhere");
  EXPECT_THAT(std::string(find.status().message()),
              ::testing::HasSubstr("no such table: nowhere"));
  find.Bind(1);
  EXPECT_FALSE(find.Step());
  EXPECT_THAT(std::string(find.Run().message()),
              ::testing::HasSubstr("no such table: nowhere"));
}

}  // namespace
}  // namespace bvhmill::testing
