#include "client/cli/dataset/baseline_use.h"

#include <algorithm>
#include <vector>

#include "client/cli/io/item_key.h"
#include "client/cli/ui/text.h"

namespace bvhmill::client {
namespace {

// Files that are named.
constexpr size_t kMaxFiles = 5;

std::string FoundAgain(const BaselineMatch& match) {
  return std::to_string(match.found) + " of " +
         Count(match.looked_for, "known issue") + " found again";
}

// Issues of clips that were not checked as a whole, and of codes that are not
// listed.
std::string NotLookedFor(int64_t left) {
  return Count(left, "known issue") + (left == 1 ? " was" : " were") +
         " not looked for";
}

std::string Elsewhere(const BaselineMatch& match) {
  const std::vector<std::string>& files = match.files_elsewhere;
  std::string text = Count(match.elsewhere, "known issue") +
                     (match.elsewhere == 1 ? " is" : " are") + " of " +
                     Count(static_cast<int64_t>(files.size()), "file") +
                     (files.size() == 1 ? " that is" : " that are") +
                     " not among the inputs: ";
  const size_t named = std::min(files.size(), kMaxFiles);
  for (size_t i = 0; i < named; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(NameOfKey(files[i]));
  }
  if (files.size() > named) {
    text += " and " + std::to_string(files.size() - named) + " more";
  }
  return text;
}

std::string NotJudged(int64_t clips) {
  return "the motion of " + Count(clips, "clip") +
         " is not judged by all rules, as known issues say: new faults may be "
         "missed";
}

}  // namespace

std::string BaselineUse(const std::string& path, const Baseline& baseline,
                        std::span<const Input> inputs) {
  std::vector<std::string> paths;
  for (const Input& input : inputs) paths.push_back(input.path);
  const BaselineMatch match = baseline.Match(paths);
  const std::string note = Printable(path) + ": note: ";
  std::string out;
  if (match.looked_for > 0) out += note + FoundAgain(match) + "\n";
  if (match.not_judged > 0) out += note + NotJudged(match.not_judged) + "\n";
  const int64_t left = match.all - match.looked_for - match.elsewhere;
  if (left > 0) out += note + NotLookedFor(left) + "\n";
  if (match.elsewhere > 0) out += note + Elsewhere(match) + "\n";
  if (match.elsewhere > 0 && match.elsewhere == match.all) {
    out += note + "it names files relative to its own folder\n";
  }
  if (baseline.rules_version() != kRulesVersion) {
    out += note + "the baseline was written with rules " +
           Printable(baseline.rules_version()) + ", and these are " +
           std::string(kRulesVersion) + "\n";
  }
  return out;
}

}  // namespace bvhmill::client
