// From BVH text to .anim by one thread, by both profiles. Before time is
// measured, the bytes of `viewer` are compared with those of the viewer's own
// way from the text, the error of `best` is measured, and the sizes of both are
// compared at equal errors.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/encode/anim_compare.h"
#include "bench/support/corpus.h"
#include "bench/support/metrics.h"
#include "bvhmill/anim/avatar/avatar.h"
#include "bvhmill/anim/clip_to_anim.h"
#include "bvhmill/anim/format/anim_file.h"
#include "bvhmill/anim/viewer/viewer_import.h"
#include "bvhmill/base/sink.h"
#include "bvhmill/bvh/parsed_clip.h"
#include "bvhmill/bvh/reader.h"

namespace bvhmill::bench {
namespace {

// Just below the 60 s that an animation may last, at 60 frames a second.
constexpr int kFrames = 3500;
constexpr double kFrameSeconds = 1.0 / 60;

// The bones of a figure with a few fingers, in the order of the avatar.
constexpr std::string_view kBones[] = {"mPelvis",
                                       "mTorso",
                                       "mChest",
                                       "mNeck",
                                       "mHead",
                                       "mCollarLeft",
                                       "mShoulderLeft",
                                       "mElbowLeft",
                                       "mWristLeft",
                                       "mHandIndex1Left",
                                       "mHandIndex2Left",
                                       "mHandThumb1Left",
                                       "mHandThumb2Left",
                                       "mCollarRight",
                                       "mShoulderRight",
                                       "mElbowRight",
                                       "mWristRight",
                                       "mHandIndex1Right",
                                       "mHandIndex2Right",
                                       "mHandThumb1Right",
                                       "mHandThumb2Right",
                                       "mSkull",
                                       "mEyeLeft",
                                       "mHipRight",
                                       "mKneeRight",
                                       "mAnkleRight",
                                       "mFootRight",
                                       "mHipLeft",
                                       "mKneeLeft",
                                       "mAnkleLeft",
                                       "mFootLeft"};

int32_t ParentAmong(int32_t joint, const std::vector<int32_t>& bones) {
  do {
    joint = AvatarJoints()[static_cast<size_t>(joint)].parent;
  } while (joint >= 0 &&
           std::find(bones.begin(), bones.end(), joint) == bones.end());
  return joint;
}

// A skeleton of these bones, parents as on the avatar.
std::string MakeHierarchy() {
  std::vector<int32_t> bones;
  for (const std::string_view name : kBones) {
    bones.push_back(FindAvatarJoint(name));
  }
  std::sort(bones.begin(), bones.end());
  std::string out = "HIERARCHY\n";
  std::vector<int32_t> open;
  for (const int32_t bone : bones) {
    const int32_t parent = ParentAmong(bone, bones);
    for (; !open.empty() && open.back() != parent; open.pop_back()) {
      out += "}\n";
    }
    out += open.empty() ? "ROOT " : "JOINT ";
    out += AvatarJoints()[static_cast<size_t>(bone)].name;
    out += "\n{\nOFFSET 1 5 0\n";
    out += open.empty() ? "CHANNELS 6 Xposition Yposition Zposition "
                        : "CHANNELS 3 ";
    out += "Zrotation Xrotation Yrotation\n";
    open.push_back(bone);
  }
  for (; !open.empty(); open.pop_back()) out += "}\n";
  return out;
}

// A made take of that figure.
std::string MakeText(int decimals) {
  const std::string take = MakeTake(std::size(kBones), kFrames, decimals);
  std::string text = MakeHierarchy();
  text += take.substr(take.find("MOTION"));
  const std::string_view from = "Frame Time: 0.0083333";
  text.replace(text.find(from), from.size(),
               "Frame Time: " + std::to_string(kFrameSeconds));
  return text;
}

struct Job {
  std::string text;
  ParsedClip parsed;
  Clip clip;
  std::string bytes;
};

AnimMotion AsViewer(const Clip& clip) {
  IssueLog log({});
  AnimMotion motion;
  if (!ImportAsViewer(clip, &motion, &log).ok()) return {};
  return motion;
}

ClipToAnimResult AsBest(const Clip& clip) {
  IssueLog log({});
  ClipToAnimResult result;
  // Positions of the made take are no figure's; they would be clamped.
  ClipToAnimOptions options;
  options.metres_per_unit = 0.01;
  if (!ClipToAnim(clip, options, &result, &log).ok()) return {};
  return result;
}

// The clip of the text, into the memory of the previous one.
void Read(Job* job) {
  IssueLog log({});
  ReadBvhInto(job->text, {}, &log, &job->parsed);
  if (job->parsed.source == nullptr) return;
  job->clip.skeleton = job->parsed.source->skeleton;
  std::swap(job->clip.motion, job->parsed.motion);
}

// Text to bytes.
void Run(const std::function<AnimMotion(const Clip&)>& convert, Job* job) {
  Read(job);
  job->bytes.clear();
  StringSink sink(&job->bytes);
  if (!WriteAnim(convert(job->clip), &sink).ok()) job->bytes.clear();
}

bool IsRight(Job* job) {
  IssueLog log({});
  AnimMotion expected;
  if (!ImportTextAsViewer(job->text, &expected, &log)) return false;
  Run(AsViewer, job);
  const std::string viewer = job->bytes;
  job->bytes.clear();
  StringSink sink(&job->bytes);
  if (!WriteAnim(expected, &sink).ok() || job->bytes != viewer) return false;
  const ClipToAnimResult best = AsBest(job->clip);
  Metrics& metrics = Metrics::Global();
  metrics.Set("encode.anim.best.degrees", best.degrees);
  metrics.Set("encode.anim.best.keys", static_cast<double>(best.keys));
  metrics.Set("encode.anim.best.bytes",
              static_cast<double>(AnimBytes(best.motion)));
  metrics.Set("encode.anim.viewer.bytes", static_cast<double>(viewer.size()));
  MeasureComparisons(job->clip);
  // AnimFormat::max_degrees, and rounding.
  constexpr float kBound = 0.1001F;
  return best.converted && best.degrees <= kBound;
}

void Register(const std::string& name, const std::shared_ptr<Job>& job,
              const std::function<AnimMotion(const Clip&)>& convert) {
  benchmark::RegisterBenchmark(
      name.c_str(), [job, convert](benchmark::State& state) {
        for (auto _ : state) {
          Run(convert, job.get());
          benchmark::DoNotOptimize(job->bytes.data());
        }
        state.counters["text_mb_per_s"] =
            benchmark::Counter(static_cast<double>(job->text.size()) * 1e-6,
                               benchmark::Counter::kIsIterationInvariantRate);
      });
}

void Derive(Metrics* metrics) {
  const double read = metrics->Get("encode.anim.read.text_mb_per_s");
  for (const std::string name : {"encode.anim.viewer", "encode.anim.best"}) {
    const double value = metrics->Get(name + ".text_mb_per_s");
    if (read > 0) metrics->Set(name + ".ratio_to_read", value / read);
  }
}

int Main(int argc, char** argv) {
  const auto job = std::make_shared<Job>();
  constexpr int kDecimals = 6;
  job->text = MakeText(kDecimals);
  if (!IsRight(job.get())) {
    std::cerr << "the conversions are wrong\n";
    return 1;
  }
  benchmark::RegisterBenchmark(
      "encode.anim.read", [job](benchmark::State& state) {
        for (auto _ : state) {
          Read(job.get());
        }
        state.counters["text_mb_per_s"] =
            benchmark::Counter(static_cast<double>(job->text.size()) * 1e-6,
                               benchmark::Counter::kIsIterationInvariantRate);
      });
  Register("encode.anim.viewer", job, AsViewer);
  Register("encode.anim.best", job,
           [](const Clip& clip) { return AsBest(clip).motion; });
  return RunBenchmarks(argc, argv, Derive);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
