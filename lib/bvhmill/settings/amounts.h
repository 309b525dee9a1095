#pragma once

// Amounts in settings as text: counts, and numbers of bytes and of seconds with
// or without a unit.
//
//   int64_t bytes = 0;
//   const std::string why =
//       ParseAmount("1.5GiB", LimitUnit::kBytes, kAnyLimit, &bytes);
//   if (!why.empty()) return InvalidField("--max-clip-bytes", why);
//
// Units, in capital or small letters:
//
//   bytes    K = 1024 bytes, M = 1024 K, G = 1024 M, T = 1024 G; also written
//            KiB, MiB, GiB, TiB. KB, MB, GB and TB are refused: some read them
//            as powers of 1000, others as powers of 1024.
//   seconds  s, m, h, d, and ms
//
// A number without a unit is in bytes or in seconds. It may have a decimal
// point, but must be a whole number of bytes or of seconds: 1.5K is accepted,
// 1500ms is refused. Counts and work have no units and no decimal point.

#include <cstdint>
#include <string>
#include <string_view>

#include "bvhmill/base/limit_rows.h"

namespace bvhmill {

// Parses `text` into `value`, which must be in `range`. Returns why `text` is
// refused, for a message that names the setting: "'5X' has the unknown unit
// 'X'; use 65536, 512MiB or 1.5G"; "" if it is accepted. Only then is `value`
// set. Requires range.least >= 0.
std::string ParseAmount(std::string_view text, LimitUnit unit,
                        const LimitRange& range, int64_t* value);

// `value` with the largest unit that divides it: "512MiB", "1000", "7d", "90s",
// "0". ParseAmount reads it back. Requires that `value` is not negative.
std::string AmountText(int64_t value, LimitUnit unit);

}  // namespace bvhmill
