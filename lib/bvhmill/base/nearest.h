#pragma once

// Finds the known word that is most similar to a word with a typing error.

#include <string>
#include <string_view>
#include <vector>

namespace bvhmill {

// The word of `known` that needs the fewest edits to become `word`; the first
// one of several. An edit adds, removes or replaces a letter, or exchanges two
// neighbours; case is ignored. Empty if every word needs more than
// max(2, n / 3) edits, or at least n / 2, for the n bytes of `word`.
std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& known);

// "; did you mean 'NAME'?", to end a message; empty if none is near.
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& known);

}  // namespace bvhmill
