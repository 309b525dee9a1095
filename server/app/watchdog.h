#pragma once

// Ends a program that does not end by itself.

#include <string_view>

namespace bvhmill::server {

// The exit status of a program that was ended so.
inline constexpr int kStuckExit = 3;

// Writes `text` to stderr, unless its reader keeps that waiting.
void TellOperator(std::string_view text);

// Tells the operator `why` and ends the program with kStuckExit.
[[noreturn]] void EndNow(std::string_view why);

// Ends the program with kStuckExit, and a line on stderr, if it still runs
// after `seconds`, at least 1. A timer of the system does it: it needs no
// thread and no memory then. Uses SIGALRM.
void EndAfter(int seconds);

}  // namespace bvhmill::server
