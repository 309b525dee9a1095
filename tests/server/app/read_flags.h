#pragma once

// Reads the flags of bvhmilld as its main program does.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/app/config.h"

namespace bvhmill::testing {

// The result of ReadConfig, and all that it printed.
struct Outcome {
  bool good = false;
  int exit_code = 0;
  server::ServerConfig config;
  std::string printed;
};

// Reads `args`, which do not include the name of the program.
inline Outcome Read(std::vector<std::string> args) {
  args.insert(args.begin(), "bvhmilld");
  std::vector<char*> argv;
  argv.reserve(args.size());
  for (std::string& arg : args) argv.push_back(arg.data());
  Outcome outcome;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  outcome.good = server::ReadConfig(static_cast<int>(argv.size()), argv.data(),
                                    &outcome.config, &outcome.exit_code);
  outcome.printed = ::testing::internal::GetCapturedStdout() +
                    ::testing::internal::GetCapturedStderr();
  return outcome;
}

}  // namespace bvhmill::testing
