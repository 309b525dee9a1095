#pragma once

// Files and folders of tests.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {

// The bytes of `path`. A missing file fails the test and gives "".
std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, std::string_view bytes);

// The folder tests/data of the source tree.
std::string TestData(std::string_view name);

// A file or folder of the source tree, e.g. "docs/issues.md".
std::string SourceFile(std::string_view name);

// The folder of real files that BVHMILL_DATA points at, or "". Suites over it
// say aloud that they are skipped.
std::string RealData();

// A fresh folder, removed when the object goes.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string File(std::string_view name) const;

 private:
  std::string path_;
};

// A table with a header line and tab-separated cells; quotes around a cell and
// doubled quotes in it are undone. One map per line. A table without lines
// fails the test.
std::vector<std::map<std::string, std::string>> ReadTsv(
    const std::string& path);

// The parts of `text` between `separator`s; none for an empty text.
std::vector<std::string> Split(std::string_view text, char separator);

// Paths of the files in `folder` that end in `extension`, sorted. A folder
// without such files fails the test.
std::vector<std::string> FilesIn(const std::string& folder,
                                 std::string_view extension);

}  // namespace bvhmill::testing
