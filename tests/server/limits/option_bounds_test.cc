// Bounds on the entries and lengths of options: each at its bound, and one
// beyond it.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bvhmill/base/limits.h"
#include "server/app/config.h"
#include "tests/server/fixture.h"
#include "tests/server/limits.h"

namespace bvhmill::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Bound {
  const char* name;
  const char* field;
  size_t most;
  // Sets `count` entries, or one entry of `count` bytes.
  void (*put)(size_t count, v1::ConvertOptions* options);
  // The status at the bound itself: some options fit no clip.
  StatusCode at_most = StatusCode::OK;
};

void PrintTo(const Bound& bound, std::ostream* out) { *out << bound.name; }

using Options = v1::ConvertOptions;

v1::AnimFormat* AnimOf(Options* options) {
  return options->mutable_outputs(0)->mutable_anim();
}

void AddRow(const std::string& from, const std::string& to, Options* options) {
  v1::JointMapRow* row = options->mutable_edits()->add_joint_map_rows();
  row->set_source(from);
  row->set_target(to);
}

void Rename(const std::string& from, const std::string& to, Options* options) {
  (*options->mutable_edits()->mutable_rename())[from] = to;
}

void SetSeverity(const std::string& code, Options* options) {
  auto* all = options->mutable_validation()->mutable_severities();
  (*all)[code] = v1::SEVERITY_INFO;
}

std::string Long(size_t bytes) { return std::string(bytes, 'n'); }

const Bound kBounds[] = {
    {"IgnoreCodes", "options.validation.ignore", kMaxCodes,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_validation()->add_ignore("TEXT_EMPTY");
     }},
    {"OnlyCodes", "options.validation.only", kMaxCodes,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_validation()->add_only("TEXT_EMPTY");
     }},
    // There are fewer codes than the bound.
    {"Severities", "options.validation.severities", kMaxCodes,
     [](size_t n, Options* o) {
       while (n-- > 0) SetSeverity(std::to_string(n), o);
     },
     StatusCode::INVALID_ARGUMENT},
    {"DropJoints", "options.edits.drop", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_edits()->add_drop("Spine");
     }},
    {"KeepJoints", "options.edits.keep", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) o->mutable_edits()->add_keep("Hips");
     }},
    {"RenameJoints", "options.edits.rename", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) Rename(std::to_string(n), "a", o);
     },
     StatusCode::INVALID_ARGUMENT},
    {"MapRows", "options.edits.joint_map_rows", kMaxJointNames,
     [](size_t n, Options* o) {
       while (n-- > 0) AddRow(n == 0 ? "Hips" : std::to_string(n), "a", o);
     }},
    {"DroppedName", "options.edits.drop", kMaxJointNameBytes,
     [](size_t n, Options* o) { o->mutable_edits()->add_drop(Long(n)); },
     StatusCode::INVALID_ARGUMENT},
    {"KeptName", "options.edits.keep", kMaxJointNameBytes,
     [](size_t n, Options* o) { o->mutable_edits()->add_keep(Long(n)); },
     StatusCode::INVALID_ARGUMENT},
    {"NewName", "options.edits.rename", kMaxJointNameBytes,
     [](size_t n, Options* o) { Rename("Hips", Long(n), o); }},
    {"MapTarget", "options.edits.joint_map_rows", kMaxJointNameBytes,
     [](size_t n, Options* o) { AddRow("Hips", Long(n), o); }},
    {"OutputId", "options.outputs[0].id", kMaxOutputIdBytes,
     [](size_t n, Options* o) { o->mutable_outputs(0)->set_id(Long(n)); }},
    // The clip has none of the avatar's joints.
    {"Priorities", "options.outputs[0].anim.joint_priority",
     kMaxJointPriorities,
     [](size_t n, Options* o) {
       while (n-- > 0) AnimOf(o)->add_joint_priority()->set_joint("mPelvis");
     },
     StatusCode::FAILED_PRECONDITION},
};

class BoundTest : public LimitsTest,
                  public ::testing::WithParamInterface<Bound> {
 protected:
  static v1::ConvertClipRequest Ask(size_t count) {
    v1::ConvertClipRequest request = PositionsRequest(SmallClip());
    GetParam().put(count, request.mutable_options());
    return request;
  }

  static std::string MoreThanMax() {
    return ", more than " + std::to_string(GetParam().most);
  }
};

INSTANTIATE_TEST_SUITE_P(Limits, BoundTest, ::testing::ValuesIn(kBounds),
                         [](const auto& info) { return info.param.name; });

TEST_P(BoundTest, NamesTheField) {
  StartWith([](server::ServerConfig*) {});
  const grpc::Status at_most = Convert(Ask(GetParam().most));
  const v1::Status most = OutcomeOf(at_most, converted_.result());
  EXPECT_EQ(most.code(), GetParam().at_most) << most.message();
  EXPECT_THAT(most.message(), Not(HasSubstr(MoreThanMax())));
  const grpc::Status more = Convert(Ask(GetParam().most + 1));
  EXPECT_EQ(more.error_code(), StatusCode::INVALID_ARGUMENT);
  const v1::BadRequest bad = DetailsOf(more).bad_request;
  ASSERT_EQ(bad.field_violations_size(), 1);
  EXPECT_EQ(bad.field_violations(0).field(), GetParam().field);
  EXPECT_THAT(bad.field_violations(0).description(), HasSubstr(MoreThanMax()));
}

TEST_P(BoundTest, NamesTheFieldOfOneClip) {
  StartWith([](server::ServerConfig*) {});
  const Request most = Whole("most", Ask(GetParam().most));
  const Request more = Whole("more", Ask(GetParam().most + 1));
  Results results;
  const grpc::Status ended = Run({more, most}, &results);
  ASSERT_TRUE(ended.ok()) << ended.error_code() << ended.error_message();
  EXPECT_EQ(results["most"].status().code(), GetParam().at_most);
  const v1::ClipResult& refused = results["more"];
  EXPECT_EQ(refused.status().code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.status().message(), StartsWith(GetParam().field));
  EXPECT_THAT(refused.status().message(), HasSubstr(MoreThanMax()));
  EXPECT_EQ(refused.report().verdict(), v1::VERDICT_UNSPECIFIED);
}

// Where the codes that would say why are not wanted.
TEST_F(LimitsTest, ImpossibleOutputsWhoseReasonsAreIgnored) {
  StartWith([](server::ServerConfig*) {});
  const std::pair<v1::AnimProfile, std::vector<const char*>> cases[] = {
      {v1::ANIM_PROFILE_BEST, {"TARGET_ANIM_NO_JOINTS", "ANIM_NO_JOINTS"}},
      {v1::ANIM_PROFILE_VIEWER, {"TARGET_ANIM_VIEWER", "ANIM_IMPORT_REFUSED"}}};
  for (const auto& [profile, codes] : cases) {
    v1::ConvertClipRequest clip = PositionsRequest(TinyClip());
    AnimOf(clip.mutable_options())->set_profile(profile);
    for (const char* code : codes) {
      clip.mutable_options()->mutable_validation()->add_ignore(code);
    }
    ASSERT_TRUE(Convert(clip).ok());
    Results results;
    ASSERT_TRUE(Run({Whole("k", clip)}, &results).ok());
    for (const v1::Status& status :
         {converted_.result().status(), results["k"].status()}) {
      EXPECT_EQ(status.code(), StatusCode::FAILED_PRECONDITION);
      EXPECT_EQ(status.info().reason(), "OUTPUT_IMPOSSIBLE") << profile;
      EXPECT_NE(status.message(), "");
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
