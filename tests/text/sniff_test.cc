#include "bvhmill/text/sniff.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bvhmill::testing {
namespace {

using std::string_view_literals::operator""sv;

struct SniffCase {
  std::string_view what;
  std::string_view bytes;
  ContentKind kind;
};

constexpr SniffCase kSniffCases[] = {
    {"BVH", "HIERARCHY\nROOT Hips\n", ContentKind::kText},
    {"BVH after blank lines", "\r\n\t HIERARCHY", ContentKind::kText},
    {"BVH after a byte order mark", "\xEF\xBB\xBFHIERARCHY",
     ContentKind::kText},
    {"BVH without its keyword", "ROOT Hips\n{", ContentKind::kText},
    {"a word", "hello", ContentKind::kText},
    {"a row", "1 2 3", ContentKind::kText},
    {"nothing", "", ContentKind::kEmpty},
    {"blanks", " \t\r\n\v\f\n ", ContentKind::kEmpty},
    {"a mark alone", "\xEF\xBB\xBF", ContentKind::kEmpty},
    {"UTF-16 LE", "\xFF\xFEH\0I\0"sv, ContentKind::kUtf16},
    {"UTF-16 BE", "\xFE\xFF\0H\0I"sv, ContentKind::kUtf16},
    {"UTF-16 LE without a mark", "H\0I\0E\0R\0"sv, ContentKind::kUtf16},
    {"gzip", "\x1F\x8B\x08\0\0\0"sv, ContentKind::kForeign},
    {"zip", "PK\x03\x04\x14\0"sv, ContentKind::kForeign},
    {"FBX", "Kaydara FBX Binary  \0\x1A\0"sv, ContentKind::kForeign},
    {"git-lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:0",
     ContentKind::kForeign},
    {"HTML", "<!DOCTYPE html>\n<html>", ContentKind::kForeign},
    {"HTML in lower case", "\n<html><head>", ContentKind::kForeign},
    {"PNG", "\x89PNG\r\n\x1A\n", ContentKind::kForeign},
    {"glTF", "glTF\x02\0\0\0"sv, ContentKind::kForeign},
    {"JSON", "{\"asset\": {}}", ContentKind::kForeign},
};

TEST(Sniff, Table) {
  for (const auto& [what, bytes, kind] : kSniffCases) {
    const Content content = Sniff(bytes);
    EXPECT_EQ(content.kind, kind) << what;
    const bool named =
        kind == ContentKind::kUtf16 || kind == ContentKind::kForeign;
    EXPECT_EQ(!content.name.empty(), named) << what << ": " << content.name;
  }
}

// By the first bytes that the specification of each has.
TEST(Sniff, NamesWhatItIsInstead) {
  const struct {
    std::string_view bytes;
    std::string_view name;
  } kCases[] = {
      {"\xFF\xFEH\0"sv, "UTF-16 (little endian)"},
      {"\xFE\xFF\0H"sv, "UTF-16 (big endian)"},
      {"H\0I\0E\0"sv, "UTF-16 (little endian)"},
      {"\0H\0I\0E"sv, "UTF-16 (big endian)"},
      {"\xFF\xFE\0\0H\0\0\0"sv, "UTF-32 (little endian)"},
      {"\0\0\xFE\xFF\0\0\0H"sv, "UTF-32 (big endian)"},
      {"\x1F\x8B\x08\0"sv, "a gzip archive"},
      {"PK\x03\x04", "a zip archive"},
      {"\x28\xB5\x2F\xFD\x04", "a zstd archive"},
      {"BZh91AY&SY", "a bzip2 archive"},
      {"\xFD"
       "7zXZ\0"sv,
       "an xz archive"},
      {"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"},
      {"Rar!\x1A\x07", "a rar archive"},
      {"Kaydara FBX Binary  ", "a binary FBX"},
      {"glTF\x02", "a binary glTF"},
      {"\x89PNG\r\n", "a PNG picture"},
      {"%PDF-1.7", "a PDF document"},
      {"\x7F"
       "ELF\x02",
       "a program"},
      {"\x01\0\0\0\x04"sv, "an .anim of Second Life"},
      {"PXR-USDC", "a binary USD"},
      {"BLENDER-v300", "a Blender file"},
      {"version https://git-lfs.github.com", "a git-lfs pointer"},
      {"<!DOCTYPE html>", "an HTML page"},
      {"<HTML>", "an HTML page"},
      {"<?xml version=\"1.0\"?>", "an XML document"},
      {"; FBX 7.4.0 project file", "a text FBX"},
      {"# AST/ASF file generated", "an Acclaim ASF skeleton"},
      {":version 1.10", "an Acclaim ASF skeleton"},
      {":FULLY-SPECIFIED", "an Acclaim AMC motion"},
      {"#!OFASF SkeletonFile.ASF", "an Acclaim AMC motion"},
      {"#usda 1.0", "a text USD"},
      {"{\"asset\": {}}", "a JSON document"},
      {"\0\x01\x02"sv, "binary data"},
  };
  for (const auto& [bytes, name] : kCases) {
    EXPECT_EQ(Sniff(bytes).name, name);
  }
}

// Blocks of the exact size, so that sanitizers see a read beyond the end.
TEST(Sniff, PrefixesAreReadToTheirEndOnly) {
  for (const auto& [what, bytes, kind] : kSniffCases) {
    for (size_t size = 1; size <= bytes.size(); ++size) {
      const std::vector<char> exact(bytes.begin(), bytes.begin() + size);
      const std::string_view prefix(exact.data(), size);
      const Content content = Sniff(prefix);
      EXPECT_EQ(content.kind == ContentKind::kText ||
                    content.kind == ContentKind::kEmpty,
                content.name.empty())
          << what << " cut to " << size;
      EXPECT_LE(ByteOrderMarkSize(prefix), size) << what;
    }
  }
}

TEST(ByteOrderMarkSize, IsThreeForUtf8Only) {
  EXPECT_EQ(ByteOrderMarkSize("\xEF\xBB\xBF"), 3);
  EXPECT_EQ(ByteOrderMarkSize("\xEF\xBB\xBFx"), 3);
  EXPECT_EQ(ByteOrderMarkSize(""), 0);
  EXPECT_EQ(ByteOrderMarkSize("\xEF\xBB"), 0);
  EXPECT_EQ(ByteOrderMarkSize("\xFF\xFE"), 0);
  EXPECT_EQ(ByteOrderMarkSize("x\xEF\xBB\xBF"), 0);
}

}  // namespace
}  // namespace bvhmill::testing
