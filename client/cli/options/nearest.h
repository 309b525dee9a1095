#pragma once

// The known word that a mistyped one was probably meant to be.

#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::client {

// The one of `known` that takes the fewest edits of `word`; the first of
// several. An edit adds, removes or replaces a letter, or exchanges two
// neighbours; case does not count. Empty if all need more than two edits and
// more than a third of the letters of `word`, or half of them.
std::string_view Nearest(std::string_view word,
                         const std::vector<std::string_view>& known);

// "; did you mean 'NAME'?", to end a message; empty if none is near.
std::string DidYouMean(std::string_view word,
                       const std::vector<std::string_view>& known);

}  // namespace bvhmill::client
