// Stage 1 of ScanRows, written once for all CPU targets. It has no include
// guard. The source file of each target includes it after its `struct Ops`,
// which has the primitives, inside an anonymous namespace and inside a region
// that is compiled for that target.
//
// Works on blocks of 64 bytes as bit masks. One addition finds the pivot of
// every number: the dot, or the byte after the last digit if the number has no
// dot. It adds the mask of number starts to the mask of bytes that a carry may
// pass, so the carry from each start stops at its pivot. A second addition
// carries the minus sign in the same way. A third carries the letter of an
// exponent to the end of its number.
//
// Stage 1 also stores the block as digit values: digits are 0 to 9, the dot is
// 0, and all other bytes have the bit kNotDigit. Some also have a second bit
// that tells them apart.

// The results of stage 1 for a chunk, and its state between two blocks.
struct Marks {
  // Class of the last byte of the previous block, in bit 0.
  uint64_t after_separator = 1;
  uint64_t after_digit = 0;
  uint64_t after_dot = 0;
  uint64_t after_exponent = 0;
  // Bit 0 is set if the next byte must be a digit because the dot before it has
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

// A chunk, as stage 2 uses it.
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
