// Forward kinematics, against plain 4x4 matrices. Every position is compared
// before anything is timed.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>

#include "bench/support/corpus.h"
#include "bench/support/metrics.h"
#include "bvhmill/bvh/reader.h"
#include "bvhmill/kinematics/fk_job.h"

namespace bvhmill::bench {
namespace {

constexpr int kFrames = 4000;
// A prop, figures without and with fingers, and a figure with a face.
constexpr int kJoints[] = {8, 22, 31, 75, 250};

struct Problem {
  std::string name;
  Clip clip;
  Plan plan;
  std::vector<float> positions;

  FkJob Job(FkTarget target) {
    FkJob job;
    job.target = target;
    job.plan = &plan;
    job.frames = clip.motion.frames;
    job.values = clip.motion.values;
    job.positions = positions;
    return job;
  }
};

using Mat4 = std::array<std::array<double, 4>, 4>;

Mat4 Product(const Mat4& a, const Mat4& b) {
  Mat4 out = {};
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) {
      for (int j = 0; j < 4; ++j) out[i][j] += a[i][k] * b[k][j];
    }
  }
  return out;
}

Mat4 Translation(double x, double y, double z) {
  return {{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}, {0, 0, 0, 1}}};
}

Mat4 Rotation(int axis, double degrees) {
  const double c = std::cos(degrees * M_PI / 180);
  const double s = std::sin(degrees * M_PI / 180);
  Mat4 out = Translation(0, 0, 0);
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  out[u][u] = c;
  out[u][v] = -s;
  out[v][u] = s;
  out[v][v] = c;
  return out;
}

// How it is done by the book: a 4x4 matrix for each translation and rotation.
void SolveNaively(const Clip& clip, std::vector<float>* positions) {
  const Skeleton& skeleton = clip.skeleton;
  std::vector<Mat4> world(skeleton.nodes.size());
  size_t out = 0;
  for (int64_t frame = 0; frame < clip.motion.frames; ++frame) {
    const float* row =
        clip.motion.values.data() + frame * skeleton.channels.size();
    for (size_t i = 0; i < skeleton.nodes.size(); ++i) {
      const Node& node = skeleton.nodes[i];
      std::array<double, 3> t = {node.offset[0], node.offset[1],
                                 node.offset[2]};
      Mat4 rotation = Translation(0, 0, 0);
      const float* value = row + node.first_channel;
      for (const Channel channel : ChannelsOf(skeleton, node)) {
        if (IsPosition(channel)) t[AxisOf(channel)] = *value;
        if (IsRotation(channel)) {
          rotation = Product(rotation, Rotation(AxisOf(channel), *value));
        }
        ++value;
      }
      const Mat4 local = Product(Translation(t[0], t[1], t[2]), rotation);
      world[i] = node.parent < 0 ? local : Product(world[node.parent], local);
      if (IsEndSite(node)) continue;
      for (int k = 0; k < 3; ++k) {
        (*positions)[out++] = static_cast<float>(world[i][k][3]);
      }
    }
  }
}

std::shared_ptr<Problem> MakeProblem(int joints) {
  auto problem = std::make_shared<Problem>();
  problem->name = "solve.j" + std::to_string(joints);
  IssueLog log({});
  problem->clip = ReadBvh(MakeTake(joints, kFrames, 6), {}, &log).clip;
  problem->plan = MakePlan(problem->clip.skeleton, {});
  problem->positions.resize(static_cast<size_t>(kFrames) * joints * 3);
  return problem;
}

// The largest difference to the naive solution, relative to the largest
// coordinate.
double RelativeError(Problem* problem, FkTarget target) {
  std::vector<float> expected(problem->positions.size());
  SolveNaively(problem->clip, &expected);
  // A solver that writes nothing must not find the values of the one before.
  std::fill(problem->positions.begin(), problem->positions.end(), NAN);
  problem->Job(target).Run();
  double largest = 0;
  double error = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max<double>(largest, std::abs(expected[i]));
    error = Worse(error, std::abs(expected[i] - problem->positions[i]));
  }
  return error / largest;
}

void SetRate(benchmark::State& state, const Problem& problem) {
  const double joint_frames =
      static_cast<double>(problem.clip.motion.frames) * problem.plan.joints;
  state.counters["joint_frames_per_s"] = benchmark::Counter(
      joint_frames, benchmark::Counter::kIsIterationInvariantRate);
}

// The variants that this machine can run.
std::vector<std::pair<std::string, FkTarget>> Variants() {
  std::vector<std::pair<std::string, FkTarget>> variants = {
      {"best", BestFkTarget()}};
  for (const FkTarget target :
       {FkTarget::kReference, FkTarget::kVector128, FkTarget::kAvx2}) {
    if (!IsSupported(target)) continue;
    variants.emplace_back(FkTargetName(target), target);
  }
  return variants;
}

void Register(const std::shared_ptr<Problem>& problem) {
  const auto add = [&](const std::string& variant, auto solve) {
    benchmark::RegisterBenchmark((problem->name + "." + variant).c_str(),
                                 [problem, solve](benchmark::State& state) {
                                   for (auto _ : state) {
                                     solve(problem.get());
                                     benchmark::ClobberMemory();
                                   }
                                   SetRate(state, *problem);
                                 });
  };
  add("naive", [](Problem* p) { SolveNaively(p->clip, &p->positions); });
  for (const auto& [variant, target] : Variants()) {
    add(variant, [target = target](Problem* p) { p->Job(target).Run(); });
  }
}

void Derive(Metrics* metrics) {
  for (const int joints : kJoints) {
    const std::string name = "solve.j" + std::to_string(joints);
    const double base = metrics->Get(name + ".naive.joint_frames_per_s");
    if (base == 0) continue;
    for (const auto& [variant, target] : Variants()) {
      const std::string of = name + "." + variant;
      metrics->Set(of + ".ratio_to_naive",
                   metrics->Get(of + ".joint_frames_per_s") / base);
    }
  }
}

int Main(int argc, char** argv) {
  constexpr double kTolerance = 1e-6;
  double worst = 0;
  for (const int joints : kJoints) {
    const auto problem = MakeProblem(joints);
    for (const auto& [variant, target] : Variants()) {
      worst = Worse(worst, RelativeError(problem.get(), target));
    }
    Register(problem);
  }
  if (!(worst <= kTolerance)) {
    std::cerr << "the solutions differ by " << worst << "\n";
    return 1;
  }
  Metrics::Global().Set("solve.max_relative_error", worst);
  return RunBenchmarks(argc, argv, Derive);
}

}  // namespace
}  // namespace bvhmill::bench

int main(int argc, char** argv) { return bvhmill::bench::Main(argc, argv); }
