// The options of repairs.

#include <optional>
#include <string>
#include <string_view>

#include "client/cli/options/edit_options.h"
#include "client/cli/options/options.h"

namespace bvhmill::client {
namespace {

CLI::Option* AddRepair(CLI::App* app, const std::string& name, bool* chosen,
                       const std::string& help) {
  return app->add_flag(name, *chosen, help)->group("Repairs");
}

}  // namespace

void AddRepairOptions(CLI::App* app, Repairs* repairs) {
  AddRepair(app, "--drop-repeated", &repairs->drop_repeated_frames,
            "drop frames that repeat the one before, if only every\n"
            "n-th frame is new; the rate becomes n times lower");
  AddRepair(app, "--snap-rate", &repairs->snap_frame_time,
            "correct a frame time within 1.1 % of a common rate:\n"
            "0.033 becomes 1/30");
  AddParsed(app, "--fill-gaps", &repairs->fill_gap_frames, CountOf,
            "a number of frames",
            "interpolate values that are no numbers, where at most\n"
            "N frames in a row lack them")
      ->type_name("N")
      ->group("Repairs");
  AddRepair(app, "--replace-spikes", &repairs->replace_spikes,
            "put a joint that is elsewhere for one frame halfway\n"
            "between the frames before and after");
  AddRepair(app, "--unwrap", &repairs->unwrap_angles,
            "let angles go on beyond 180 degrees instead of\n"
            "jumping by a full turn");
}

}  // namespace bvhmill::client
