#include "client/cli/dataset/skeletons.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "client/cli/dataset/content_hash.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

std::string Quoted(const std::string& name) {
  return "'" + Printable(name) + "'";
}

std::string NameOf(const JointInfo& joint) {
  return joint.end_site ? "an end site" : Quoted(joint.name);
}

std::string ParentOf(const JointList& joints, size_t i) {
  const int32_t parent = joints[i].parent;
  const bool is_known =
      parent >= 0 && static_cast<size_t>(parent) < joints.size();
  return is_known ? Quoted(joints[static_cast<size_t>(parent)].name)
                  : "no joint";
}

std::string ChannelsOf(const JointInfo& joint) {
  return joint.channels.empty() ? "none" : joint.channels;
}

// The difference of joint `i` of `found`; empty if there is none. The reader
// makes the names of end sites, so they are not compared.
std::string JointDifference(const JointList& expected, const JointList& found,
                            size_t i) {
  const JointInfo& want = expected[i];
  const JointInfo& got = found[i];
  const std::string number = std::to_string(i);
  const bool same_kind = want.end_site == got.end_site;
  if (!same_kind || (!want.end_site && want.name != got.name)) {
    return "joint " + number + " is " + NameOf(got) + ", not " + NameOf(want);
  }
  const std::string which = "joint " + number + " " + NameOf(got);
  if (want.parent != got.parent) {
    return "the parent of " + which + " is " + ParentOf(found, i) + ", not " +
           ParentOf(expected, i);
  }
  if (want.channels != got.channels) {
    return "the channels of " + which + " are " + ChannelsOf(got) + ", not " +
           ChannelsOf(want);
  }
  return {};
}

// `what` is a plural; `surplus` is the index of the first joint too many, -1 if
// there is none.
SkeletonDifference CountDifference(size_t expected, size_t found,
                                   const std::string& what, int32_t surplus) {
  if (expected == found) return {};
  return {
      std::to_string(found) + " " + what + ", not " + std::to_string(expected),
      surplus};
}

}  // namespace

uint64_t SkeletonKey(const JointList& joints) {
  std::string text;
  for (const JointInfo& joint : joints) {
    text += joint.end_site ? "\n" : joint.name;
    text += '\0';
    text += std::to_string(joint.parent) + " " + joint.channels;
    text += '\0';
  }
  return Xxh64(text);
}

SkeletonDifference CompareSkeletons(const JointList& expected,
                                    const JointList& found) {
  const size_t both = std::min(expected.size(), found.size());
  for (size_t i = 0; i < both; ++i) {
    std::string text = JointDifference(expected, found, i);
    if (!text.empty()) return {std::move(text), static_cast<int32_t>(i)};
  }
  const bool has_more = found.size() > expected.size();
  return CountDifference(expected.size(), found.size(), "joints and end sites",
                         has_more ? static_cast<int32_t>(both) : -1);
}

SkeletonDifference CompareNames(const std::vector<std::string>& expected,
                                const JointList& found) {
  size_t place = 0;
  int32_t surplus = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    const JointInfo& joint = found[i];
    if (joint.end_site) continue;
    if (place == expected.size()) surplus = static_cast<int32_t>(i);
    if (place < expected.size() && expected[place] != joint.name) {
      return {"joint " + std::to_string(i) + " is " + NameOf(joint) + ", not " +
                  Quoted(expected[place]),
              static_cast<int32_t>(i)};
    }
    ++place;
  }
  return CountDifference(expected.size(), place, "joints", surplus);
}

int64_t CountJoints(const JointList& joints) {
  return std::count_if(joints.begin(), joints.end(),
                       [](const JointInfo& joint) { return !joint.end_site; });
}

}  // namespace bvhmill::client
