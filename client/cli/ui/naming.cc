#include "client/cli/ui/naming.h"

#include "bvhmill/skeletons/recognize.h"
#include "client/cli/ui/json_text.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

Recognition RecognizeJoints(const ClipInfo& info) {
  Skeleton skeleton;
  for (const JointInfo& joint : info.joints) {
    Node node;
    node.name = joint.name;
    // A server may send any number.
    const auto at = static_cast<int32_t>(skeleton.nodes.size());
    node.parent = joint.parent >= 0 && joint.parent < at ? joint.parent : -1;
    node.kind = joint.end_site ? NodeKind::kEndSite : NodeKind::kJoint;
    skeleton.nodes.push_back(std::move(node));
  }
  return Recognize(skeleton);
}

}  // namespace

std::string NamingText(const ClipInfo& info) {
  const Recognition found = RecognizeJoints(info);
  if (found.matched == 0) return "unknown";
  std::string out(found.scheme == nullptr ? "mixed" : found.scheme->name);
  out += ", " + std::to_string(found.matched) + " of " +
         Count(found.joints, "joint");
  if (!found.prefix.empty()) out += ", prefix " + Printable(found.prefix);
  return out;
}

std::string NamingJson(const ClipInfo& info) {
  const Recognition found = RecognizeJoints(info);
  return JsonObject(
      {{"scheme",
        found.scheme == nullptr ? "null" : JsonQuote(found.scheme->name)},
       {"prefix", JsonQuote(found.prefix)},
       {"matched", std::to_string(found.matched)}});
}

}  // namespace bvhmill::client
