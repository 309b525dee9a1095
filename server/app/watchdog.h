#pragma once

// Ends a program that does not end by itself.

namespace bvhmill::server {

// The exit status of a program that was ended so.
inline constexpr int kStuckExit = 3;

// Ends the program with kStuckExit, and a line on stderr, if it still runs
// after `seconds`, at least 1. A timer of the system does it: it needs no
// thread and no memory then, and does not wait for a reader of stderr. Uses
// SIGALRM.
void EndAfter(int seconds);

}  // namespace bvhmill::server
