#include "tests/support/files.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bvhmill::testing {
namespace {

std::string Unquote(std::string cell) {
  if (cell.size() < 2 || cell.front() != '"' || cell.back() != '"') return cell;
  std::string out;
  for (size_t i = 1; i + 1 < cell.size(); ++i) {
    if (cell[i] == '"' && cell[i + 1] == '"') ++i;
    out += cell[i];
  }
  return out;
}

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.good()) << path;
}

std::string TestData(std::string_view name) {
  return std::string(BVHMILL_TEST_DATA) + "/" + std::string(name);
}

std::string SourceFile(std::string_view name) {
  return TestData("../..") + "/" + std::string(name);
}

std::string RealData() {
  const char* folder = getenv("BVHMILL_DATA");
  return folder == nullptr ? "" : folder;
}

TempDir::TempDir() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "bvhmill-XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::File(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> out;
  std::istringstream in{std::string(text)};
  std::string part;
  while (std::getline(in, part, separator)) out.push_back(part);
  if (!text.empty() && text.back() == separator) out.emplace_back();
  return out;
}

std::vector<std::map<std::string, std::string>> ReadTsv(
    const std::string& path) {
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string> header;
  for (std::string line : Split(ReadFile(path), '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const std::vector<std::string> cells = Split(line, '\t');
    if (header.empty()) {
      header = cells;
      continue;
    }
    std::map<std::string, std::string> row;
    for (size_t i = 0; i < header.size(); ++i) {
      row[header[i]] = i < cells.size() ? Unquote(cells[i]) : "";
    }
    rows.push_back(std::move(row));
  }
  EXPECT_FALSE(rows.empty()) << path;
  return rows;
}

std::vector<std::string> FilesIn(const std::string& folder,
                                 std::string_view extension) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  EXPECT_FALSE(out.empty()) << "no " << extension << " in " << folder;
  return out;
}

}  // namespace bvhmill::testing
