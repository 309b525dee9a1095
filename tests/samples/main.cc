// bvhmill_samples OUT_DIR [--frames N]: writes the sample takes.
//
// Exit status: 0 all written, 1 a file or directory could not be written,
// 2 the command line is wrong.

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tests/samples/samples.h"

namespace {

namespace fs = std::filesystem;
using bvhmill::samples::Take;

constexpr int kMaxFrames = 10'000'000;
constexpr std::string_view kUsage =
    "usage: bvhmill_samples OUT_DIR [--frames N]\n"
    "  OUT_DIR     directory for the takes, created if missing\n"
    "  --frames N  length of the takes that move\n";

struct Options {
  std::string out_dir;
  std::optional<int> frames;  // for every take that moves
};

int Fail(int status, const std::string& message) {
  std::cerr << "bvhmill_samples: " << message << '\n';
  return status;
}

std::optional<int> ParseFrames(std::string_view text) {
  int frames = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), frames);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if (frames < 1 || frames > kMaxFrames) return {};
  return frames;
}

// Returns what is wrong with the command line, or nothing.
std::string ParseOptions(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--frames") {
      const std::string value = ++i < argc ? argv[i] : "";
      options->frames = ParseFrames(value);
      if (!options->frames) {
        return "--frames needs a whole number from 1 to " +
               std::to_string(kMaxFrames) + ", not '" + value + "'";
      }
    } else if (word.starts_with('-')) {
      return "unknown option '" + word + "'";
    } else if (!options->out_dir.empty()) {
      return "more than one directory: '" + word + "'";
    } else {
      options->out_dir = word;
    }
  }
  return options->out_dir.empty() ? "OUT_DIR is missing" : "";
}

bool WriteTake(const Take& take, const fs::path& path) {
  // Binary, so that the line ends stay those of the take.
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  bvhmill::samples::WriteBvh(take, file);
  file.close();
  return !file.fail();
}

int WriteAll(const Options& options) {
  const fs::path out_dir = options.out_dir;
  std::error_code error;
  fs::create_directories(out_dir, error);
  if (error) {
    return Fail(1, "cannot create directory '" + options.out_dir +
                       "': " + error.message());
  }
  for (Take& take : bvhmill::samples::AllTakes()) {
    if (options.frames && take.frames > 1) take.frames = *options.frames;
    const fs::path path = out_dir / take.name;
    if (!WriteTake(take, path)) {
      return Fail(1, "cannot write '" + path.string() + "'");
    }
    std::cout << take.name << ": " << take.joints.size() << " joints, "
              << take.frames << (take.frames == 1 ? " frame\n" : " frames\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << kUsage;
    return 0;
  }
  Options options;
  const std::string wrong = ParseOptions(argc, argv, &options);
  if (!wrong.empty()) {
    const int status = Fail(2, wrong);
    std::cerr << kUsage;
    return status;
  }
  return WriteAll(options);
}
