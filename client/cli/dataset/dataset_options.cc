#include "client/cli/dataset/dataset_options.h"

#include <CLI/CLI.hpp>

namespace bvhmill::client {
namespace {

constexpr char kGroup[] = "Data set";

void AddExpectations(CLI::App* app, ExpectationsFlags* flags) {
  CLI::Option* file =
      app->add_option("--expectations", flags->file,
                      "read the expectations of all clips from FILE; default:\n"
                      "the nearest .bvhmill.toml in the folder of a clip or a\n"
                      "folder above")
          ->type_name("FILE")
          ->group(kGroup);
  app->add_flag("--no-expectations", flags->none, "read no .bvhmill.toml")
      ->excludes(file)
      ->group(kGroup);
}

void AddBaselines(CLI::App* app, BaselineFlags* flags) {
  app->add_option("--baseline", flags->file,
                  "report only issues that the baseline in FILE does not have")
      ->type_name("FILE")
      ->group(kGroup);
  app->add_option("--write-baseline", flags->output,
                  "write all issues that are found into FILE, as a baseline")
      ->type_name("FILE")
      ->group(kGroup);
}

}  // namespace

void AddDatasetOptions(CLI::App* app, DatasetFlags* flags) {
  AddExpectations(app, &flags->expectations);
  AddBaselines(app, &flags->baseline);
  app->add_option("--passed", flags->passed,
                  "write the clips that pass into FILE, with their checksums:\n"
                  "sha256sum -c FILE checks them")
      ->type_name("FILE")
      ->group(kGroup);
}

}  // namespace bvhmill::client
