// Rows that are exchanged.

#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

// Exchanges rows `first` and `second`.
void Exchange(int64_t first, int64_t second, Clip* clip) {
  TakeRows(
      [&](int64_t t) {
        if (t == first) return second;
        return t == second ? first : t;
      },
      clip);
}

}  // namespace

std::vector<FaultCase> OrderCases() {
  const MotionShape usual;
  return {
      {"RowsExchanged",
       usual,
       [](Clip* c) { Exchange(300, 301, c); },
       {"hint DATA_ROWS_EXCHANGED frame 300 to 301"},
       {{"first", "300"}, {"last", "301"}}},
      // The first and the last pair that are judged.
      {"EarliestRowsExchanged",
       usual,
       [](Clip* c) { Exchange(4, 5, c); },
       {"hint DATA_ROWS_EXCHANGED frame 4 to 5"}},
      {"RowsExchangedTooEarly", usual, [](Clip* c) { Exchange(3, 4, c); }, {}},
      {"LatestRowsExchanged",
       usual,
       [](Clip* c) { Exchange(594, 595, c); },
       {"hint DATA_ROWS_EXCHANGED frame 594 to 595"}},
      {"RowsExchangedTooLate",
       usual,
       [](Clip* c) { Exchange(595, 596, c); },
       {}},
      {"MotionThatTurnsRound",
       usual,
       [](Clip* c) {
         TakeRows([](int64_t t) { return t < 300 ? t : 599 - t; }, c);
       },
       {}},
      {"SeveralRowsExchanged",
       usual,
       [](Clip* c) {
         for (int64_t t = 50; t < 550; t += 50) Exchange(t, t + 1, c);
       },
       {"hint DATA_ROWS_EXCHANGED frame 200 to 201 x10"}},
  };
}

}  // namespace bvhmill::testing
