// Stage 2 of ScanRows: converts the numbers at the pivots that
// rows_stage1-inl.h found. Include it after that file.
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
// used here has an error below 2^-46. So the result is the correctly rounded
// one.
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

// Parses the number with this pivot as the slow twin does. Sets
// buffers->out_of_range if the number is not finite as float.
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
      const __m128i window = _mm_loadu_si128(reinterpret_cast<const __m128i*>(
          base + static_cast<uint16_t>(pivots[number])));
      _mm_store_si128(reinterpret_cast<__m128i*>(to + (v * kLanes + lane) * 16),
                      window);
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
