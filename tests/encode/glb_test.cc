// The format glb, read and played by a reader of its own: the container, the
// JSON, the accessors, and slerp in double precision.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Json = nlohmann::json;
using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;

struct Glb {
  Json json;
  std::string numbers;
};

uint32_t WordAt(const std::string& bytes, size_t at) {
  uint32_t word = 0;
  if (at + 4 <= bytes.size()) std::memcpy(&word, bytes.data() + at, 4);
  return word;
}

Glb ReadGlb(const std::string& bytes) {
  Glb out;
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(WordAt(bytes, 4), 2);
  EXPECT_EQ(WordAt(bytes, 8), bytes.size());
  const size_t json_size = WordAt(bytes, 12);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  EXPECT_EQ(json_size % 4, 0);
  out.json = Json::parse(bytes.substr(20, json_size));
  const size_t second = 20 + json_size;
  if (second == bytes.size()) return out;
  EXPECT_EQ(bytes.substr(second + 4, 4), std::string("BIN\0", 4));
  out.numbers = bytes.substr(second + 8);
  EXPECT_EQ(WordAt(bytes, second), out.numbers.size());
  EXPECT_EQ(out.json["buffers"][0]["byteLength"], out.numbers.size());
  return out;
}

Glb MakeGlb(const Clip& clip, const GlbFormat& format = {},
            const SourceSpace& space = {}) {
  const Encoded encoded = Encode(clip, format, nullptr, space);
  EXPECT_TRUE(encoded.status.ok()) << encoded.status;
  return ReadGlb(encoded.bytes);
}

GlbFormat EveryKey() {
  GlbFormat format;
  format.tolerance_degrees = 0;
  format.tolerance_percent = 0;
  return format;
}

std::vector<float> AccessorOf(const Glb& glb, size_t index) {
  const Json& accessor = glb.json["accessors"][index];
  const Json& view = glb.json["bufferViews"][accessor["bufferView"].get<int>()];
  EXPECT_EQ(accessor["componentType"], 5126);
  const std::string type = accessor["type"];
  const size_t width = type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4;
  const size_t at = accessor["byteOffset"];
  const size_t size = accessor["count"].get<size_t>() * width * 4;
  EXPECT_LE(at + size, view["byteLength"].get<size_t>());
  return Numbers<float>(
      glb.numbers.substr(view["byteOffset"].get<size_t>() + at, size));
}

struct Curve {
  std::vector<float> seconds;
  std::vector<float> values;
};

// The curve of the property `path` of a node; empty if it has none.
Curve CurveOf(const Glb& glb, int node, const std::string& path) {
  if (!glb.json.contains("animations")) return {};
  const Json& animation = glb.json["animations"][0];
  for (const Json& channel : animation["channels"]) {
    if (channel["target"]["node"] != node ||
        channel["target"]["path"] != path) {
      continue;
    }
    const Json& sampler = animation["samplers"][channel["sampler"].get<int>()];
    EXPECT_EQ(sampler["interpolation"], "LINEAR");
    return {AccessorOf(glb, sampler["input"]),
            AccessorOf(glb, sampler["output"])};
  }
  return {};
}

// Sets `a`, `b` and the part of the way between them at `time`.
template <size_t kWidth>
double KeysAt(const Curve& curve, double time, std::array<double, kWidth>* a,
              std::array<double, kWidth>* b) {
  size_t to = 0;
  while (to + 1 < curve.seconds.size() && curve.seconds[to] < time) ++to;
  const size_t from = to == 0 || curve.seconds[to] <= time ? to : to - 1;
  for (size_t k = 0; k < kWidth; ++k) {
    (*a)[k] = curve.values[from * kWidth + k];
    (*b)[k] = curve.values[to * kWidth + k];
  }
  const double span = double{curve.seconds[to]} - curve.seconds[from];
  return span > 0 ? (time - curve.seconds[from]) / span : 0;
}

Quaternion Slerp(const Quaternion& a, const Quaternion& b, double u) {
  double dot = 0;
  for (size_t k = 0; k < 4; ++k) dot += a[k] * b[k];
  EXPECT_GE(dot, 0) << "neighbours are on the same side";
  const double angle = std::acos(std::min(dot, 1.0));
  const double p = angle < 1e-9 ? 1 - u : std::sin((1 - u) * angle);
  const double q = angle < 1e-9 ? u : std::sin(u * angle);
  Quaternion out;
  double square = 0;
  for (size_t k = 0; k < 4; ++k) {
    out[k] = p * a[k] + q * b[k];
    square += out[k] * out[k];
  }
  for (double& value : out) value /= std::sqrt(square);
  return out;
}

Vector Turned(const Quaternion& q, const Vector& v) {
  const Vector u = {q[0], q[1], q[2]};
  const auto cross = [&u](const Vector& b) {
    return Vector{u[1] * b[2] - u[2] * b[1], u[2] * b[0] - u[0] * b[2],
                  u[0] * b[1] - u[1] * b[0]};
  };
  const Vector once = cross(v);
  const Vector twice = cross(once);
  Vector out = v;
  for (size_t k = 0; k < 3; ++k) out[k] += 2 * q[3] * once[k] + 2 * twice[k];
  return out;
}

Quaternion Product(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}

std::vector<int> ParentsOf(const Json& nodes) {
  std::vector<int> parents(nodes.size(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].contains("children")) continue;
    for (const int child : nodes[i]["children"]) {
      EXPECT_GT(child, static_cast<int>(i)) << "parents are before children";
      parents[static_cast<size_t>(child)] = static_cast<int>(i);
    }
  }
  return parents;
}

// World positions of all nodes at `time`.
std::vector<Vector> Play(const Glb& glb, double time) {
  const Json& nodes = glb.json["nodes"];
  const std::vector<int> parents = ParentsOf(nodes);
  std::vector<Vector> places(nodes.size());
  std::vector<Quaternion> turns(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    Vector place;
    for (size_t k = 0; k < 3; ++k) place[k] = nodes[i]["translation"][k];
    Quaternion turn = {0, 0, 0, 1};
    const Curve moves = CurveOf(glb, static_cast<int>(i), "translation");
    if (!moves.seconds.empty()) {
      Vector a;
      Vector b;
      const double u = KeysAt(moves, time, &a, &b);
      for (size_t k = 0; k < 3; ++k) place[k] = a[k] + (b[k] - a[k]) * u;
    }
    const Curve rotates = CurveOf(glb, static_cast<int>(i), "rotation");
    if (!rotates.seconds.empty()) {
      Quaternion a;
      Quaternion b;
      const double u = KeysAt(rotates, time, &a, &b);
      turn = Slerp(a, b, u);
    }
    if (parents[i] >= 0) {
      const auto parent = static_cast<size_t>(parents[i]);
      place = Turned(turns[parent], place);
      for (size_t k = 0; k < 3; ++k) place[k] += places[parent][k];
      turn = Product(turns[parent], turn);
    }
    places[i] = place;
    turns[i] = turn;
  }
  return places;
}

double LargestOf(const std::vector<float>& values) {
  double largest = 1;
  for (const float value : values) {
    largest = std::max(largest, std::abs(double{value}));
  }
  return largest;
}

// The largest distance between the played positions and those of the clip, in
// parts of the largest coordinate.
double ErrorOf(const Glb& glb, const Clip& clip, bool with_end_sites,
               double scale = 1) {
  const std::vector<float> wanted = PosesOf(clip, Positions(with_end_sites));
  const size_t rows =
      wanted.size() / 3 / static_cast<size_t>(clip.motion.frames);
  EXPECT_EQ(glb.json["nodes"].size(), rows);
  double worst = 0;
  for (int64_t frame = 0; frame < clip.motion.frames; ++frame) {
    const auto played =
        Play(glb, static_cast<double>(frame) * clip.motion.frame_time);
    for (size_t i = 0; i < rows; ++i) {
      for (size_t k = 0; k < 3; ++k) {
        const double way =
            played[i][k] -
            scale * wanted[(static_cast<size_t>(frame) * rows + i) * 3 + k];
        worst = std::max(worst, std::abs(way));
      }
    }
  }
  return worst / LargestOf(wanted) / scale;
}

TEST(Glb, EveryKeyPlaysThePositionsOfTheClip) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Clip clip = RandomClip({.max_joints = 12, .scales = true}, 9, seed);
    clip.motion.frame_time = 1.0 / 60;
    EXPECT_LT(ErrorOf(MakeGlb(clip, EveryKey()), clip, false), 1e-5);
    GlbFormat ends = EveryKey();
    ends.with_end_sites = true;
    EXPECT_LT(ErrorOf(MakeGlb(clip, ends), clip, true), 1e-5);
  }
}

// An arm that swings and wanders.
Clip Swing(int64_t frames) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy");
  const int arm = builder.Joint(hips, "Arm", "zxy");
  const int hand = builder.Joint(arm, "Hand", "xyz");
  builder.EndSite(builder.Joint(hand, "Still", "zxy"));
  Clip clip = CountingClip(builder.Build(), frames);
  clip.motion.frame_time = 1.0 / 100;
  const size_t width = clip.skeleton.channels.size();
  for (size_t i = 0; i < static_cast<size_t>(frames); ++i) {
    const double t = static_cast<double>(i) / 100;
    float* row = &clip.motion.values[i * width];
    std::fill_n(row, width, 0.0F);
    row[0] = static_cast<float>(std::sin(t));
    row[2] = static_cast<float>(t);
    row[3] = static_cast<float>(150 * t);
    row[6] = static_cast<float>(40 * std::sin(3 * t));
    row[8] = static_cast<float>(20 * std::cos(2 * t));
    row[9] = static_cast<float>(60 * std::sin(t));
    row[12] = 30;
  }
  return clip;
}

TEST(Glb, FewKeysKeepTheTolerance) {
  const Clip clip = Swing(500);
  const Glb glb = MakeGlb(clip);
  // The reach is 3: three rotations of 0.1 degrees, and 0.1 % of the reach.
  const double bound = 3 * 0.1 * 3.1416 / 180 * 3 + 0.003;
  EXPECT_LT(ErrorOf(glb, clip, false), bound);
  for (const int node : {0, 1, 2}) {
    const Curve curve = CurveOf(glb, node, "rotation");
    EXPECT_LT(curve.seconds.size(), 200) << node;
    EXPECT_EQ(curve.seconds.front(), 0);
    EXPECT_EQ(curve.seconds.back(), static_cast<float>(499 * 0.01));
  }
}

TEST(Glb, AConstantCurveHasOneKey) {
  const Glb glb = MakeGlb(Swing(500), EveryKey());
  EXPECT_EQ(CurveOf(glb, 3, "rotation").seconds, std::vector<float>{0});
  EXPECT_EQ(CurveOf(glb, 1, "rotation").seconds.size(), 500);
  EXPECT_TRUE(CurveOf(glb, 1, "translation").seconds.empty());
  EXPECT_EQ(CurveOf(glb, 0, "translation").seconds.size(), 500);
}

TEST(Glb, AStillClipKeepsItsDuration) {
  Clip clip = SmallLeg(61);
  clip.motion.frame_time = 0.5;
  std::fill(clip.motion.values.begin(), clip.motion.values.end(), 0.0F);
  const Glb glb = MakeGlb(clip);
  EXPECT_EQ(CurveOf(glb, 0, "translation").seconds,
            (std::vector<float>{0, 30}));
  EXPECT_EQ(CurveOf(glb, 0, "rotation").seconds, std::vector<float>{0});
}

TEST(Glb, QuaternionsHaveLengthOne) {
  const Curve curve = CurveOf(MakeGlb(Swing(500), EveryKey()), 0, "rotation");
  for (size_t i = 0; i < curve.values.size(); i += 4) {
    double square = 0;
    for (size_t k = 0; k < 4; ++k) {
      square += double{curve.values[i + k]} * curve.values[i + k];
    }
    ASSERT_NEAR(square, 1, 3e-7);
  }
}

TEST(Glb, LengthsAreMetresIfTheUnitIsKnown) {
  const Clip clip = Swing(20);
  const Glb glb = MakeGlb(clip, EveryKey(), {UpAxis::kY, 0.01});
  EXPECT_LT(ErrorOf(glb, clip, false, 0.01), 1e-5);
  EXPECT_EQ(glb.json["scenes"][0]["extras"]["unit"], "m");
  EXPECT_EQ(MakeGlb(clip).json["scenes"][0]["extras"]["unit"], "unknown");
}

TEST(Glb, YIsUpIfTheUpAxisIsKnown) {
  const Clip clip = Swing(20);
  const std::vector<float> wanted = PosesOf(clip, Positions(false));
  const Glb plain = MakeGlb(clip, EveryKey());
  EXPECT_EQ(plain.json["scenes"][0]["extras"]["up_axis"], "unknown");
  for (const UpAxis up : {UpAxis::kX, UpAxis::kZ}) {
    const Glb glb = MakeGlb(clip, EveryKey(), {up, 0});
    EXPECT_EQ(glb.json["scenes"][0]["extras"]["up_axis"], "y");
    for (const int64_t frame : {0, 7, 19}) {
      const auto time = static_cast<double>(frame) * clip.motion.frame_time;
      const auto turned = Play(glb, time);
      const auto file = Play(plain, time);
      for (size_t i = 0; i < file.size(); ++i) {
        const Vector& p = file[i];
        const Vector want = up == UpAxis::kZ ? Vector{p[0], p[2], -p[1]}
                                             : Vector{-p[1], p[0], p[2]};
        for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(turned[i][k], want[k], 1e-5);
      }
    }
  }
}

TEST(Glb, NamesAreThoseOfTheFile) {
  SkeletonBuilder builder;
  const std::string name = "\xE8\x85\xB0 \"a\"\\\n";
  const int root = builder.Root(name, "z");
  builder.EndSite(builder.Joint(root, name, "z"));
  GlbFormat format;
  format.with_end_sites = true;
  const Glb glb = MakeGlb(CountingClip(builder.Build(), 2), format);
  EXPECT_EQ(glb.json["nodes"][0]["name"], name);
  EXPECT_EQ(glb.json["nodes"][1]["name"], name);
  EXPECT_EQ(glb.json["nodes"][2]["name"], name + "_End");
  EXPECT_EQ(glb.json["scenes"][0]["nodes"], Json::parse("[0]"));
}

// So importers make them bones of an armature.
TEST(Glb, EachRootHasASkinOfItsNodes) {
  SkeletonBuilder builder;
  builder.Joint(builder.Root("a", "z"), "b", "z");
  const int root = builder.Root("c", "z");
  builder.Joint(root, "d", "z");
  builder.EndSite(builder.Joint(root, "e", "z"));
  GlbFormat format;
  format.with_end_sites = true;
  const Glb glb = MakeGlb(CountingClip(builder.Build(), 2), format);
  EXPECT_EQ(glb.json["skins"],
            Json::parse(R"([{"joints":[0,1]},{"joints":[2,3,4,5]}])"));
}

// glTF has no numbers for them.
TEST(Glb, ValuesThatAreNotFiniteAreReplaced) {
  Clip clip = Swing(50);
  const size_t width = clip.skeleton.channels.size();
  clip.motion.values[20 * width + 2] = NAN;
  clip.motion.values[21 * width + 2] = INFINITY;
  clip.motion.values[30 * width + 3] = NAN;
  const Encoded encoded = Encode(clip, EveryKey());
  ASSERT_TRUE(encoded.status.ok()) << encoded.status;
  const Glb glb = ReadGlb(encoded.bytes);
  for (const float value : Numbers<float>(glb.numbers)) {
    ASSERT_TRUE(std::isfinite(value));
  }
  ASSERT_EQ(encoded.report.issues.size(), 1);
  EXPECT_EQ(encoded.report.issues[0].code, "ANIM_VALUE_NOT_FINITE");
  EXPECT_EQ(encoded.report.issues[0].occurrences, 3);
  const Curve moves = CurveOf(glb, 0, "translation");
  EXPECT_EQ(moves.values[20 * 3 + 2], moves.values[19 * 3 + 2]);
  EXPECT_EQ(moves.values[21 * 3 + 2], moves.values[19 * 3 + 2]);
}

TEST(Glb, WithoutFramesIsASkeleton) {
  const Glb glb = MakeGlb(SmallLeg(0));
  EXPECT_EQ(glb.json["nodes"].size(), 3);
  EXPECT_FALSE(glb.json.contains("animations"));
  EXPECT_FALSE(glb.json.contains("buffers"));
}

TEST(Glb, NeedsAFrameTimeForSeveralFrames) {
  for (const double time : {0.0, -1.0, double{NAN}, 1e300, 1e-50}) {
    Clip clip = SmallLeg(3);
    clip.motion.frame_time = time;
    const Encoded encoded = Encode(clip, GlbFormat{});
    EXPECT_TRUE(absl::IsFailedPrecondition(encoded.status)) << time;
    EXPECT_EQ(encoded.bytes, "");
    EXPECT_EQ(encoded.report.issues.at(0).code, "TARGET_FRAME_TIME");
    Clip one = SmallLeg(1);
    one.motion.frame_time = time;
    EXPECT_EQ(MakeGlb(one).json["nodes"].size(), 3);
  }
}

TEST(Glb, HumanoidsOfVrmHaveTheirBones) {
  EXPECT_FALSE(MakeGlb(SmallLeg(2)).json.contains("extensions"));
  SkeletonBuilder builder;
  const int hips = builder.Root("hips", "XYZzxy");
  const int spine = builder.Joint(hips, "spine", "zxy");
  builder.Joint(spine, "head", "zxy");
  for (const std::string side : {"left", "right"}) {
    const int arm = builder.Joint(spine, side + "UpperArm", "zxy");
    builder.Joint(builder.Joint(arm, side + "LowerArm", "zxy"), side + "Hand",
                  "zxy");
  }
  const auto leg = [&](const std::string& side, const char* foot) {
    const int thigh = builder.Joint(hips, side + "UpperLeg", "zxy");
    builder.Joint(builder.Joint(thigh, side + "LowerLeg", "zxy"), side + foot,
                  "zxy");
  };
  leg("left", "Foot");
  SkeletonBuilder incomplete = builder;
  leg("right", "Foot");
  const Json json = MakeGlb(CountingClip(builder.Build(), 2)).json;
  const Json& bones =
      json["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"];
  EXPECT_EQ(json["extensionsUsed"][0], "VRMC_vrm_animation");
  EXPECT_EQ(bones.size(), 15);
  EXPECT_EQ(bones["hips"]["node"], 0);
  EXPECT_EQ(json["nodes"][bones["rightFoot"]["node"].get<int>()]["name"],
            "rightFoot");
  EXPECT_FALSE(
      MakeGlb(CountingClip(incomplete.Build(), 2)).json.contains("extensions"));
}

// Keys that are at the same frames share their times.
TEST(Glb, TimesAreShared) {
  const Glb glb = MakeGlb(Swing(50), EveryKey());
  std::set<int> inputs;
  for (const Json& sampler : glb.json["animations"][0]["samplers"]) {
    inputs.insert(sampler["input"].get<int>());
  }
  EXPECT_EQ(inputs.size(), 2);
}

}  // namespace
}  // namespace bvhmill::testing
