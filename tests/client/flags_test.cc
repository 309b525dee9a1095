// Every flag of bvhmill against what a server gets for it: the program runs,
// and a server that keeps what it is asked answers it.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cctype>
#include <mutex>
#include <ostream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "bvhmill/v1/clip_service.pb.h"
#include "tests/client/command.h"
#include "tests/client/fake_server.h"
#include "tests/client/flag_cases.h"
#include "tests/support/files.h"
#include "tests/wire/coverage.h"

namespace bvhmill::testing {

void PrintTo(const OptionFlag& flag, std::ostream* out) {
  *out << "--" << flag.flag << "=" << flag.value;
}

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kClip[] =
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
    "Yrotation\nJOINT Knee\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation "
    "Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 2\n"
    "Frame Time: 0.1\n1 2 3 4 5 6\n6 5 4 3 2 1\n";

// A server to which every clip is good, and which keeps the last request.
class Recorder {
 public:
  Recorder() : server_([this](FakeCall* call) { return Answer(call); }) {}

  const std::string& address() const { return server_.address(); }
  v1::ConvertOptions TakeOptions() {
    const std::lock_guard lock(mutex_);
    return std::exchange(options_, {});
  }

 private:
  grpc::Status Answer(FakeCall* call) {
    const std::string request = call->Read().value_or("");
    if (call->method() == "GetServerInfo") {
      call->Write(InfoBytes(""));
      return grpc::Status::OK;
    }
    // Both unary requests have the same fields.
    v1::ConvertClipRequest message;
    EXPECT_TRUE(message.ParseFromString(request));
    v1::ConvertClipResponse response;
    v1::ClipResult* result = response.mutable_result();
    result->mutable_report()->set_verdict(v1::VERDICT_VALID);
    for (const v1::OutputRequest& output : message.options().outputs()) {
      const auto* format = output.GetReflection()->GetOneofFieldDescriptor(
          output, output.GetDescriptor()->FindOneofByName("format"));
      result->add_outputs()->set_id(output.id().empty() ? format->name()
                                                        : output.id());
    }
    if (call->method() == "ValidateClip") result->clear_outputs();
    const std::lock_guard lock(mutex_);
    options_ = message.options();
    call->Write(response.SerializeAsString());
    return grpc::Status::OK;
  }

  std::mutex mutex_;
  v1::ConvertOptions options_;
  FakeServer server_;
};

struct ClipCommand {
  std::vector<std::string> words;
  // The outputs that it asks for by itself.
  std::string outputs;
};

ClipCommand CommandOf(const std::string& name, const OptionFlag& flag) {
  ClipCommand command = {{name, "clip.bvh"}, ""};
  const bool emits =
      flag.options.find("outputs") != std::string::npos || flag.flag == "emit";
  if (name == "convert") {
    command.words.insert(command.words.end(), {"-o", "out", "-f"});
    if (!emits) {
      command.words.push_back("--emit=npz");
      command.outputs = "outputs { npz {} }";
    }
  } else if (name == "info") {
    command.outputs = "measures: true";
  }
  command.words.insert(command.words.end(), flag.with.begin(), flag.with.end());
  return command;
}

// Long names of the options in the help of a command.
std::set<std::string> FlagsOf(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  words.emplace_back("--help");
  const std::string help = RunCommand(words, "/").out;
  std::set<std::string> flags;
  const std::regex option("\n  (-\\w,)?--([a-z0-9-]+)");
  for (std::sregex_iterator it(help.begin(), help.end(), option), end;
       it != end; ++it) {
    flags.insert((*it)[2]);
  }
  EXPECT_THAT(flags, ::testing::Contains("help"));
  return flags;
}

std::string Variable(const OptionFlag& flag) {
  std::string name = "BVHMILL_" + flag.flag;
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  }
  return name + "=" + (flag.value.empty() ? "true" : flag.value);
}

std::string Line(const OptionFlag& flag) {
  return flag.flag + " = " +
         (flag.value.empty() ? "true" : "\"" + flag.value + "\"") + "\n";
}

std::string Word(const OptionFlag& flag) {
  return "--" + flag.flag + (flag.value.empty() ? "" : "=" + flag.value);
}

class OptionFlagTest : public ::testing::TestWithParam<OptionFlag> {
 protected:
  OptionFlagTest() {
    WriteFile(dir_.File("clip.bvh"), kClip);
    WriteFile(dir_.File("map.csv"), "source,target\nfrom,to\na,b\n");
  }

  // Runs a command, with one of its forms of the flag, and compares what the
  // server got.
  void Expect(const ClipCommand& command, std::vector<std::string> more,
              const std::vector<std::string>& variables = {}) {
    std::vector<std::string> words = command.words;
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("--server=" + recorder_.address());
    const CommandResult result = RunCommand(words, dir_.path(), variables);
    ASSERT_EQ(result.exit, 0) << result.err;
    auto expected = ParseText<v1::ConvertOptions>(command.outputs);
    auto own = ParseText<v1::ConvertOptions>(GetParam().needs);
    const auto options = ParseText<v1::ConvertOptions>(GetParam().options);
    if (own.outputs_size() > 0) {
      own.mutable_outputs(0)->MergeFrom(options.outputs(0));
    } else {
      own.MergeFrom(options);
    }
    expected.MergeFrom(own);
    if (expected.validation().max_issues() == 0) {
      expected.mutable_validation()->set_max_issues(100);
    }
    // Verdicts and summaries need all issues; the list is cut afterwards.
    if (command.words[0] == "validate") {
      expected.mutable_validation()->set_max_issues(1'000'000);
    }
    // The summary of a folder needs these two facts.
    if (command.words[0] == "validate" &&
        expected.validation().only_size() > 0) {
      expected.mutable_validation()->add_only("DATA_UNIT_GUESS");
      expected.mutable_validation()->add_only("DATA_UP_AXIS_GUESS");
    }
    google::protobuf::util::MessageDifferencer differencer;
    std::string difference;
    differencer.ReportDifferencesToString(&difference);
    EXPECT_TRUE(differencer.Compare(expected, recorder_.TakeOptions()))
        << command.words[0] << "\n"
        << difference;
  }

  TempDir dir_;
  Recorder recorder_;
};

INSTANTIATE_TEST_SUITE_P(Flags, OptionFlagTest,
                         ::testing::ValuesIn(OptionFlags()));

TEST_P(OptionFlagTest, ReachesTheServer) {
  int commands = 0;
  for (const std::string name : {"convert", "validate", "info"}) {
    if (!FlagsOf({name}).contains(GetParam().flag)) continue;
    ++commands;
    Expect(CommandOf(name, GetParam()), {Word(GetParam())});
  }
  EXPECT_GT(commands, 0);
}

TEST_P(OptionFlagTest, IsReadFromTheEnvironment) {
  Expect(CommandOf("convert", GetParam()), {}, {Variable(GetParam())});
}

TEST_P(OptionFlagTest, IsReadFromAFile) {
  WriteFile(dir_.File("config"), Line(GetParam()));
  Expect(CommandOf("convert", GetParam()), {"--config=config"});
}

// If this fails, add a row to flag_cases.cc for each name that is listed.
TEST(Flags, AreAllInACase) {
  std::set<std::string> known;
  for (const OptionFlag& flag : OptionFlags()) known.insert(flag.flag);
  for (const OtherFlag& flag : OtherFlags()) known.insert(flag.flag);
  for (const LocalLimit& limit : LocalLimits()) known.insert(limit.flag);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"convert"},
        {"validate"},
        {"info"},
        {"server", "info"}}) {
    std::vector<std::string> missing;
    for (const std::string& flag : FlagsOf(command)) {
      if (!known.contains(flag)) missing.push_back(flag);
    }
    EXPECT_THAT(missing, IsEmpty()) << command[0];
  }
}

TEST(Flags, OutsideTheTableHaveACaseOfTheCommandLine) {
  for (const auto& [flag, test, word] : OtherFlags()) {
    const std::string cmd =
        ReadFile(SourceFile("tests/cli/" + std::string(test) + "/cmd"));
    EXPECT_THAT(cmd, HasSubstr(word)) << flag;
  }
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"anim", "edit"},
        {"anim", "to-bvh"},
        {"inspect"}}) {
    std::string name = command[0];
    if (command.size() > 1) name += "-" + command[1];
    const std::string cmd = ReadFile(SourceFile("tests/cli/" + name + "/cmd"));
    for (const std::string& flag : FlagsOf(command)) {
      // The cases use the short names of these flags.
      if (flag == "help" || flag == "output" || flag == "force") continue;
      EXPECT_THAT(cmd, HasSubstr("--" + flag)) << name;
    }
  }
}

// Each limit flag of local work sets the limit of its name; 0 means no limit.
TEST(Flags, LimitsOfLocalWorkAreTheirOwn) {
  TempDir dir;
  WriteFile(dir.File("clip.bvh"), kClip);
  for (const LocalLimit& limit : LocalLimits()) {
    const auto run = [&](const std::string& value) {
      std::vector<std::string> words = {"convert", "clip.bvh",  "--local",
                                        "-o",      "out",       "-f",
                                        "-q",      "--emit=csv"};
      words.insert(words.end(), limit.with.begin(), limit.with.end());
      words.push_back("--" + std::string(limit.flag) + "=" + value);
      return RunCommand(words, dir.path());
    };
    const CommandResult broken = run(limit.value);
    EXPECT_EQ(broken.exit, 1) << limit.flag;
    EXPECT_THAT(broken.err, HasSubstr(limit.code)) << limit.flag;
    for (const std::string& value : limit.good) {
      EXPECT_EQ(run(value).exit, 0) << limit.flag << "=" << value;
    }
  }
}

// Values that are refused before anything is sent.
const std::vector<std::string> kRefused[] = {
    {"--units=0"},
    {"--units=-1"},
    {"--units=inf"},
    {"--units=ell"},
    {"--up=w"},
    {"--joint-positions=none"},
    {"--root-offset=y"},
    {"--ignore=NO_CODE"},
    {"--only=NO_CODE"},
    {"--max-issues=-1"},
    {"--rename=A"},
    {"--rename==B"},
    {"--rename=A="},
    {"--joint-map=none"},
    {"--joint-map=missing.csv"},
    {"--frames=9:3"},
    {"--frames=3"},
    {"--frames=0:9:0"},
    {"--frames=-1:4"},
    {"--fps=0"},
    {"--fps=nan"},
    {"--interpolation=no"},
    {"--to-units=m"},
    {"--to-up=y"},
    {"--in-place", "--at-origin"},
    {"--root-axes=xxy"},
    {"--root-signs=++"},
    {"--root-correction=1,2"},
    {"--emit=fbx"},
    {"--from=fbx"},
    {"--rotation-kind=euler"},
    {"--rotation-space=root"},
    {"--anim-priority=7"},
    {"--anim-priority=-2"},
    {"--anim-joint-priority=mHead=7"},
    {"--anim-joint-priority=nose=1"},
    {"--anim-loop=2:1"},
    {"--anim-ease-in=-1"},
    {"--anim-ease-out=61"},
    {"--anim-hand-pose=14"},
    {"--anim-emote=express_no"},
    {"--anim-reference=last"},
    {"--anim-map=none"},
    {"--anim-max-degrees=91"},
    {"--anim-max-mm=1001"},
    {"--anim-max-bytes=0"},
    {"--anim-profile=worst"},
    {"--anim-profile=viewer", "--anim-map=mixamo"},
    {"--anim-profile=viewer", "--anim-max-degrees=1"},
    {"--anim-profile=viewer", "--anim-max-mm=1"},
    {"--anim-profile=viewer", "--anim-max-bytes=1"},
    {"--anim-profile=viewer", "--anim-reference=first"},
    {"--anim-profile=viewer", "--anim-match-limbs"},
    {"--anim-profile=viewer", "--anim-scale-to-avatar"},
    {"--jobs=-1"},
    {"--jobs=1025"},
    {"--progress=some"},
    {"--timeout=-1"},
    {"--timeout=x"},
    {"--max-frames=-1"},
};

TEST(Flags, RefuseInvalidValues) {
  TempDir dir;
  WriteFile(dir.File("clip.bvh"), kClip);
  for (const std::vector<std::string>& words : kRefused) {
    std::vector<std::string> all = {"convert", "clip.bvh", "--local",
                                    "-o",      "out",      "--emit=anim"};
    all.insert(all.end(), words.begin(), words.end());
    const CommandResult result = RunCommand(all, dir.path());
    EXPECT_EQ(result.exit, 2) << words.back() << ": " << result.err;
    EXPECT_NE(result.err, "") << words.back();
  }
}

}  // namespace
}  // namespace bvhmill::testing
