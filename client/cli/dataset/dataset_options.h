#pragma once

// The options of `validate` about a data set.

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace bvhmill::client {

struct ExpectationsFlags {
  // --expectations: the file of expectations for all clips. Empty: each clip
  // has the nearest .bvhmill.toml.
  std::string file;
  // --no-expectations: no clip has expectations.
  bool none = false;
};

struct BaselineFlags {
  // --baseline: a file whose issues are not reported again. Empty: none.
  std::string file;
  // The file that --write-baseline creates. Empty: none.
  std::string output;
};

struct DatasetFlags {
  ExpectationsFlags expectations;
  BaselineFlags baseline;
  // The file that --passed creates. Empty: none.
  std::string passed;
};

// Adds the options to `app`. Parsing writes their values into `flags`, which
// must live until then.
void AddDatasetOptions(CLI::App* app, DatasetFlags* flags);

}  // namespace bvhmill::client
