#pragma once

// Shows a position in a text: its line, with a caret below.

#include <cstdint>
#include <string>
#include <string_view>

namespace bvhmill::client {

// The line of `text` that has the byte at `offset`, and a second line with a
// caret under that byte. Both are indented; the second has no line end. Tabs
// are kept, other control characters become \xNN. A byte order mark is not
// shown. Wide characters of East Asia count as two columns. A long line is cut
// on both sides of the place. Empty if the line is blank, or `offset` is not
// within the text or at its end.
std::string SourceLine(std::string_view text, int64_t offset);

// The column of the byte at `offset` in its line of `text`, counted from 1 in
// UTF-16 code units, as editors count. A byte order mark has no column. If the
// bytes before are no UTF-8, each counts as one. 0 if `offset` is not within
// the text or at its end. O(column).
int64_t Utf16Column(std::string_view text, int64_t offset);

}  // namespace bvhmill::client
