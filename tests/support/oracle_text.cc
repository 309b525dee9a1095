#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "tests/support/oracle.h"

namespace bvhmill::testing {
namespace {

std::string Lower(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return word;
}

// "xposition" -> 'X', "xrotation" -> 'x', "xscale" -> 'i'.
char LetterOf(const std::string& channel) {
  const std::string word = Lower(channel);
  const int axis = word.at(0) - 'x';
  if (word.ends_with("position")) return "XYZ"[axis];
  if (word.ends_with("rotation")) return "xyz"[axis];
  return "ijk"[axis];
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : in_(Prepared(text)) {}

  OracleClip Read() {
    std::string word;
    while (in_ >> word && Lower(word) != "motion") ReadHierarchyWord(word);
    ReadMotion();
    return std::move(clip_);
  }

 private:
  // Braces as words, and no comments.
  static std::string Prepared(std::string_view text) {
    std::string out;
    bool line_is_fresh = true;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (line_is_fresh && (c == '#' || text.substr(i, 2) == "//")) {
        i = std::min(text.find('\n', i), text.size() - 1);
      } else if (c == '\n' || c == '\r') {
        out += '\n';
        line_is_fresh = true;
      } else {
        if (c != ' ' && c != '\t') line_is_fresh = false;
        if (c == '{' || c == '}') out += ' ';
        out += c;
        if (c == '{' || c == '}') out += ' ';
      }
    }
    return out.starts_with("\xEF\xBB\xBF") ? out.substr(3) : out;
  }

  void ReadHierarchyWord(const std::string& word) {
    const std::string lower = Lower(word);
    if (lower == "root" || lower == "joint" || lower == "end") {
      OracleNode node;
      node.parent = open_.empty() ? -1 : open_.back();
      node.end_site = lower == "end";
      clip_.nodes.push_back(node);
      in_.ignore(1 << 20, '{');
      open_.push_back(static_cast<int>(clip_.nodes.size()) - 1);
    } else if (lower == "}") {
      ASSERT_FALSE(open_.empty());
      open_.pop_back();
    } else if (lower == "offset") {
      for (double& value : clip_.nodes[open_.back()].offset) value = Float();
    } else if (lower == "channels") {
      ReadChannels();
    } else {
      ASSERT_EQ(lower, "hierarchy");
    }
  }

  void ReadChannels() {
    int count = 0;
    in_ >> count;
    clip_.nodes[open_.back()].first_column = clip_.columns;
    for (int i = 0; i < count; ++i) {
      clip_.nodes[open_.back()].channels += LetterOf(Word());
    }
    clip_.columns += static_cast<size_t>(count);
  }

  void ReadMotion() {
    in_.ignore(1 << 20, ':');
    const auto declared = static_cast<size_t>(std::stoull(Word()));
    in_.ignore(1 << 20, ':');
    Word();
    std::string word;
    while (clip_.values.size() < declared * clip_.columns && in_ >> word) {
      clip_.values.push_back(
          static_cast<float>(std::strtod(word.c_str(), nullptr)));
    }
    clip_.frames =
        clip_.columns == 0 ? declared : clip_.values.size() / clip_.columns;
  }

  std::string Word() {
    std::string word;
    in_ >> word;
    return word;
  }
  float Float() {
    return static_cast<float>(std::strtod(Word().c_str(), nullptr));
  }

  std::istringstream in_;
  OracleClip clip_;
  std::vector<int> open_;
};

}  // namespace

OracleClip ReadForOracle(std::string_view text) {
  return Tokenizer(text).Read();
}

}  // namespace bvhmill::testing
