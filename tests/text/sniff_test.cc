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
    {"BVH behind blank lines", "\r\n\t HIERARCHY", ContentKind::kText},
    {"BVH behind a mark", "\xEF\xBB\xBFHIERARCHY", ContentKind::kText},
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

TEST(Sniff, NamesTheEncoding) {
  EXPECT_EQ(Sniff("\xFF\xFEH\0"sv).name, "UTF-16 (little endian)");
  EXPECT_EQ(Sniff("\xFE\xFF\0H"sv).name, "UTF-16 (big endian)");
  EXPECT_EQ(Sniff("\x1F\x8B\x08\0"sv).name, "a gzip archive");
}

// Blocks of the exact size, so that sanitizers see a read behind the end.
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
