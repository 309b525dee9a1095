#include "bvhmill/text/sniff.h"

#include <array>

#include "bvhmill/text/lines.h"

namespace bvhmill {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view bytes;
  ContentKind kind;
  std::string_view name;
};

// The first bytes of binary files that occur under the name .bvh, from the
// specifications of their formats.
constexpr std::array kBinary = {
    Signature{"\xFF\xFE\0\0"sv, ContentKind::kUtf16, "UTF-32 (little endian)"},
    Signature{"\0\0\xFE\xFF"sv, ContentKind::kUtf16, "UTF-32 (big endian)"},
    Signature{"\xFF\xFE"sv, ContentKind::kUtf16, "UTF-16 (little endian)"},
    Signature{"\xFE\xFF"sv, ContentKind::kUtf16, "UTF-16 (big endian)"},
    Signature{"H\0I\0E\0"sv, ContentKind::kUtf16, "UTF-16 (little endian)"},
    Signature{"\0H\0I\0E"sv, ContentKind::kUtf16, "UTF-16 (big endian)"},
    Signature{"\x1F\x8B"sv, ContentKind::kForeign, "a gzip archive"},
    Signature{"PK\x03\x04"sv, ContentKind::kForeign, "a zip archive"},
    Signature{"\x28\xB5\x2F\xFD"sv, ContentKind::kForeign, "a zstd archive"},
    Signature{"BZh"sv, ContentKind::kForeign, "a bzip2 archive"},
    Signature{"\xFD"
              "7zXZ"sv,
              ContentKind::kForeign, "an xz archive"},
    Signature{"7z\xBC\xAF\x27\x1C"sv, ContentKind::kForeign, "a 7-Zip archive"},
    Signature{"Rar!"sv, ContentKind::kForeign, "a rar archive"},
    Signature{"Kaydara FBX Binary"sv, ContentKind::kForeign, "a binary FBX"},
    Signature{"glTF"sv, ContentKind::kForeign, "a binary glTF"},
    Signature{"\x89PNG"sv, ContentKind::kForeign, "a PNG picture"},
    Signature{"%PDF"sv, ContentKind::kForeign, "a PDF document"},
    Signature{"\x7F"
              "ELF"sv,
              ContentKind::kForeign, "a program"},
    Signature{"\x01\0\0\0"sv, ContentKind::kForeign, "an .anim of Second Life"},
    Signature{"PXR-USDC"sv, ContentKind::kForeign, "a binary USD"},
    Signature{"BLENDER"sv, ContentKind::kForeign, "a Blender file"},
};

// The first words of text formats, in lower case.
constexpr std::array kText = {
    Signature{"version https://git-lfs", ContentKind::kForeign,
              "a git-lfs pointer"},
    Signature{"<!doctype", ContentKind::kForeign, "an HTML page"},
    Signature{"<html", ContentKind::kForeign, "an HTML page"},
    Signature{"<?xml", ContentKind::kForeign, "an XML document"},
    Signature{"; fbx", ContentKind::kForeign, "a text FBX"},
    Signature{"# ast/asf", ContentKind::kForeign, "an Acclaim ASF skeleton"},
    Signature{":version", ContentKind::kForeign, "an Acclaim ASF skeleton"},
    Signature{":fully-specified", ContentKind::kForeign,
              "an Acclaim AMC motion"},
    Signature{"#!ofasf", ContentKind::kForeign, "an Acclaim AMC motion"},
    Signature{"#usda", ContentKind::kForeign, "a text USD"},
    Signature{"{\"", ContentKind::kForeign, "a JSON document"},
};

bool StartsWithLower(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  for (size_t i = 0; i < lower.size(); ++i) {
    const char c = text[i];
    if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lower[i]) return false;
  }
  return true;
}

std::string_view SkipSpace(std::string_view text) {
  size_t i = 0;
  while (i < text.size() && (IsBlank(text[i]) || IsLineEnd(text[i]))) ++i;
  return text.substr(i);
}

}  // namespace

size_t ByteOrderMarkSize(std::string_view bytes) {
  return bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

Content Sniff(std::string_view bytes) {
  for (const Signature& signature : kBinary) {
    if (bytes.starts_with(signature.bytes)) {
      return {signature.kind, signature.name};
    }
  }
  const std::string_view text =
      SkipSpace(bytes.substr(ByteOrderMarkSize(bytes)));
  if (text.empty()) return {ContentKind::kEmpty, ""};
  for (const Signature& signature : kText) {
    if (StartsWithLower(text, signature.bytes)) {
      return {signature.kind, signature.name};
    }
  }
  if (text.front() == '\0') return {ContentKind::kForeign, "binary data"};
  return {};
}

}  // namespace bvhmill
