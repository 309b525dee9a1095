#pragma once

// Programs that tests and benches start, and which end with them.

#include <sys/types.h>

#include <string>
#include <vector>

namespace bvhmill::bench {

// Runs a command of the shell; what it prints is appended to `text`, errors
// included. Returns what pclose returns.
int RunCommand(const std::string& command, std::string* text);

// Starts a program; what it prints is appended to the file `log`. `user` is the
// name of the user that it runs as if this program is root; empty = the same.
// It gets SIGQUIT when this program ends. Returns its process, or -1.
pid_t StartProgram(const std::vector<std::string>& args, const std::string& log,
                   const std::string& user);

// A port of 127.0.0.1 that no program listens on now.
int FreePort();

}  // namespace bvhmill::bench
