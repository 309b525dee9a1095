#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/status.h"
#include "bvhmill/settings/settings.h"

namespace bvhmill::testing {
namespace {

const std::vector<std::string_view> kKnown = {"listen", "token-file", "emit"};

// "LINE SECTION.NAME=VALUE|VALUE; " for each setting, or the error.
std::string Read(const std::string& text) {
  const auto settings = ParseSettings("conf", text, kKnown);
  if (!settings.ok()) return std::string(MessageOf(settings.status()));
  std::string out;
  for (const Setting& setting : *settings) {
    out += std::to_string(setting.line) + " " + setting.section + ".";
    out += setting.name + "=";
    for (const std::string& value : setting.values) out += value + "|";
    out += "; ";
  }
  return out;
}

TEST(SettingsText, LinesAreNamesAndValues) {
  const std::pair<std::string, std::string> cases[] = {
      {"a = 1", "1 .a=1|; "},
      {"a=1\n\n  b\t=\t2\r\n", "1 .a=1|; 3 .b=2|; "},
      {"# only a comment\n", ""},
      {"a = 1 # comment\n#b = 2", "1 .a=1|; "},
      {"a = take#1", "1 .a=take#1|; "},
      {"a = 'take #1' # c", "1 .a=take #1|; "},
      {"a = \" it's \"", "1 .a= it's |; "},
      {"a = \"\"", "1 .a=|; "},
      {"a = one two, three", "1 .a=one two, three|; "},
      {"a = x = y", "1 .a=x = y|; "},
      {"a = [b, 'c,d', \"]\"]", "1 .a=b|c,d|]|; "},
      {"a = [\n  b, # first\n\n  c,\n]\nd = e", "1 .a=b|c|; 6 .d=e|; "},
      {"[s]\na = 1\n[t.u] # c\nb.c = 2",
       "1 s.=; 2 s.a=1|; 3 t.u.=; "
       "4 t.u.b.c=2|; "},
      {"a.b.c = 1", "1 a.b.c=1|; "},
      {"\xEF\xBB\xBF"
       "a = \xC3\xA4",
       "1 .a=\xC3\xA4|; "},
      {"a = 1\n[s]\na = 2", "1 .a=1|; 2 s.=; 3 s.a=2|; "}};
  for (const auto& [text, settings] : cases) {
    EXPECT_EQ(Read(text), settings) << text;
  }
}

TEST(SettingsText, ALineThatSetsNothingIsAnError) {
  const std::string no_line = "is not NAME = VALUE";
  const std::pair<std::string, std::string> cases[] = {
      {"", "conf is empty"},
      {" \n\r\n\t", "conf is empty"},
      {"a = 1\nx", "conf:2: " + no_line},
      {"listen: 127.0.0.1:1",
       "conf:1: " + no_line + "; did you mean 'listen = ...'?"},
      {"{\"token_file\": \"tokens\"}",
       "conf:1: " + no_line + "; did you mean 'token-file = ...'?"},
      {"\"listen\" = 1",
       "conf:1: " + no_line + "; did you mean 'listen = ...'?"},
      {"two words = 1", "conf:1: " + no_line},
      {"= 1", "conf:1: " + no_line},
      {".a = 1", "conf:1: " + no_line},
      {"a. = 1", "conf:1: " + no_line},
      {"; a comment of other files", "conf:1: " + no_line},
      {"a =", "conf:1: has no value"},
      {"a = # 1", "conf:1: has no value"},
      {"a = []", "conf:1: has no value"},
      {"a = [,]", "conf:1: has no value"},
      {"a = [b", "conf:1: has a list without an end"},
      {"a = [\nb,\n", "conf:1: has a list without an end"},
      {"a = ['b' 'c']", "conf:1: has no comma between two values"},
      {"a = [b] c", "conf:1: has text after its value"},
      {"a = 'b' c", "conf:1: has text after its value"},
      {"a = \"b", "conf:1: has a quote without an end"},
      {"[s", "conf:1: is not [SECTION]"},
      {"[]", "conf:1: is not [SECTION]"},
      {"[[s]]", "conf:1: is not [SECTION]"},
      {"[s] a = 1", "conf:1: is not [SECTION]"},
      {"a = 1\nb = 2\na = 3", "conf:3: sets 'a' once more; line 1 has set it"},
      {"s.a = 1\n[s]\na = 3", "conf:3: sets 'a' once more; line 1 has set it"},
      {"a = 1\nb = 2\x01\n", "conf:2: has a byte that is no text"},
      {std::string("a = 1\n\0\0\0", 9), "conf:2: has a byte that is no text"},
      {std::string(4096, '\0'), "conf:1: has a byte that is no text"}};
  for (const auto& [text, why] : cases) EXPECT_EQ(Read(text), why) << text;
}

TEST(SettingsText, ErrorsNameTheNearestName) {
  const auto error = [](const Setting& setting) {
    return std::string(
        MessageOf(NoSuchSetting("conf", setting, "setting", kKnown)));
  };
  EXPECT_EQ(error({7, "", "listn", {}}),
            "conf:7: there is no setting 'listn'; did you mean 'listen'?");
  EXPECT_EQ(error({7, "auth", "token-file", {}}),
            "conf:7: there is no setting 'auth.token-file'; did you mean "
            "'token-file'?");
  EXPECT_EQ(error({7, "security", "", {}}),
            "conf:7: there is no setting 'security'");
}

}  // namespace
}  // namespace bvhmill::testing
