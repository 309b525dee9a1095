// The algorithm of ScanRows, written once for all CPU targets: parses chunks of
// whole lines in two stages. Stage 1 finds the numbers of a chunk and checks
// its rows. Stage 2 converts the numbers to floats.
//
// This file has no include guard. The source file of each target includes it
// after its `struct Ops`, which has the primitives, inside an anonymous
// namespace and inside a region that is compiled for that target.

// --- Stage 1: finds the pivot of each number.
//
// Works on blocks of 64 bytes as bit masks. One addition finds the pivot of
// every number: the dot, or the byte after the last digit if the number has no
// dot. It adds the mask of number starts to the mask of bytes that a carry may
// pass, so the carry from each start stops at its pivot. A second addition
// carries the minus sign in the same way. A third carries the letter of an
// exponent to the end of its number.
//
// Also stores the block as digit values: digits are 0 to 9, the dot is 0, and
// all other bytes have the bit kNotDigit. Some also have a second bit that
// distinguishes them.

// The results of stage 1 for a chunk, and its state between two blocks.
struct Marks {
  // Class of the last byte of the previous block, in bit 0.
  uint64_t after_separator = 1;
  uint64_t after_digit = 0;
  uint64_t after_dot = 0;
  uint64_t after_exponent = 0;
  // Bit 0 is set if the next byte must be a digit, since the dot before it has
  // no digit before it.
  uint64_t needs_digit = 0;
  // Carries of the additions.
  uint64_t start_carry = 0;
  uint64_t minus_carry = 0;
  uint64_t exponent_carry = 0;
  // Not 0 if the chunk has anything that cannot be part of a row of numbers.
  uint64_t odd = 0;
  // Numbers that have ended. Counted only with kGeneral.
  size_t ended = 0;
  size_t pivots = 0;
  size_t exponents = 0;
  size_t numbers_with_exponent = 0;
  size_t rows = 0;
  size_t line_ends = 0;
  // Not empty if the chunk has a byte that cannot be part of plain numbers.
  typename Ops::OtherBytes others = {};
};

inline size_t CountBits(uint64_t bits) {
  return static_cast<size_t>(__builtin_popcountll(bits));
}

inline uint64_t AddCarry(uint64_t a, uint64_t b, uint64_t* carry) {
  unsigned long long sum = 0;
  *carry = __builtin_uaddll_overflow(a, b, &sum) ? 1 : 0;
  return sum;
}

// Counts the rows that end in this block. Each line must hold `width` numbers
// or none. A line end may itself be the pivot of a number.
inline void CountRows(uint64_t line_ends, uint64_t pivots, size_t width,
                      Marks* m) {
  m->line_ends += CountBits(line_ends);
  while (line_ends != 0) {
    const uint64_t up_to = line_ends ^ (line_ends - 1);
    const size_t numbers = m->pivots + CountBits(pivots & up_to);
    if (numbers == (m->rows + 1) * width) {
      ++m->rows;
    } else if (numbers != m->rows * width) {
      m->odd = 1;
    }
    line_ends &= line_ends - 1;
  }
}

// Records which of the numbers that end in this block have an exponent.
inline void NoteExponents(uint64_t exponents, uint64_t nsep, uint64_t ends,
                          uint64_t digit_before, Marks* m,
                          uint64_t* has_exponent) {
  const uint64_t sum =
      AddCarry(exponents | m->exponent_carry, nsep, &m->exponent_carry);
  const uint64_t ended = sum & ends;
  m->odd |= ended & ~digit_before;
  m->numbers_with_exponent += CountBits(ended);
  const uint64_t bits = Ops::Extract(ended, ends);
  const size_t shift = m->ended % 64;
  has_exponent[m->ended / 64] |= bits << shift;
  has_exponent[m->ended / 64 + 1] = shift == 0 ? 0 : bits >> (64 - shift);
  m->ended += CountBits(ends);
}

// Marks one block. With kGeneral, exponents, plus signs and dots without a
// digit before them are allowed; without it, they set `odd`.
template <bool kGeneral>
inline void MarkBlock(const char* from, uint32_t offset, size_t width,
                      RowsWorkspace::Buffers* buffers, uint8_t* digits,
                      Marks* m) {
  const typename Ops::Block block = Ops::LoadBlock(from);
  const uint64_t sep = Ops::Separators(block);
  const uint64_t dots = Ops::Equal(block, '.');
  const uint64_t minuses = Ops::Equal(block, '-');
  const typename Ops::Block values = Ops::DigitValues(block);
  Ops::StoreBlock(values, digits);
  const uint64_t nsep = ~sep;
  const uint64_t before_is_sep = (sep << 1) | m->after_separator;
  const uint64_t starts = before_is_sep & nsep;
  uint64_t exponents = 0;
  if constexpr (kGeneral) exponents = Ops::EqualLetter(block, 'e');
  const uint64_t runs = nsep & ~dots & ~exponents;
  const uint64_t pivots =
      AddCarry(starts | m->start_carry, runs, &m->start_carry) & ~runs;
  const uint64_t negatives =
      AddCarry((minuses & starts) | m->minus_carry, runs, &m->minus_carry) &
      ~runs;
  uint64_t is_digit = runs & ~minuses;
  m->odd |= dots & ~pivots;
  if constexpr (kGeneral) {
    const uint64_t pluses = Ops::Equal(block, '+');
    const uint64_t others = Ops::Others(block, values);
    is_digit &= ~others;
    const uint64_t digit_before = (is_digit << 1) | m->after_digit;
    const uint64_t sign_place = starts | (exponents << 1) | m->after_exponent;
    const uint64_t bare_dots = dots & ~digit_before;
    m->odd |= pivots & ~dots & ~digit_before;
    m->odd |= ((bare_dots << 1) | m->needs_digit) & ~is_digit;
    m->odd |= (minuses | pluses) & ~sign_place;
    m->odd |= others & ~exponents & ~pluses;
    m->odd |= exponents & ~(digit_before | (dots << 1) | m->after_dot);
    NoteExponents(exponents, nsep, sep & ~before_is_sep, digit_before, m,
                  buffers->has_exponent);
    m->exponents += Ops::StorePositions(exponents, 0, offset,
                                        buffers->exponents + m->exponents);
    m->needs_digit = bare_dots >> 63;
    m->after_dot = dots >> 63;
    m->after_exponent = exponents >> 63;
  } else {
    // These bytes are checked once per chunk. Until then, they count as digits.
    Ops::NoteOthers(block, values, &m->others);
    const uint64_t digit_before = (is_digit << 1) | m->after_digit;
    m->odd |= (pivots & ~digit_before) | (minuses & ~starts);
  }
  if (const uint64_t ends = Ops::LineEnds(block, values); ends != 0) {
    CountRows(ends, pivots, width, m);
  }
  m->pivots += Ops::StorePositions(pivots, negatives, offset,
                                   buffers->pivots + m->pivots);
  m->after_separator = sep >> 63;
  m->after_digit = is_digit >> 63;
}

// A chunk: a run of whole lines, with the results that stage 2 needs.
struct Chunk {
  std::string_view text;
  // Text to prefetch during the conversion.
  std::string_view ahead;
  // Digit values; digits[kPadBytes + i] belongs to text[i].
  uint8_t* digits = nullptr;
  RowsWorkspace::Buffers* buffers = nullptr;
  size_t numbers = 0;
};

// Marks the whole chunk, whose last line may lack its line end. False if the
// chunk has anything odd; then `marks` and the lists are not valid.
template <bool kGeneral>
bool MarkChunk(size_t width, const Chunk& chunk, Marks* marks) {
  RowsWorkspace::Buffers* buffers = chunk.buffers;
  uint8_t* digits = chunk.digits + kPadBytes;
  const char* from = chunk.text.data();
  const size_t bytes = chunk.text.size();
  if constexpr (kGeneral) buffers->has_exponent[0] = 0;
  Marks m;
  size_t i = 0;
#pragma GCC unroll 2
  for (; i + kBlockBytes <= bytes; i += kBlockBytes) {
    MarkBlock<kGeneral>(from + i, static_cast<uint32_t>(kPadBytes + i), width,
                        buffers, digits + i, &m);
    // In text that is not made of numbers, the lists could overflow.
    if (kGeneral && m.odd != 0) return false;
  }
  std::memset(buffers->tail, ' ', kBlockBytes);
  std::memcpy(buffers->tail, from + i, bytes - i);
  // If the text does not end with a line end, this one ends the last row. It is
  // not counted.
  const bool ends =
      bytes > 0 && (from[bytes - 1] == '\n' || from[bytes - 1] == '\r');
  if (!ends) buffers->tail[bytes - i] = '\n';
  MarkBlock<kGeneral>(buffers->tail, static_cast<uint32_t>(kPadBytes + i),
                      width, buffers, digits + i, &m);
  if (!ends) --m.line_ends;
  std::memset(digits - kBlockBytes, kNotDigit, kBlockBytes);
  std::memset(digits + i + kBlockBytes, kNotDigit, kBlockBytes);
  *marks = m;
  if (!kGeneral && Ops::AnyOthers(m.others)) return false;
  return m.odd == 0 && m.exponents == m.numbers_with_exponent &&
         m.pivots == m.rows * width;
}

// --- Stage 2: converts the numbers at the pivots.
//
// Loads a window of 16 bytes around each pivot: 8 bytes of the integer, then
// the pivot with 7 decimals. In each half, let n have the bit kNotDigit of each
// byte that is no digit. Then (n - 1) & ~n masks the bits below the lowest bit
// of n: the digits before the first other byte, and the low 4 bits of that
// byte, which are 0. Products with powers of ten and pairwise sums make two
// integers below 10^8. Decimals are left-aligned, so their scale is always
// 1e-7.
//
// The short path converts numbers with at most 6 decimals, whose end is visible
// in the window, and an integer below 2^17. No such decimal is nearer than a
// relative 2^-42 to the middle between two floats, and the sum of two floats
// used here has an error below 2^-46. So the result is correctly rounded.
//
// Masks find the numbers that do not fit and list them for the wide path. It
// converts 15 decimals and exponents in double precision, and tests whether a
// result is too near to the middle between two floats. Results that fail the
// test, and all other numbers, are parsed one by one.

inline constexpr size_t kLanes = Ops::kLanes;
using Vec = Ops::Vec;
using Doubles = Ops::Doubles;

// Numbers that the wide path converts at once.
inline constexpr size_t kWide = 2 * kLanes;

inline size_t OffsetOf(uint32_t pivot) { return pivot & 0xFFFF; }

// Parses the number with this pivot by ParseNumber, as the scalar target does.
// Sets buffers->out_of_range if the number is not finite as float.
__attribute__((noinline)) inline float ReadOne(const Chunk& chunk,
                                               uint32_t pivot) {
  const std::string_view text = chunk.text;
  size_t begin = OffsetOf(pivot) - kPadBytes;
  size_t end = begin;
  while (begin > 0 && static_cast<uint8_t>(text[begin - 1]) > ' ') --begin;
  while (end < text.size() && static_cast<uint8_t>(text[end]) > ' ') ++end;
  const Number number = ParseNumber(text.substr(begin, end - begin));
  chunk.buffers->out_of_range |= number.kind != NumberKind::kFinite;
  return static_cast<float>(number.value);
}

// True if a half of the window around `pivot` has only digits: the number may
// have more of them outside of the window.
inline bool IsLong(const Chunk& chunk, uint32_t pivot) {
  uint64_t integer = 0;
  uint64_t decimals = 0;
  const uint8_t* at = chunk.digits + OffsetOf(pivot);
  std::memcpy(&integer, at - 8, 8);
  std::memcpy(&decimals, at, 8);
  return (integer & kNotDigits) == 0 || (decimals & kNotDigits) == 0;
}

// Removes the bytes after the digits in both halves of some windows and sums
// the digits in pairs. In `full`, the sign bit of each half that has no end is
// set.
inline Vec CutWindows(Vec windows, Vec* full) {
  const Vec w = Ops::Shuffle(windows, kReverseIntegers);
  const Vec ends = Ops::And(w, Ops::Set64(kNotDigits));
  *full = Ops::Add64(ends, Ops::Set64(~uint64_t{0}));
  return Ops::MulAddBytes(Ops::CutDigits(w, *full, ends), kWeights1);
}

// Copies the windows of 4 * kLanes numbers for SumWindows. In each vector, the
// numbers are 4 apart; the vectors begin with the numbers 0, 2, 1 and 3. It is
// long before the load: the CPU cannot forward several stores to a wider load.
inline void CopyWindows(const uint8_t* digits, const uint32_t* pivots,
                        uint8_t* to) {
  constexpr size_t kOrder[4] = {0, 2, 1, 3};
  const uint8_t* base = digits - 8;
#pragma GCC unroll 4
  for (size_t v = 0; v < 4; ++v) {
#pragma GCC unroll 4
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const size_t number = 4 * lane + kOrder[v];
      std::memcpy(to + (v * kLanes + lane) * 16,
                  base + static_cast<uint16_t>(pivots[number]), 16);
    }
  }
}

// Writes to `list` the indices of those of the `count` numbers from `first` on
// that the short path could not convert to `values`. Returns how many.
__attribute__((noinline)) inline size_t ListLong(const Chunk& chunk,
                                                 const float* values,
                                                 size_t first, size_t count,
                                                 uint32_t* list) {
  constexpr float kIntegerLimit = 131072;
  size_t listed = 0;
  for (size_t i = 0; i < count; ++i) {
    list[listed] = static_cast<uint32_t>(first + i);
    const bool fits = !IsLong(chunk, chunk.buffers->pivots[first + i]) &&
                      std::abs(values[i]) < kIntegerLimit;
    listed += fits ? 0 : 1;
  }
  return listed;
}

// The sums of kBatch numbers, 32 bits each, in the order of the numbers.
struct ShortBatch {
  Vec integers;
  Vec decimals;  // in units of 1e-7
  // A sign bit is set if any of four windows has a half without an end.
  Vec full;
};

inline ShortBatch SumWindows(const uint8_t* windows) {
  Vec full[4];
  const Vec a = CutWindows(Ops::Load(windows), &full[0]);
  const Vec b = CutWindows(Ops::Load(windows + 16 * kLanes), &full[1]);
  const Vec c = CutWindows(Ops::Load(windows + 32 * kLanes), &full[2]);
  const Vec d = CutWindows(Ops::Load(windows + 48 * kLanes), &full[3]);
  // Each 64 bits hold the integer and the decimals of one number: first the
  // even numbers, then the odd ones.
  const Vec even = Ops::MulAddWords(
      Ops::MulAddBytes(Ops::PackWords(a, b), kWeights2), kWeights3);
  const Vec odd = Ops::MulAddWords(
      Ops::MulAddBytes(Ops::PackWords(c, d), kWeights2), kWeights3);
  return {Ops::LowHalves(even, odd), Ops::HighHalves(even, odd),
          Ops::Or(Ops::Or(full[0], full[1]), Ops::Or(full[2], full[3]))};
}

// While a chunk is converted, prefetches the text that is parsed next, an equal
// part with each batch. The hardware does not prefetch across a page.
struct Prefetcher {
  Prefetcher(std::string_view ahead, size_t batches)
      : at(ahead.data()),
        step(ahead.empty() ? 0 : (ahead.size() / (batches + 1) / 64 + 1) * 64) {
  }
  void Next() {
    for (size_t i = 0; i < step; i += 64) __builtin_prefetch(at + i);
    at += step;
  }
  const char* at;
  size_t step;
};

inline constexpr size_t kBatch = 4 * kLanes;
inline constexpr size_t kWindowBytes = 16 * kBatch;
// Windows are copied kAhead batches before their conversion; the ring has space
// for kRing batches.
inline constexpr size_t kAhead = 4;
inline constexpr size_t kRing = 8;

// Converts the batch of numbers from `i` on to floats at `to`. The windows of
// the next kAhead batches are already in the ring; copies one batch more. True
// if some number did not fit.
inline bool ConvertBatch(const Chunk& chunk, size_t i, float* to) {
  const uint32_t* pivots = chunk.buffers->pivots;
  uint8_t* ring = chunk.buffers->ring;
  const size_t batch = i / kBatch;
  CopyWindows(chunk.digits, pivots + i + kAhead * kBatch,
              ring + (batch + kAhead) % kRing * kWindowBytes);
  const ShortBatch sums = SumWindows(ring + batch % kRing * kWindowBytes);
  Ops::StoreFloats(sums.integers, sums.decimals, Ops::Load(pivots + i), to);
  return Ops::AnySign64(sums.full) || Ops::AnyBit(sums.integers, 0xFFFE0000);
}

// Converts numbers with at most 6 decimals, kBatch at a time. Returns how many
// numbers did not fit; their indices are in buffers->listed.
inline size_t ConvertShort(const Chunk& chunk, float* out) {
  uint32_t* pivots = chunk.buffers->pivots;
  uint32_t* list = chunk.buffers->listed;
  // Windows are copied beyond the last number; give them valid positions.
  std::fill_n(pivots + chunk.numbers, (kAhead + 2) * kBatch,
              static_cast<uint32_t>(kPadBytes));
  for (size_t batch = 0; batch < kAhead; ++batch) {
    CopyWindows(chunk.digits, pivots + batch * kBatch,
                chunk.buffers->ring + batch * kWindowBytes);
  }
  Prefetcher prefetcher(chunk.ahead, chunk.numbers / kBatch);
  size_t listed = 0;
  size_t i = 0;
  for (; i + kBatch <= chunk.numbers; i += kBatch) {
    prefetcher.Next();
    __builtin_prefetch(out + i + 16 * kBatch, 1);
    if (__builtin_expect(ConvertBatch(chunk, i, out + i), 0)) {
      listed += ListLong(chunk, out + i, i, kBatch, list + listed);
    }
  }
  const size_t rest = chunk.numbers - i;
  alignas(64) float last[kBatch];
  if (rest > 0 && ConvertBatch(chunk, i, last)) {
    listed += ListLong(chunk, last, i, rest, list + listed);
  }
  std::memcpy(out + i, last, rest * sizeof(float));
  return listed;
}

// kWide numbers, two integers each.
struct WideBatch {
  // `mantissa`: the integer and 7 decimals, below 10^15. `more`: the next 8
  // decimals.
  Vec mantissa;
  Vec more;
  // One bit for each number: 8 or more digits before the dot; 7 or more after
  // it; 15 or more after it.
  uint32_t long_integer = 0;
  uint32_t has_more = 0;
  uint32_t too_long = 0;
};

// Adds the decimals after the first 7, for the numbers whose sign bit is set in
// `full`.
inline void AddMore(const uint8_t* digits, const uint32_t* pivots, Vec full,
                    WideBatch* batch) {
  const Vec w = Ops::LoadEights(digits + 8, pivots);
  const Vec ends = Ops::And(w, Ops::Set64(kNotDigits));
  const Vec over = Ops::Add64(ends, Ops::Set64(~uint64_t{0}));
  const Vec kept =
      Ops::And(Ops::CutDigits(w, over, ends), Ops::SignMask64(full));
  const Vec fours =
      Ops::MulAddWords(Ops::MulAddBytes(kept, kMoreWeights1), kMoreWeights2);
  batch->more = Ops::Add64(Ops::MulU32(fours, Ops::Set64(10'000)),
                           Ops::ShiftRight(fours, 32));
  batch->too_long = Ops::SignBits(over) & batch->has_more;
}

inline WideBatch LoadWide(const uint8_t* digits, const uint32_t* pivots) {
  WideBatch batch;
  Vec even_full;
  Vec odd_full;
  const Vec even = CutWindows(Ops::LoadWindows(digits - 8, pivots), &even_full);
  const Vec odd =
      CutWindows(Ops::LoadWindows(digits - 8, pivots + 1), &odd_full);
  const Vec sums = Ops::MulAddWords(
      Ops::MulAddBytes(Ops::PackWords(even, odd), kWeights2), kWeights3);
  batch.mantissa = Ops::Add64(Ops::MulU32(sums, Ops::Set64(10'000'000)),
                              Ops::ShiftRight(sums, 32));
  batch.more = Ops::Set64(0);
  const Vec full = Ops::UnpackHigh(even_full, odd_full);
  batch.long_integer = Ops::SignBits(Ops::UnpackLow(even_full, odd_full));
  batch.has_more = Ops::SignBits(full);
  if (batch.has_more != 0) AddMore(digits, pivots, full, &batch);
  return batch;
}

// One bit for each value that is so near to the middle between two floats that
// the error of the wide path could change the result.
inline uint32_t AreNearMiddle(Doubles values) {
  // The middle, within the 29 bits of a double that a float does not have.
  constexpr uint64_t kMiddle = uint64_t{1} << 28;
  constexpr uint64_t kMask = 2 * kMiddle - 1;
  // Rounding errors of the wide path are below a relative 2^-50, which is at
  // most 8 units in the last place of a double. 64 units leave a margin.
  constexpr uint64_t kNear = 64;
  const Vec from_near =
      Ops::And(Ops::Add64(Ops::Bits(values), Ops::Set64(kNear - kMiddle)),
               Ops::Set64(kMask));
  return Ops::SignBits(Ops::Sub64(from_near, Ops::Set64(2 * kNear)));
}

// One bit for each value that is not 0 and is outside of the range of normal
// floats. No value is negative.
inline uint32_t AreNoNormalFloats(Doubles values) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  constexpr double kMax = std::numeric_limits<float>::max();
  const Vec bits = Ops::Bits(values);
  const Vec low =
      Ops::And(Ops::Sub64(bits, Ops::Set64(std::bit_cast<uint64_t>(kLeast))),
               Ops::Negate(bits));
  const Vec high = Ops::Sub64(Ops::Set64(std::bit_cast<uint64_t>(kMax)), bits);
  return Ops::SignBits(Ops::Or(low, high));
}

// Multiplies the mantissas by `scale`, which is 10^(exponent - 7). Sets a bit
// of `bad` for each value that may not be rounded correctly.
inline Doubles ScaleWide(const WideBatch& batch, Doubles scale, uint32_t* bad) {
  Doubles value = Ops::MulD(Ops::ToDoubles(batch.mantissa), scale);
  *bad |= batch.long_integer;
  if (batch.has_more != 0) {
    const Doubles fine = Ops::MulD(scale, Ops::SetD(1e-8));
    value = Ops::FmaD(Ops::ToDoubles(batch.more), fine, value);
    if (batch.too_long != 0) {
      // The digits that were cut off add less than one unit of the last decimal
      // read. The result is good if both ends of this range round to the same
      // float.
      const Doubles above = Ops::FmaD(value, Ops::SetD(0x1p-50),
                                      Ops::FmaD(fine, Ops::SetD(1.1), value));
      const Doubles below = Ops::FmaD(value, Ops::SetD(-0x1p-50), value);
      *bad |= batch.too_long & Ops::DifferAsFloats(below, above);
    }
  }
  *bad |= AreNearMiddle(value);
  return value;
}

// Converts all numbers by the wide path, as if none had an exponent. Returns
// how many have 7 decimals or more, or up to kWide - 1 more than that.
inline size_t ConvertWide(const Chunk& chunk, float* out) {
  uint32_t* pivots = chunk.buffers->pivots;
  std::fill_n(pivots + chunk.numbers, kWide, static_cast<uint32_t>(kPadBytes));
  const Doubles scale = Ops::SetD(1e-7);
  Prefetcher prefetcher(chunk.ahead, chunk.numbers / kWide);
  size_t longs = 0;
  for (size_t i = 0; i < chunk.numbers; i += kWide) {
    prefetcher.Next();
    const WideBatch batch = LoadWide(chunk.digits, pivots + i);
    uint32_t bad = 0;
    const Doubles values = ScaleWide(batch, scale, &bad);
    const size_t count = std::min(kWide, chunk.numbers - i);
    alignas(64) float last[kWide];
    float* to = count < kWide ? last : out + i;
    Ops::StoreWide(values, pivots + i, to);
    longs += CountBits(batch.has_more);
    for (; __builtin_expect(bad != 0, 0); bad &= bad - 1) {
      const auto k = static_cast<size_t>(__builtin_ctz(bad));
      if (k < count) to[k] = ReadOne(chunk, pivots[i + k]);
    }
    if (count < kWide) std::memcpy(out + i, last, count * sizeof(float));
  }
  return longs;
}

// Loads the exponents whose letters stand at `positions`, minus kMinExponent.
// Where an exponent is out of range or has more than 3 digits, the result is 0
// and `bad` gets a bit.
inline Vec LoadExponents(const uint8_t* digits, const uint32_t* positions,
                         uint32_t* bad) {
  const Vec one = Ops::Set64(1);
  const Vec eight = Ops::Set64(8);
  const Vec text = Ops::LoadEights(digits + 1, positions);
  // Bit 4 is set if there is a sign; bit 7, if the sign is a plus.
  const Vec minus = Ops::Negate(Ops::And(
      Ops::AndNot(Ops::ShiftRight(text, 7), Ops::ShiftRight(text, 4)), one));
  const Vec w =
      Ops::ShiftRightBy(text, Ops::And(Ops::ShiftRight(text, 1), eight));
  const Vec ends = Ops::And(w, Ops::Set64(kNotDigits & 0xFFFFFFFF));
  const Vec full = Ops::Add64(ends, Ops::Set64(~uint64_t{0}));
  const Vec kept =
      Ops::And(Ops::CutDigits(w, full, ends), Ops::Set64(0xFFFFFF));
  // Aligns right to 3 digits: shifts by 8 bits if the digits end at the third
  // byte, by 16 bits if at the second.
  const Vec second = Ops::And(Ops::ShiftRight(ends, 9), eight);
  const Vec third = Ops::And(Ops::ShiftRight(ends, 17), eight);
  const Vec aligned =
      Ops::ShiftLeftBy(kept, Ops::Add64(second, Ops::Or(second, third)));
  const Vec value =
      Ops::MulAddWords(Ops::MulAddBytes(aligned, kExponentWeights), kOnes);
  const Vec exponent = Ops::Sub64(Ops::Xor(value, minus), minus);
  const Vec index = Ops::Sub64(
      exponent, Ops::Set64(static_cast<uint64_t>(int64_t{kMinExponent})));
  const Vec out_of_range = Ops::Or(
      full, Ops::Or(index, Ops::Sub64(Ops::Set64(kMaxExponent - kMinExponent),
                                      index)));
  *bad |= Ops::SignBits(out_of_range);
  return Ops::AndNot(Ops::SignMask64(out_of_range), index);
}

// Converts the first `count` of buffers->listed by the wide path, each to its
// place in `out`. With kExponents, the i-th of them has the i-th exponent.
template <bool kExponents>
void ConvertListed(const Chunk& chunk, size_t count, float* out) {
  RowsWorkspace::Buffers* buffers = chunk.buffers;
  std::fill_n(buffers->listed + count, kWide, 0);
  if (kExponents) {
    std::fill_n(buffers->exponents + count, kWide,
                static_cast<uint32_t>(kPadBytes));
  }
  for (size_t i = 0; i < count; i += kWide) {
    const uint32_t* list = buffers->listed + i;
    alignas(64) uint32_t pivots[kWide];
    for (size_t k = 0; k < kWide; ++k) pivots[k] = buffers->pivots[list[k]];
    uint32_t bad = 0;
    const WideBatch batch = LoadWide(chunk.digits, pivots);
    Doubles scale = Ops::SetD(1e-7);
    if constexpr (kExponents) {
      scale = Ops::LookUp(
          kScales, LoadExponents(chunk.digits, buffers->exponents + i, &bad));
    }
    const Doubles values = ScaleWide(batch, scale, &bad);
    if constexpr (kExponents) bad |= AreNoNormalFloats(values);
    alignas(64) float results[kWide];
    Ops::StoreWide(values, pivots, results);
    for (; __builtin_expect(bad != 0, 0); bad &= bad - 1) {
      const auto k = static_cast<size_t>(__builtin_ctz(bad));
      results[k] = ReadOne(chunk, pivots[k]);
    }
    const size_t rest = std::min(kWide, count - i);
    for (size_t k = 0; k < rest; ++k) out[list[k]] = results[k];
  }
}

// Lists the numbers that have exponents. Returns how many there are.
inline size_t ListExponents(const Chunk& chunk) {
  size_t listed = 0;
  for (size_t i = 0; i < chunk.numbers; i += 64) {
    const size_t rest = chunk.numbers - i;
    const uint64_t mask = rest < 64 ? (uint64_t{1} << rest) - 1 : ~uint64_t{0};
    listed += Ops::StorePositions(chunk.buffers->has_exponent[i / 64] & mask, 0,
                                  static_cast<uint32_t>(i),
                                  chunk.buffers->listed + listed);
  }
  return listed;
}

// --- ScanRows, composed of the two stages.

// Converts the first chunk.numbers numbers.
inline void ConvertChunk(const Chunk& chunk, bool has_exponents, float* out) {
  // The wide path is faster if more than one in kOften numbers has many
  // decimals.
  constexpr size_t kOften = 24;
  RowsWorkspace::Buffers* buffers = chunk.buffers;
  size_t longs = 0;
  if (buffers->precise) {
    longs = ConvertWide(chunk, out);
  } else {
    longs = ConvertShort(chunk, out);
    if (longs > 0) ConvertListed<false>(chunk, longs, out);
  }
  buffers->precise = longs * kOften > chunk.numbers;
  if (has_exponents) {
    ConvertListed<true>(chunk, ListExponents(chunk), out);
  }
}

// Number of bytes up to the end of the line of the last number, line end
// included.
inline size_t BytesOfLines(const Chunk& chunk) {
  const size_t last =
      OffsetOf(chunk.buffers->pivots[chunk.numbers - 1]) - kPadBytes;
  const size_t end = chunk.text.find_first_of("\r\n", last);
  if (end == std::string_view::npos) return chunk.text.size();
  const bool is_crlf = chunk.text.substr(end, 2) == "\r\n";
  return end + (is_crlf ? 2 : 1);
}

// Runs stage 1 over whole lines. False if some line is not regular.
inline bool MarkLines(std::string_view text, size_t width,
                      RowsWorkspace::Buffers* buffers, Chunk* chunk,
                      Marks* marks) {
  chunk->text = text;
  chunk->buffers = buffers;
  // At first, the CPU compares loads and stores by the low 12 bits of their
  // addresses only. The offset keeps loads of the text apart from the recent
  // stores of digits.
  const auto from = reinterpret_cast<uintptr_t>(text.data());
  const auto base = reinterpret_cast<uintptr_t>(buffers->digits);
  chunk->digits = buffers->digits + ((from - kPadBytes - 1024 - base) & 0xFC0);
  buffers->out_of_range = false;
  if (buffers->general || !MarkChunk<false>(width, *chunk, marks)) {
    if (!MarkChunk<true>(width, *chunk, marks)) return false;
    buffers->general = marks->exponents > 0;
  }
  return true;
}

// Number of line ends in a chunk that was parsed completely.
inline int64_t LinesOf(const Chunk& chunk, const Marks& marks) {
  const char last = chunk.text.back();
  // Each row ends with one line end, and there are no other line ends.
  if (marks.line_ends == marks.rows && (last == '\n' || last == '\r')) {
    return static_cast<int64_t>(marks.rows);
  }
  const bool has_returns = chunk.text.find('\r') != std::string_view::npos;
  return has_returns ? CountLineEnds(chunk.text)
                     : static_cast<int64_t>(marks.line_ends);
}

// Parses one chunk of whole lines, or the rows at its beginning that fit into
// `out`. False if some line is not regular; then nothing counts as read.
inline bool ReadChunk(std::string_view text, std::string_view ahead,
                      size_t width, std::span<float> out,
                      RowsWorkspace::Buffers* buffers, RowsScan* scan) {
  Chunk chunk;
  Marks marks;
  if (!MarkLines(text, width, buffers, &chunk, &marks)) return false;
  chunk.ahead = ahead;
  const size_t rows = std::min(marks.rows, out.size() / width);
  chunk.numbers = rows * width;
  if (rows > 0) ConvertChunk(chunk, marks.exponents > 0, out.data());
  if (buffers->out_of_range) return false;
  scan->rows += rows;
  if (rows == out.size() / width) {
    // Count only up to the end of the last row that fits.
    const size_t bytes = BytesOfLines(chunk);
    scan->bytes += bytes;
    scan->lines += CountLineEnds(text.substr(0, bytes));
  } else {
    scan->bytes += text.size();
    scan->lines += LinesOf(chunk, marks);
  }
  return true;
}

inline RowsScan ReadBlock(std::string_view block, size_t width,
                          RowsPlacer* placer, std::string_view ahead,
                          RowsWorkspace::Buffers* buffers) {
  Chunk chunk;
  Marks marks;
  if (block.empty() || !MarkLines(block, width, buffers, &chunk, &marks)) {
    return block.empty() ? RowsScan{}
                         : ScanRowsBlockScalar(block, width, placer);
  }
  const std::span<float> room = placer->Reserve(marks.rows);
  if (room.size() < marks.rows * width) return {};
  chunk.ahead = ahead;
  chunk.numbers = marks.rows * width;
  if (marks.rows > 0) ConvertChunk(chunk, marks.exponents > 0, room.data());
  if (buffers->out_of_range) return {};
  return {marks.rows, block.size(), LinesOf(chunk, marks)};
}

// Number of bytes of the first line of `text`, line end included, if that line
// is longer than a usual chunk. 0 if the line is too long to be scanned.
inline size_t LongLineBytes(std::string_view text) {
  const std::string_view most = text.substr(0, kMaxChunkBytes);
  const size_t end = most.find_first_of("\r\n");
  if (end == std::string_view::npos) {
    return text.size() <= kMaxScannedLineBytes ? text.size() : 0;
  }
  if (end > kMaxScannedLineBytes) return 0;
  return end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
}

// Number of bytes of the next chunk: whole lines at the beginning of `text`,
// about 8 KB of them. 0 if the first line is too long.
inline size_t ChunkBytes(std::string_view text) {
  constexpr size_t kUsualBytes = 8 * 1024;
  if (text.size() <= kUsualBytes) return text.size();
  const std::string_view usual = text.substr(0, kUsualBytes);
  const void* feed = memrchr(usual.data(), '\n', usual.size());
  if (feed != nullptr) {
    return static_cast<size_t>(static_cast<const char*>(feed) - text.data()) +
           1;
  }
  // The text ends its lines with CR only. The last byte may be the CR of a
  // CRLF.
  const size_t end = usual.substr(0, kUsualBytes - 1).rfind('\r');
  return end == std::string_view::npos ? LongLineBytes(text) : end + 1;
}

inline RowsScan ScanChunks(std::string_view text, size_t width,
                           std::span<float> out,
                           RowsWorkspace::Buffers* buffers) {
  RowsScan scan;
  while (scan.bytes < text.size()) {
    const std::string_view rest = text.substr(scan.bytes);
    const std::span<float> room = out.subspan(scan.rows * width);
    const size_t bytes = ChunkBytes(rest);
    if (room.size() < width || bytes == 0) return scan;
    const std::string_view chunk = rest.substr(0, bytes);
    // The next chunk probably has the same length. The prefetch is shifted by
    // kLead, so that it covers the end of that chunk, which is searched first.
    constexpr size_t kLead = 1024;
    const std::string_view ahead =
        rest.substr(std::min(bytes + kLead, rest.size()), bytes);
    if (ReadChunk(chunk, ahead, width, room, buffers, &scan)) continue;
    const RowsScan slow = ScanRowsScalar(chunk, width, room);
    scan.rows += slow.rows;
    scan.bytes += slow.bytes;
    scan.lines += slow.lines;
    if (slow.bytes < bytes) return scan;
  }
  return scan;
}
