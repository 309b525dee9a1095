#pragma once

// Ends a program that does not end by itself.

namespace bvhmill::server {

// The exit status of a program that was ended so.
inline constexpr int kStuckExit = 3;

// Ends the program with kStuckExit, and a line on stderr, if it still runs
// after `seconds`, at least 1. A timer of the system does it, so that it needs
// no thread and no memory when the time has come, and waits for nobody who
// reads stderr. Uses SIGALRM.
void EndAfter(int seconds);

}  // namespace bvhmill::server
