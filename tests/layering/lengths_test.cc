// The lengths of files, functions and folders, held against every file; and
// the check itself, on texts that are in no file.

#include "tests/layering/lengths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/layering/tree.h"
#include "tests/support/files.h"

namespace bvhmill::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Lines(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "\n";
  return text;
}

class Lengths : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Layering, Lengths,
                         ::testing::Values("lib", "server", "client", "bench",
                                           "tests"));

TEST_P(Lengths, OfFilesAndFunctionsAreWithinTheirLimits) {
  const std::vector<std::string> sources = SourcesIn(GetParam());
  ASSERT_FALSE(sources.empty());
  for (const std::string& path : sources) {
    EXPECT_THAT(CheckLengths(path, ReadFile(SourceFile(path))), IsEmpty());
  }
}

TEST_P(Lengths, OfFoldersAreWithinTheirLimits) {
  EXPECT_THAT(CheckFolders(SourcesIn(GetParam())), IsEmpty());
}

TEST(LongFilesTable, NamesLongFilesOnly) {
  for (const LongFile& file : LongFiles()) {
    EXPECT_GT(LinesIn(ReadFile(SourceFile(file.path))), kMaxFileLines)
        << file.path << " needs no row";
    EXPECT_FALSE(file.reason.empty()) << file.path;
  }
}

TEST(CheckerOfLengths, RefusesAFileOf601Lines) {
  EXPECT_THAT(CheckLengths("lib/a.cc", Lines(600)), IsEmpty());
  EXPECT_THAT(CheckLengths("lib/a.cc", Lines(600) + "int a;"),
              ElementsAre("lib/a.cc:1: a file of 601 lines, more than 600"));
}

TEST(CheckerOfLengths, RefusesAFunctionOf61Lines) {
  const std::string begin = "// A comment.\nint F() {";
  EXPECT_THAT(CheckLengths("a.cc", begin + Lines(59) + "}\n"), IsEmpty());
  EXPECT_THAT(CheckLengths("a.cc", begin + Lines(60) + "}\n"),
              ElementsAre("a.cc:2: a function of 61 lines, more than 60"));
}

TEST(CheckerOfLengths, RefusesAFolderOf21Units) {
  std::vector<std::string> paths = {"lib/a/b/0.cc", "lib/a/0.h"};
  for (int i = 0; i < 20; ++i) {
    paths.push_back("lib/a/" + std::to_string(i) + ".cc");
  }
  EXPECT_THAT(CheckFolders(paths), IsEmpty());
  paths.emplace_back("lib/a/20.cc");
  EXPECT_THAT(CheckFolders(paths),
              ElementsAre("lib/a: 21 units, more than 20"));
}

struct FakeText {
  const char* text;
  // The lengths of its functions.
  std::vector<size_t> lines;
};

void PrintTo(const FakeText& fake, std::ostream* out) { *out << fake.text; }

class FunctionsInText : public ::testing::TestWithParam<FakeText> {};

const FakeText kFakeTexts[] = {
    {"int F() { return 1; }\n", {1}},
    {"int F(\n    int a) {\n  return a;\n}\n", {4}},
    {"namespace a {\nvoid F() {\n}\n}  // namespace a\n", {2}},
    {"class A : public B {\n public:\n  A() {}\n  int a;\n};\n", {1}},
    {"class A {\n  A() : a_{1}, b_(2) {\n  }\n  void F() const {\n  }\n};\n",
     {2, 2}},
    {"template <typename T>\nstruct A {\n  T t = {};\n};\n", {}},
    {"template <typename T = int>\nT F(T t) {\n  return t;\n}\n", {4}},
    {"const int kA[] = {\n    F(1),\n    2};\n", {}},
    {"const auto kF = [](int a) {\n  return a;\n};\n", {}},
    {"void F(A a = {}, int b = 1) {\n}\n", {2}},
    {"bool operator==(A a, A b) {\n}\n", {2}},
    {"A::B F() {\n  if (a) {\n  }\n  G([] {\n  });\n}\n", {6}},
    {"auto F() -> A::B {\n}\n", {2}},
    {"void F();\nvoid G() {\n}\n", {2}},
    {"INSTANTIATE(A, B{1}, C(D{2}));\nTEST(A, B) {\n}\n", {2}},
    {"#define F(a) \\\n  void a() {\nvoid G() {\n}\n", {2}},
    {"enum class A : int {\n  kB,\n};\nextern \"C\" {\nint F() {\n}\n}\n", {2}},
    {"extern \"C\" int F() {\n  if (a) {\n  }\n}\n", {4}},
    {"extern \"C\" struct A {\n  void F() {\n  }\n};\n", {2}},
    {"struct A* F() {\n  if (a) {\n  }\n}\n", {4}},
    {"enum A F() {\n  if (a) {\n  }\n}\n", {4}},
    {"class A {\n  classify() {\n    if (a) {\n    }\n  }\n};\n", {4}},
    {"namespaces F() {\n  if (a) {\n  }\n}\n", {4}},
    {"struct alignas(64) A {\n  void F() {\n  }\n};\n", {2}},
    {"void F() {\n  const char* a = \"}\";  // }\n}\n", {3}},
    {"void F() {\n  for (int i = 0; i < 1; ++i) {\n  }\n}\n", {4}},
};

INSTANTIATE_TEST_SUITE_P(Texts, FunctionsInText,
                         ::testing::ValuesIn(kFakeTexts));

TEST_P(FunctionsInText, AreFound) {
  std::vector<size_t> lines;
  for (const FunctionLines& function : FunctionsIn(GetParam().text)) {
    lines.push_back(function.count);
  }
  EXPECT_EQ(lines, GetParam().lines);
}

// A scanner that loses its place finds few functions.
TEST(FunctionsInTree, AreFound) {
  size_t functions = 0;
  for (const std::string& path : SourcesIn("lib")) {
    functions += FunctionsIn(ReadFile(SourceFile(path))).size();
  }
  EXPECT_GT(functions, 1500U);
}

}  // namespace
}  // namespace bvhmill::testing
