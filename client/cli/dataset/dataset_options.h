#pragma once

// The options of `validate` about a data set.

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace bvhmill::client {

struct ExpectationsFlags {
  // The file for all clips; empty: the nearest one of each clip.
  std::string file;
  // True: no clip has expectations.
  bool none = false;
};

struct BaselineFlags {
  // The baseline whose issues are not reported; empty: none.
  std::string file;
  // The baseline that is written; empty: none.
  std::string written;
};

struct DatasetFlags {
  ExpectationsFlags expectations;
  BaselineFlags baseline;
};

// Adds the options to `app`. Parsing writes their values into `flags`, which
// must live until then.
void AddDatasetOptions(CLI::App* app, DatasetFlags* flags);

}  // namespace bvhmill::client
