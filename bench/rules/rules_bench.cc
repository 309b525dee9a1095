// The rules about motion: the share of faults that they find, and their cost.
//
//   rules.CODE.recall.STRENGTH     share of the files whose fault is found
//   rules.CODE.placed.STRENGTH     of those, at the right joint and frame
//   rules.recall.STRENGTH, rules.placed.STRENGTH      over all codes
//   rules.false_alarms_per_100     clean clips with a warning
//   rules.SET.share                time to read the takes of a set, relative to
//                                  converting them to positions with all rules
//   rules.SET.rules                time of the rules, relative to reading
//   rules.SET.threads              time of one thread, relative to two
//
// The sets: `short`, takes of 90 frames; `takes`, as they are; `long`, one take
// repeated to 100 MB, read as one. Short takes use two threads take by take.
//
// Faults are put into generated clips, and into real ones if BVHMILL_DATA names
// a folder of them (rules.real...). Sets are of the real ones then.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/support/metrics.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/bvh/writer.h"
#include "bvhmill/pipeline/convert.h"
#include "tests/faults/corpus.h"
#include "tests/faults/score.h"

namespace bvhmill::bench {
namespace {

constexpr int kCopies = 8;
constexpr size_t kLongBytes = 100'000'000;
constexpr size_t kSetBytes = 60'000'000;
constexpr int64_t kShortFrames = 90;
constexpr int kTurns = 9;

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

void PutTallies(const std::string& name,
                const std::map<faults::Strength, faults::Tally>& tallies) {
  Metrics& metrics = Metrics::Global();
  for (const auto& [strength, tally] : tallies) {
    const std::string_view end = faults::StrengthName(strength);
    metrics.Set(Joined({name, ".recall.", end}), tally.Recall());
    if (tally.found == 0) continue;
    metrics.Set(Joined({name, ".placed.", end}), tally.Placed());
  }
}

void PutScores(const std::string& name,
               const std::vector<faults::CleanClip>& clips) {
  const faults::Scores scores =
      faults::Score(faults::MakeFaultyFiles(clips, kCopies));
  std::cerr << faults::ScoreTable(scores.by_rule) << "\n"
            << faults::ScoreTable(scores.by_kind) << "\n";
  for (const auto& [code, tallies] : scores.by_rule) {
    PutTallies(Joined({name, ".", code}), tallies);
  }
  PutTallies(name, scores.all);
  const double alarms =
      100.0 * static_cast<double>(faults::FalseAlarms(clips).size());
  Metrics::Global().Set(name + ".false_alarms_per_100",
                        alarms / static_cast<double>(clips.size()));
}

using Texts = std::vector<std::string>;

// The frames first .. end - 1 of a clip.
std::string TextOf(const Clip& clip, int64_t first, int64_t end) {
  Clip part;
  part.skeleton = clip.skeleton;
  part.motion.frame_time = clip.motion.frame_time;
  part.motion.frames = end - first;
  const auto width = static_cast<int64_t>(clip.skeleton.channels.size());
  const float* values = clip.motion.values.data();
  part.motion.values.assign(values + first * width, values + end * width);
  std::string text;
  StringSink sink(&text);
  if (!WriteBvh(part, {}, &sink).ok()) std::abort();
  return text;
}

size_t BytesOf(const Texts& texts) {
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

// As many takes as the set has room for, over and over.
Texts Repeated(const Texts& takes, size_t bytes) {
  Texts out;
  for (size_t i = 0; BytesOf(takes) > 0 && bytes > 0; ++i) {
    const std::string& take = takes[i % takes.size()];
    out.push_back(take);
    bytes -= std::min(bytes, take.size());
  }
  return out;
}

Texts ShortTakes(const std::vector<faults::CleanClip>& clips) {
  Texts out;
  for (const faults::CleanClip& clip : clips) {
    for (int64_t t = 0; t + kShortFrames <= clip.clip.motion.frames;
         t += kShortFrames) {
      out.push_back(TextOf(clip.clip, t, t + kShortFrames));
    }
  }
  return Repeated(out, kSetBytes);
}

Texts WholeTakes(const std::vector<faults::CleanClip>& clips) {
  Texts out;
  for (const faults::CleanClip& clip : clips) out.push_back(clip.text);
  return Repeated(out, kSetBytes);
}

// The take with the most frames, repeated.
Texts LongTake(const std::vector<faults::CleanClip>& clips) {
  const auto longest = std::max_element(
      clips.begin(), clips.end(), [](const auto& a, const auto& b) {
        return a.clip.motion.frames < b.clip.motion.frames;
      });
  Clip clip = longest->clip;
  const Motion once = clip.motion;
  for (size_t bytes = longest->text.size(); bytes < kLongBytes;
       bytes += longest->text.size()) {
    clip.motion.values.append(once.values.begin(), once.values.end());
    clip.motion.frames += once.frames;
  }
  return {TextOf(clip, 0, clip.motion.frames)};
}

double SecondsOf(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  return seconds.count();
}

// Converts to positions, which are dropped.
void ConvertAll(const Texts& texts, bool with_rules, Converter* converter) {
  ConvertOptions options;
  options.outputs = {{"", PositionsFormat{}}};
  if (!with_rules) options.report.ignore = {"DATA_*"};
  DiscardingReceiver receiver;
  ConvertResult result;
  for (const std::string& text : texts) {
    converter->ConvertInto(text, options, &receiver, nullptr, &result);
    if (!result.status.ok()) std::abort();
  }
}

void ReadAll(const Texts& texts, ParsedClip* read) {
  for (const std::string& text : texts) {
    IssueLog log({});
    ReadBvhInto(text, {}, &log, read);
    benchmark::DoNotOptimize(read->motion.values.data());
  }
}

void ConvertByTwo(const Texts& texts) {
  const auto half = texts.begin() + static_cast<ptrdiff_t>(texts.size() / 2);
  const auto convert = [](const Texts& part) {
    Converter converter(Parallelism::None());
    ConvertAll(part, /*with_rules=*/true, &converter);
  };
  std::thread other(convert, Texts(texts.begin(), half));
  convert(Texts(half, texts.end()));
  other.join();
}

void MeasureSet(const std::string& name, const Texts& texts) {
  Converter one(Parallelism::None());
  Converter two(Parallelism::Threads(2));
  ParsedClip read;
  std::vector<double> shares;
  std::vector<double> rules;
  std::vector<double> threads;
  // The first turn warms up.
  for (int turn = 0; turn <= kTurns; ++turn) {
    const double reading = SecondsOf([&] { ReadAll(texts, &read); });
    const double all = SecondsOf([&] { ConvertAll(texts, true, &one); });
    const double without = SecondsOf([&] { ConvertAll(texts, false, &one); });
    const double parallel = SecondsOf([&] {
      texts.size() == 1 ? ConvertAll(texts, true, &two) : ConvertByTwo(texts);
    });
    if (turn == 0) continue;
    shares.push_back(reading / all);
    rules.push_back((all - without) / reading);
    threads.push_back(all / parallel);
  }
  Metrics& metrics = Metrics::Global();
  metrics.SetAll(name + ".share", shares);
  metrics.SetAll(name + ".rules", rules);
  metrics.SetAll(name + ".threads", threads);
}

int Main(int argc, char** argv) {
  std::vector<faults::CleanClip> clips = faults::GeneratedClips();
  PutScores("rules", clips);
  if (const char* data = std::getenv("BVHMILL_DATA"); data != nullptr) {
    clips = faults::RealClips(std::string(data) + "/bvh");
    PutScores("rules.real", clips);
  }
  MeasureSet("rules.short", ShortTakes(clips));
  MeasureSet("rules.takes", WholeTakes(clips));
  MeasureSet("rules.long", LongTake(clips));
  return RunBenchmarks(
      argc, argv, [](Metrics*) {}, /*rounds=*/1);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
