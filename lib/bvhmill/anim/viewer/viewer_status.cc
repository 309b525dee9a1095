#include "bvhmill/anim/viewer/viewer_status.h"

namespace bvhmill {
namespace {

struct Row {
  ViewerStatus status;
  std::string_view name;
  std::string_view meaning;
};

constexpr Row kRows[] = {
    {ViewerStatus::kOk, "E_ST_OK", "it is accepted"},
    {ViewerStatus::kEof, "E_ST_EOF", "the text ends too early"},
    {ViewerStatus::kNoHierarchy, "E_ST_NO_HIER",
     "the first line lacks HIERARCHY"},
    {ViewerStatus::kNoJoint, "E_ST_NO_JOINT",
     "a line of the hierarchy is no ROOT, JOINT or End Site"},
    {ViewerStatus::kNoName, "E_ST_NO_NAME", "a joint has no name"},
    {ViewerStatus::kNoOffset, "E_ST_NO_OFFSET",
     "a joint is not followed by a line with { and one with OFFSET"},
    {ViewerStatus::kNoChannels, "E_ST_NO_CHANNELS",
     "OFFSET is not followed by a line with CHANNELS"},
    {ViewerStatus::kNoRotation, "E_ST_NO_ROTATION",
     "a joint has less than three rotations"},
    {ViewerStatus::kNoAxis, "E_ST_NO_AXIS",
     "a rotation is about none of X, Y and Z"},
    {ViewerStatus::kNoFrames, "E_ST_NO_FRAMES",
     "MOTION is not followed by Frames: and a number"},
    {ViewerStatus::kNoFrameTime, "E_ST_NO_FRAME_TIME",
     "Frames: is not followed by Frame Time: and a number"},
    {ViewerStatus::kNoPosition, "E_ST_NO_POS",
     "a row has too few values, or a word that is no number"},
    {ViewerStatus::kBadRoot, "E_ST_BAD_ROOT",
     "the first joint is not called hip, mPelvis or avatar_mPelvis"},
};

const Row& RowOf(ViewerStatus status) {
  for (const Row& row : kRows) {
    if (row.status == status) return row;
  }
  return kRows[0];
}

}  // namespace

std::string_view ViewerStatusName(ViewerStatus status) {
  return RowOf(status).name;
}

std::string_view ViewerStatusMeaning(ViewerStatus status) {
  return RowOf(status).meaning;
}

}  // namespace bvhmill
