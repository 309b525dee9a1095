// Rows that are exchanged.

#include <vector>

#include "tests/validate/motion_faults.h"

namespace bvhmill::testing {
namespace {

const MotionShape kUsual;
// Rows differ so little that none is a spike by itself.
const MotionShape kSlow = {.tempo = 0.012};

std::vector<FaultCase> PlacesOfExchangedRows() {
  return {
      // The first and the last pair that are judged.
      {"EarliestRowsExchanged",
       kUsual,
       [](Clip* c) { ExchangeRows(2, 3, c); },
       {"warning DATA_ROWS_EXCHANGED frame 2 to 3"}},
      {"RowsExchangedTooEarly",
       kUsual,
       [](Clip* c) { ExchangeRows(1, 2, c); },
       {}},
      {"LatestRowsExchanged",
       kUsual,
       [](Clip* c) { ExchangeRows(596, 597, c); },
       {"warning DATA_ROWS_EXCHANGED frame 596 to 597"}},
      {"RowsExchangedTooLate",
       kUsual,
       [](Clip* c) { ExchangeRows(597, 598, c); },
       {}},
      {"RowsExchangedAcrossOne",
       kUsual,
       [](Clip* c) { ExchangeRows(300, 302, c); },
       {"warning DATA_ROWS_EXCHANGED frame 300 to 302"}},
      {"RowsExchangedAcrossTwo",
       kUsual,
       [](Clip* c) { ExchangeRows(300, 303, c); },
       {"warning DATA_ROWS_EXCHANGED frame 300 to 303"}},
      // The second row is in the next block.
      {"RowsExchangedAcrossBlocks",
       kSlow,
       [](Clip* c) { ExchangeRows(250, 262, c); },
       {"warning DATA_ROWS_EXCHANGED frame 250 to 262"}},
      {"RowsExchangedFarApart",
       kSlow,
       [](Clip* c) { ExchangeRows(300, 364, c); },
       {"warning DATA_ROWS_EXCHANGED frame 300 to 364"}},
      {"RowsExchangedTooFarApart",
       kSlow,
       [](Clip* c) { ExchangeRows(300, 365, c); },
       {}},
  };
}

std::vector<FaultCase> KindsOfExchangedRows() {
  return {
      {"RowsExchanged",
       kUsual,
       [](Clip* c) { ExchangeRows(300, 301, c); },
       {"warning DATA_ROWS_EXCHANGED frame 300 to 301"},
       {{"first", "300"}, {"last", "301"}}},
      {"FastRowsExchanged",
       {.tempo = 3},
       [](Clip* c) { ExchangeRows(300, 301, c); },
       {"warning DATA_ROWS_EXCHANGED frame 300 to 301"}},
      // The kinks of the block before the last one do not count.
      {"RowsExchangedTwiceAtTheEnd",
       kUsual,
       [](Clip* c) {
         for (const int64_t t : {344, 592, 596}) ExchangeRows(t, t + 1, c);
       },
       {"warning DATA_ROWS_EXCHANGED frame 592 to 593 x3"}},
      {"ManyRowsExchanged",
       {.frames = 1700},
       [](Clip* c) {
         for (int64_t t = 10; t < 1690; t += 24) ExchangeRows(t, t + 1, c);
       },
       {"warning DATA_ROWS_EXCHANGED frame 202 to 203 x70"}},
      {"RowsOfThreeJointsExchanged",
       {.joints = 2},
       [](Clip* c) { ExchangeRows(300, 301, c); },
       {}},
      {"RowsOfFourJointsExchanged",
       {.joints = 3},
       [](Clip* c) { ExchangeRows(300, 301, c); },
       {"warning DATA_ROWS_EXCHANGED frame 300 to 301"},
       {{"joints", "4"}}},
      {"MotionThatTurnsRound",
       kUsual,
       [](Clip* c) {
         TakeRows([](int64_t t) { return t < 300 ? t : 599 - t; }, c);
       },
       {}},
      {"SeveralRowsExchanged",
       kUsual,
       [](Clip* c) {
         for (int64_t t = 50; t < 550; t += 50) ExchangeRows(t, t + 1, c);
       },
       {"warning DATA_ROWS_EXCHANGED frame 200 to 201 x10"}},
  };
}

}  // namespace

std::vector<FaultCase> OrderCases() {
  std::vector<FaultCase> all = PlacesOfExchangedRows();
  for (const FaultCase& c : KindsOfExchangedRows()) all.push_back(c);
  return all;
}

}  // namespace bvhmill::testing
