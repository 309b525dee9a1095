#include "server/store/s3/s3_xml.h"

#include <cstdio>
#include <ctime>
#include <pugixml.hpp>
#include <sstream>

namespace bvhmill::server {
namespace {

// The outermost element; empty if the text is no XML.
pugi::xml_node Parse(const std::string& xml, pugi::xml_document* document) {
  const auto parsed = document->load_buffer(xml.data(), xml.size());
  return parsed ? document->document_element() : pugi::xml_node();
}

bool IsNamed(const pugi::xml_node& node, const std::string& name) {
  return node.name() == name;
}

}  // namespace

std::string ErrorCodeIn(const std::string& xml) {
  pugi::xml_document document;
  const pugi::xml_node root = Parse(xml, &document);
  return IsNamed(root, "Error") ? root.child_value("Code") : "";
}

std::string FieldIn(const std::string& xml, const char* name) {
  pugi::xml_document document;
  return Parse(xml, &document).child_value(name);
}

bool ReadObjectPage(const std::string& xml, S3ObjectPage* page) {
  *page = {};
  pugi::xml_document document;
  const pugi::xml_node root = Parse(xml, &document);
  if (!IsNamed(root, "ListBucketResult")) return false;
  for (const pugi::xml_node& entry : root.children("Contents")) {
    S3Object& object = page->objects.emplace_back();
    object.key = entry.child_value("Key");
    object.size = entry.child("Size").text().as_llong();
    object.modified_ms = TimeOf(entry.child_value("LastModified"));
  }
  if (root.child("IsTruncated").text().as_bool()) {
    page->next = root.child_value("NextContinuationToken");
  }
  return true;
}

bool ReadUploadPage(const std::string& xml, S3UploadPage* page) {
  *page = {};
  pugi::xml_document document;
  const pugi::xml_node root = Parse(xml, &document);
  if (!IsNamed(root, "ListMultipartUploadsResult")) return false;
  for (const pugi::xml_node& entry : root.children("Upload")) {
    S3RunningUpload& upload = page->uploads.emplace_back();
    upload.key = entry.child_value("Key");
    upload.id = entry.child_value("UploadId");
    upload.begun_ms = TimeOf(entry.child_value("Initiated"));
  }
  if (root.child("IsTruncated").text().as_bool()) {
    page->next_key = root.child_value("NextKeyMarker");
    page->next_id = root.child_value("NextUploadIdMarker");
  }
  return true;
}

std::string CompletionOf(const std::vector<std::string>& tags) {
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("CompleteMultipartUpload");
  int number = 0;
  for (const std::string& tag : tags) {
    pugi::xml_node part = root.append_child("Part");
    part.append_child("PartNumber").text() = ++number;
    part.append_child("ETag").text() = tag.c_str();
  }
  std::ostringstream text;
  document.save(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

int64_t TimeOf(const std::string& text) {
  std::tm time = {};
  int milliseconds = 0;
  const int read = std::sscanf(
      text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &time.tm_year, &time.tm_mon,
      &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &milliseconds);
  constexpr int kWithoutFraction = 6;
  if (read < kWithoutFraction) return 0;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return int64_t{timegm(&time)} * 1000 + milliseconds;
}

}  // namespace bvhmill::server
