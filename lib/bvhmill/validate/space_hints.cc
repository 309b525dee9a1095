#include "bvhmill/validate/space_hints.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "bvhmill/clip/position_reading.h"
#include "bvhmill/report/short_number.h"
#include "bvhmill/validate/biped_measure.h"
#include "bvhmill/validate/sample_frames.h"

namespace bvhmill {
namespace {

// Sizes of people in some unit. A size between two bands is ambiguous and gives
// no hint.
struct Band {
  std::string_view unit;
  std::string_view meters;
  double least;
  double most;
};

constexpr Band kBands[] = {{"meters", "1", 1, 2.5},
                           {"inches", "0.0254", 45, 85},
                           {"centimeters", "0.01", 100, 250},
                           {"millimeters", "0.001", 1000, 2500}};

// The motion library of Carnegie Mellon uses a unit of its own, 1 / 0.45 inch.
// Its files are recognized by the name of a joint.
constexpr Band kCmu = {"units of 1/0.45 inch, as CMU has them", "0.0564444", 20,
                       36};
constexpr std::string_view kCmuJoint = "LHipJoint";

// Lowest and highest position of the hips, as a share of the size of the body.
constexpr double kLowHips = 0.3;
constexpr double kHighHips = 0.8;
// The factor by which a standing body is longer along its up axis than along
// the other one.
constexpr double kClearlyLonger = 1.5;
// The factor by which stretched arms can be wider than the body is high.
constexpr double kWidestArms = 1.5;

bool IsIn(const Band& band, double size) {
  return size >= band.least && size <= band.most;
}

bool HasJoint(const Skeleton& skeleton, std::string_view name) {
  return std::any_of(skeleton.nodes.begin(), skeleton.nodes.end(),
                     [name](const Node& node) { return node.name == name; });
}

const Band* FindBand(const Skeleton& skeleton, double size) {
  for (const Band& band : kBands) {
    if (IsIn(band, size)) return &band;
  }
  return IsIn(kCmu, size) && HasJoint(skeleton, kCmuJoint) ? &kCmu : nullptr;
}

bool AreHips(double height, double size) {
  return height >= kLowHips * size && height <= kHighHips * size;
}

// True if the root is at the height of hips along Z in all samples, but not
// along Y in all of them.
bool HipsAreAlongZ(const CheckedClip& clip, double size) {
  if (clip.frames == 0) return false;
  bool along_y = true;
  for (const int64_t frame : SampleFrames(clip)) {
    const auto at =
        PositionIn(clip.skeleton, clip.skeleton.nodes.front(), clip.Row(frame));
    if (!at || !AreHips((*at)[2], size)) return false;
    along_y = along_y && AreHips((*at)[1], size);
  }
  return !along_y;
}

void HintAtUnit(const CheckedClip& clip, const BipedMeasure& body,
                IssueLog* log) {
  const double size = SizeOf(body);
  const Band* band = FindBand(clip.skeleton, size);
  // The bands are those of people.
  if (band == nullptr || body.has_four_legs) return;
  log->Add(IssueCode::DATA_UNIT_GUESS, LocationOf(clip, 0),
           {{"extent", Short(size)},
            {"unit", std::string(band->unit)},
            {"meters", std::string(band->meters)}});
}

void HintAtUpAxis(const CheckedClip& clip, const BipedMeasure& body,
                  IssueLog* log) {
  if (!StandsAlongZ(clip)) return;
  const auto& [x, y, z] = body.extent;
  const auto at =
      PositionIn(clip.skeleton, clip.skeleton.nodes.front(), clip.Row(0));
  log->Add(
      IssueCode::DATA_UP_AXIS_GUESS, LocationOf(clip, 0),
      {{"evidence", "the rest pose measures " + Short(z) + " along Z and " +
                        Short(y) + " along Y, and the root is at " +
                        Short((*at)[2]) + " along Z"},
       {"axis", "Z"}});
}

}  // namespace

bool StandsAlongZ(const CheckedClip& clip) {
  if (!clip.facts.body) return false;
  const auto& [x, y, z] = clip.facts.body->extent;
  return z >= kClearlyLonger * y && z * kWidestArms >= x &&
         HipsAreAlongZ(clip, z);
}

void HintAtSpace(const CheckedClip& clip, IssueLog* log) {
  const bool has_unit = clip.source.meters_per_unit != 0;
  const bool has_axis = clip.source.up_axis != UpAxis::kUnknown;
  if (has_unit && has_axis) return;
  const std::optional<BipedMeasure>& body = clip.facts.body;
  if (!body) return;
  if (!has_unit) HintAtUnit(clip, *body, log);
  // If head and feet are known, all frames say more; see CheckFloor.
  const bool has_head = clip.facts.landmarks.head >= 0;
  if (!has_axis && !has_head) HintAtUpAxis(clip, *body, log);
}

}  // namespace bvhmill
