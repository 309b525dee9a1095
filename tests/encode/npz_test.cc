#include <gtest/gtest.h>

#include "tests/encode/encode_support.h"
#include "tests/support/clips.h"

namespace bvhmill::testing {
namespace {

using Arrays = std::map<std::string, Npy>;

Arrays ArraysOf(const Encoded& encoded) {
  Arrays out;
  for (const auto& [name, bytes] : ReadZip(encoded.bytes)) {
    out[name] = ReadNpy(bytes);
  }
  return out;
}

Arrays ReadNpz(const Clip& clip, bool with_end_sites) {
  const Encoded encoded =
      Encode(clip, NpzFormat{.with_end_sites = with_end_sites});
  EXPECT_TRUE(encoded.status.ok()) << encoded.status;
  EXPECT_EQ(encoded.info.media_type, "application/zip");
  EXPECT_FALSE(encoded.info.tensor.has_value());
  return ArraysOf(encoded);
}

// Hips, a knee with a label on its end site, a tail, and a second root.
Clip Figure(int64_t frames) {
  SkeletonBuilder builder;
  const int hips = builder.Root("Hips", "XYZzxy", {0, 1.5, 0});
  const int knee = builder.Joint(hips, "Kn\xC3\xA9", "xyzijk", {0, -40, 0});
  builder.EndSite(knee, "", {1, 2, 3});
  builder.Joint(hips, "\xE8\x86\x9D\xF0\x9F\xA6\xB5", "", {4, 5, 6});
  builder.Root("Second", "zY");
  return CountingClip(builder.Build(), frames);
}

struct ArrayCase {
  std::string_view name;
  std::string_view dtype;
  std::string_view shape;
};

void ExpectTypes(const Arrays& arrays, const std::vector<ArrayCase>& cases) {
  EXPECT_EQ(arrays.size(), cases.size());
  for (const ArrayCase& c : cases) {
    const auto it = arrays.find(std::string(c.name));
    ASSERT_NE(it, arrays.end()) << c.name;
    EXPECT_EQ(it->second.dtype, c.dtype) << c.name;
    EXPECT_EQ(it->second.shape, c.shape) << c.name;
  }
}

TEST(Npz, ArraysOfJoints) {
  const Clip clip = Figure(5);
  const Arrays arrays = ReadNpz(clip, false);
  ExpectTypes(arrays, {{"positions.npy", "<f4", "(5, 4, 3)"},
                       {"rotations.npy", "<f4", "(5, 4, 4)"},
                       {"names.npy", "<U6", "(4,)"},
                       {"parents.npy", "<i4", "(4,)"},
                       {"offsets.npy", "<f4", "(4, 3)"},
                       {"channels.npy", "<U6", "(4,)"},
                       {"frame_time.npy", "<f8", "()"}});
  const auto numbers = [&](const char* name) {
    return Numbers<float>(arrays.at(name).data);
  };
  EXPECT_EQ(numbers("positions.npy"), PosesOf(clip, Positions(false)));
  EXPECT_EQ(numbers("rotations.npy"), PosesOf(clip, LocalRotations(false)));
  EXPECT_EQ(numbers("offsets.npy"),
            (std::vector<float>{0, 1.5, 0, 0, -40, 0, 4, 5, 6, 0, 0, 0}));
  EXPECT_EQ(Numbers<double>(arrays.at("frame_time.npy").data),
            std::vector<double>{clip.motion.frame_time});
}

TEST(Npz, NamesParentsAndChannels) {
  const Arrays joints = ReadNpz(Figure(1), false);
  EXPECT_EQ(
      Strings(joints.at("names.npy")),
      (std::vector<std::string>{"Hips", "Kn\xC3\xA9",
                                "\xE8\x86\x9D\xF0\x9F\xA6\xB5", "Second"}));
  EXPECT_EQ(Strings(joints.at("channels.npy")),
            (std::vector<std::string>{"XYZzxy", "xyzijk", "", "zY"}));
  EXPECT_EQ(Numbers<int32_t>(joints.at("parents.npy").data),
            (std::vector<int32_t>{-1, 0, 0, -1}));
  const Arrays nodes = ReadNpz(Figure(1), true);
  EXPECT_EQ(
      Strings(nodes.at("names.npy")),
      (std::vector<std::string>{"Hips", "Kn\xC3\xA9", "Kn\xC3\xA9_End",
                                "\xE8\x86\x9D\xF0\x9F\xA6\xB5", "Second"}));
  EXPECT_EQ(Numbers<int32_t>(nodes.at("parents.npy").data),
            (std::vector<int32_t>{-1, 0, 1, 0, -1}));
}

// With a joint after an end site, `parents` still counts rows of the archive.
TEST(Npz, ParentsFitTheRowsOfTheArchive) {
  SkeletonBuilder builder;
  const int root = builder.Root("A", "z");
  builder.EndSite(root);
  const int second = builder.Joint(root, "B", "z");
  builder.EndSite(second);
  const int third = builder.Joint(second, "C", "z");
  builder.Joint(third, "D", "z");
  const Clip clip = CountingClip(builder.Build(), 1);
  EXPECT_EQ(Numbers<int32_t>(ReadNpz(clip, false).at("parents.npy").data),
            (std::vector<int32_t>{-1, 0, 1, 2}));
  EXPECT_EQ(Numbers<int32_t>(ReadNpz(clip, true).at("parents.npy").data),
            (std::vector<int32_t>{-1, 0, 0, 2, 2, 4}));
}

TEST(Npz, EndSitesHaveRowsAndTheIdentity) {
  const Clip clip = Figure(4);
  const Arrays arrays = ReadNpz(clip, true);
  EXPECT_EQ(arrays.at("positions.npy").shape, "(4, 5, 3)");
  EXPECT_EQ(arrays.at("rotations.npy").shape, "(4, 5, 4)");
  EXPECT_EQ(Numbers<float>(arrays.at("positions.npy").data),
            PosesOf(clip, Positions(true)));
  const auto wanted = PosesOf(clip, LocalRotations(true));
  for (size_t row = 2; row < 20; row += 5) {
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(wanted[row * 4 + i], i == 3 ? 1 : 0) << row;
    }
  }
  EXPECT_EQ(Numbers<float>(arrays.at("rotations.npy").data), wanted);
}

TEST(Npz, NamesThatAreNotUtf8AreShown) {
  SkeletonBuilder builder;
  builder.Root("\xFCn\xEF", "z");
  const Arrays arrays = ReadNpz(CountingClip(builder.Build(), 1), false);
  EXPECT_EQ(Strings(arrays.at("names.npy")),
            std::vector<std::string>{"\xC3\xBCn\xC3\xAF"});
}

// As NumPy has them: no strings have a width of 0.
TEST(Npz, EmptyStringsAreOneWide) {
  SkeletonBuilder builder;
  builder.Joint(builder.Root("Hips", ""), "Leg", "");
  const Arrays arrays = ReadNpz(CountingClip(builder.Build(), 1), false);
  EXPECT_EQ(arrays.at("channels.npy").dtype, "<U1");
  EXPECT_EQ(Strings(arrays.at("channels.npy")),
            (std::vector<std::string>{"", ""}));
}

TEST(Npz, WithoutFrames) {
  const Arrays arrays = ReadNpz(Figure(0), true);
  EXPECT_EQ(arrays.at("positions.npy").shape, "(0, 5, 3)");
  EXPECT_EQ(arrays.at("positions.npy").data, "");
  EXPECT_EQ(arrays.at("rotations.npy").data, "");
}

// The arrays that are asked for are those of the formats of their names.
TEST(Npz, ArraysAreTheTensorsOfTheirKinds) {
  const Clip clip = Figure(5);
  for (const RotationKind kind : {RotationKind::kQuaternion,
                                  RotationKind::kMatrix, RotationKind::kSixD}) {
    for (const RotationSpace space :
         {RotationSpace::kLocal, RotationSpace::kWorld}) {
      NpzFormat format;
      format.rotation_kind = kind;
      format.rotation_space = space;
      format.positions = false;
      const Arrays arrays = ArraysOf(Encode(clip, format));
      EXPECT_FALSE(arrays.contains("positions.npy"));
      RotationsFormat rotations;
      rotations.rotation_kind = kind;
      rotations.rotation_space = space;
      EXPECT_EQ(arrays.at("rotations.npy").data, Encode(clip, rotations).bytes);
    }
  }
  const std::string matrix = [&] {
    NpzFormat format;
    format.rotation_kind = RotationKind::kMatrix;
    return ArraysOf(Encode(clip, format)).at("rotations.npy").shape;
  }();
  EXPECT_EQ(matrix, "(5, 4, 3, 3)");
}

}  // namespace
}  // namespace bvhmill::testing
