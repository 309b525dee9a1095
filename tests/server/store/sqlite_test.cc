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

TEST_F(SqliteTest, AValueWithoutAQuestionMarkIsAnError) {
  server::Statement find(database_.get(), "SELECT ?");
  find.Bind(1).Bind("two");
  EXPECT_FALSE(find.Step());
  EXPECT_TRUE(absl::IsInternal(find.status())) << find.status();
}

TEST_F(SqliteTest, AValueAfterAStepNeedsAReset) {
  server::Statement find(database_.get(), "SELECT ?");
  find.Bind(1);
  ASSERT_TRUE(find.Step());
  find.Reset();
  find.Bind("two");
  ASSERT_TRUE(find.Step());
  EXPECT_EQ(find.Text(0), "two");
  find.BindBytes("three");
  EXPECT_FALSE(find.Step());
  EXPECT_TRUE(absl::IsInternal(find.status())) << find.status();
}

TEST_F(SqliteTest, NullIsZeroAndNoText) {
  server::Statement find(database_.get(), "SELECT NULL, NULL, x'410042'");
  ASSERT_TRUE(find.Step());
  EXPECT_EQ(find.columns(), 3);
  EXPECT_EQ(find.Int(0), 0);
  EXPECT_EQ(find.Text(1), "");
  EXPECT_EQ(find.Text(2), std::string("A\0B", 3));
}

}  // namespace
}  // namespace bvhmill::testing
