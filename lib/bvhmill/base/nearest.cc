#include "bvhmill/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace bvhmill {
namespace {

char Lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Costs a.size() * b.size(). Rows of the usual table: `now` is that of the
// first i + 1 letters of `a`, `last` and `older` are the two before it.
size_t EditsBetween(std::string_view a, std::string_view b) {
  std::vector<size_t> older;
  std::vector<size_t> last(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    std::vector<size_t> now = {i + 1};
    for (size_t j = 0; j < b.size(); ++j) {
      const bool same = Lower(a[i]) == Lower(b[j]);
      size_t edits =
          std::min({last[j] + (same ? 0 : 1), last[j + 1] + 1, now[j] + 1});
      const bool swapped = i > 0 && j > 0 && Lower(a[i]) == Lower(b[j - 1]) &&
                           Lower(a[i - 1]) == Lower(b[j]);
      if (swapped) edits = std::min(edits, older[j - 1] + 1);
      now.push_back(edits);
    }
    older = std::exchange(last, std::move(now));
  }
  return last.back();
}

}  // namespace

std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& known) {
  if (word.empty()) return {};
  const size_t limit =
      std::min(std::max<size_t>(2, word.size() / 3), (word.size() - 1) / 2);
  std::string_view nearest;
  size_t fewest = limit + 1;
  for (const std::string_view name : known) {
    // Each letter more or less is an edit: most words need no look.
    if (std::max(name.size(), word.size()) -
            std::min(name.size(), word.size()) >
        limit) {
      continue;
    }
    const size_t edits = EditsBetween(word, name);
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& known) {
  const std::string_view nearest = Nearest(word, known);
  return nearest.empty() ? ""
                         : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace bvhmill
