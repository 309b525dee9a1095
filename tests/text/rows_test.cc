#include "bvhmill/text/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bvhmill::testing {
namespace {

std::vector<RowsTarget> FastTargets() {
  std::vector<RowsTarget> targets;
  for (const RowsTarget t : {RowsTarget::kAvx2, RowsTarget::kAvx512,
                             RowsTarget::kNeon, RowsTarget::kWasm128}) {
    if (IsSupported(t)) targets.push_back(t);
  }
  return targets;
}

struct Scanned {
  RowsScan scan;
  std::vector<uint32_t> bits;
};

// Scans a copy in a buffer of the exact size, so that sanitizers see every read
// beyond it. A guard follows the room for values.
Scanned Scan(RowsTarget target, std::string_view text, size_t width,
             size_t room, RowsWorkspace* workspace) {
  const std::vector<char> copy(text.begin(), text.end());
  constexpr float kGuard = -12345.0F;
  std::vector<float> out(room + 1, kGuard);
  Scanned result;
  result.scan = ScanRows(target, {copy.data(), copy.size()}, width,
                         std::span(out).first(room), workspace);
  EXPECT_EQ(out[room], kGuard);
  out.resize(result.scan.rows * width);
  for (const float v : out) result.bits.push_back(std::bit_cast<uint32_t>(v));
  return result;
}

// Places rows into a vector, and counts how often it is asked.
class VectorPlacer final : public RowsPlacer {
 public:
  VectorPlacer(size_t width, size_t room) : width_(width), room_(room) {}
  std::span<float> Reserve(size_t rows) override {
    ++asked_;
    if (rows > room_ / width_) return {};
    values_.resize(rows * width_);
    return values_;
  }
  int asked() const { return asked_; }
  const std::vector<float>& values() const { return values_; }

 private:
  size_t width_;
  size_t room_;
  int asked_ = 0;
  std::vector<float> values_;
};

// A block is read as the twin reads it, or not at all.
void ExpectBlockAsTwin(RowsTarget target, std::string_view text, size_t width,
                       size_t room, RowsWorkspace* workspace) {
  if (text.size() > kMaxRowsBlockBytes) return;
  const std::vector<char> copy(text.begin(), text.end());
  VectorPlacer placer(width, room);
  const RowsScan scan = ScanRowsBlock(target, {copy.data(), copy.size()}, width,
                                      &placer, {}, workspace);
  EXPECT_LE(placer.asked(), 1);
  const Scanned twin =
      Scan(RowsTarget::kScalar, text, width, text.size() + 1, workspace);
  const bool all = twin.scan.bytes == text.size() && !text.empty() &&
                   twin.scan.rows * width <= room;
  ASSERT_EQ(scan.bytes, all ? text.size() : 0);
  if (!all) return;
  EXPECT_EQ(scan.rows, twin.scan.rows);
  EXPECT_EQ(scan.lines, twin.scan.lines);
  std::vector<uint32_t> bits;
  for (const float v : placer.values()) {
    bits.push_back(std::bit_cast<uint32_t>(v));
  }
  EXPECT_EQ(bits, twin.bits);
}

void ExpectAsTwin(std::string_view text, size_t width, size_t room) {
  static RowsWorkspace workspace;
  const Scanned twin = Scan(RowsTarget::kScalar, text, width, room, &workspace);
  ExpectBlockAsTwin(RowsTarget::kScalar, text, width, room, &workspace);
  for (const RowsTarget target : FastTargets()) {
    SCOPED_TRACE(RowsTargetName(target));
    const Scanned fast = Scan(target, text, width, room, &workspace);
    EXPECT_EQ(fast.scan.rows, twin.scan.rows);
    EXPECT_EQ(fast.scan.bytes, twin.scan.bytes);
    EXPECT_EQ(fast.scan.lines, twin.scan.lines);
    const auto [a, b] = std::mismatch(fast.bits.begin(), fast.bits.end(),
                                      twin.bits.begin(), twin.bits.end());
    ExpectBlockAsTwin(target, text, width, room, &workspace);
    EXPECT_EQ(a, fast.bits.end())
        << "value " << a - fast.bits.begin() << " is "
        << std::bit_cast<float>(*a) << ", not " << std::bit_cast<float>(*b);
  }
}

TEST(ScanRows, BestTargetIsTheLastThatIsSupported) {
  const std::vector<RowsTarget> fast = FastTargets();
  EXPECT_EQ(BestRowsTarget(), fast.empty() ? RowsTarget::kScalar : fast.back());
  EXPECT_TRUE(IsSupported(RowsTarget::kScalar));
}

// Fails where the code does not know what the CPU has, and says which targets
// the other tests left out.
#if defined(__x86_64__)
TEST(RowsTargets, Avx2IsTested) {
  if (!__builtin_cpu_supports("avx2")) {
    GTEST_SKIP() << "SKIPPED: this CPU has no AVX2; its rows are not tested";
  }
  EXPECT_TRUE(IsSupported(RowsTarget::kAvx2));
}

TEST(RowsTargets, Avx512IsTested) {
  if (!__builtin_cpu_supports("avx512vbmi2")) {
    GTEST_SKIP() << "SKIPPED: this CPU has no AVX-512 VBMI2; its rows are not "
                    "tested";
  }
  EXPECT_TRUE(IsSupported(RowsTarget::kAvx512));
}
#elif defined(__aarch64__)
TEST(RowsTargets, NeonIsTested) { EXPECT_TRUE(IsSupported(RowsTarget::kNeon)); }
#endif

TEST(RowsTargets, HaveNames) {
  EXPECT_EQ(RowsTargetName(RowsTarget::kScalar), "scalar");
  EXPECT_EQ(RowsTargetName(RowsTarget::kAvx2), "avx2");
  EXPECT_EQ(RowsTargetName(RowsTarget::kAvx512), "avx512");
  EXPECT_EQ(RowsTargetName(RowsTarget::kNeon), "neon");
  EXPECT_EQ(RowsTargetName(RowsTarget::kWasm128), "wasm128");
}

struct TwinCase {
  std::string_view what;
  std::string_view text;
  size_t width;
  size_t room;
  size_t rows;
  size_t bytes;
  int64_t lines;
};

TEST(ScanRows, StopsAtTheFirstLineThatIsNoRow) {
  const TwinCase cases[] = {
      {"nothing", "", 3, 9, 0, 0, 0},
      {"one row", "1 2 3\n", 3, 9, 1, 6, 1},
      {"without its end", "1 2 3\n4 5 6", 3, 9, 2, 11, 1},
      {"CRLF", "1 2 3\r\n4 5 6\r\n", 3, 9, 2, 14, 2},
      {"CRLF but for the last", "1 2 3\r\n4 5 6", 3, 9, 2, 12, 1},
      {"CR", "1 2 3\r4 5 6\r", 3, 9, 2, 12, 2},
      {"blank lines", "\n \n1 2 3\n\t\n4 5 6\n\n", 3, 9, 2, 18, 6},
      {"CR CR LF", "1 2 3\r\r\n4 5 6", 3, 9, 2, 13, 2},
      {"LF CR", "1 2 3\n\r4 5 6\n", 3, 9, 2, 13, 3},
      {"just enough room", "1 2 3\n\r\n \n", 3, 3, 1, 6, 1},
      {"no room for the second", "1 2 3\n4 5 6\n", 3, 5, 1, 6, 1},
      {"no room at all", "1 2 3\n", 3, 2, 0, 0, 0},
      {"a short row", "1 2 3\n4 5\n6 7 8\n", 3, 9, 1, 6, 1},
      {"a long row", "1 2 3\n4 5 6 7\n", 3, 9, 1, 6, 1},
      {"short and long", "1 2\n3 4 5 6\n", 3, 9, 0, 0, 0},
      {"twice a row", "1 2 3 4 5 6\n", 3, 9, 0, 0, 0},
      {"a word", "1 2 3\n4 x 6\n", 3, 9, 1, 6, 1},
      {"a comment", "1 2 3\n# 4 5 6\n", 3, 9, 1, 6, 1},
      {"nan", "1 2 3\n4 nan 6\n", 3, 9, 1, 6, 1},
      {"too large", "1 2 3\n4 1e39 6\n", 3, 9, 1, 6, 1},
      {"a lone sign", "1 2 3\n4 - 6\n", 3, 9, 1, 6, 1},
      {"a lone dot", "1 2 3\n4 . 6\n", 3, 9, 1, 6, 1},
      {"two dots", "1 2 3\n4 1.2.3 6\n", 3, 9, 1, 6, 1},
      {"two minuses", "1 2 3\n4 --5 6\n", 3, 9, 1, 6, 1},
      {"a minus after the number", "1 2 3\n4 5- 6\n", 3, 9, 1, 6, 1},
      {"a minus within", "1 2 3\n4 5-6 6\n", 3, 9, 1, 6, 1},
      {"no exponent", "1 2 3\n4 5e 6\n", 3, 9, 1, 6, 1},
      {"a sign for exponent", "1 2 3\n4 5e- 6\n", 3, 9, 1, 6, 1},
      {"two exponents", "1 2 3\n4 5e1e1 6\n", 3, 9, 1, 6, 1},
      {"a dot in the exponent", "1 2 3\n4 5e1.0 6\n", 3, 9, 1, 6, 1},
      {"an exponent alone", "1 2 3\n4 e5 6\n", 3, 9, 1, 6, 1},
      {"dot and exponent", "1 2 3\n4 .e5 6\n", 3, 9, 1, 6, 1},
      {"a comma", "1 2 3\n4 1,5 6\n", 3, 9, 1, 6, 1},
      {"a NUL", std::string_view("1 2 3\n4 \0 6\n", 12), 3, 9, 1, 6, 1},
      {"bytes that alias digits", "1 2 3\n4 p 6\n", 3, 9, 1, 6, 1},
      {"high bytes", "1 2 3\n4 \xB0\xB1 6\n", 3, 9, 1, 6, 1},
      {"vertical tab and form feed", "1\v2\f3\n4 5 6\n", 3, 9, 2, 12, 2},
      {"all forms", "+1 -.5 5. .25 1e2 1E+2 25e-2 -0 -0.0e9\n", 9, 9, 1, 39, 1},
  };
  RowsWorkspace workspace;
  for (const TwinCase& c : cases) {
    SCOPED_TRACE(c.what);
    const Scanned twin =
        Scan(RowsTarget::kScalar, c.text, c.width, c.room, &workspace);
    EXPECT_EQ(twin.scan.rows, c.rows);
    EXPECT_EQ(twin.scan.bytes, c.bytes);
    EXPECT_EQ(twin.scan.lines, c.lines);
    ExpectAsTwin(c.text, c.width, c.room);
    // The same after a few chunks of regular rows.
    std::string longer;
    while (longer.size() < 20'000) {
      for (size_t i = 0; i < c.width; ++i) longer += "-12.3456 ";
      longer += '\n';
    }
    longer += c.text;
    ExpectAsTwin(longer, c.width, longer.size());
  }
}

using Random = std::mt19937_64;

std::string Format(const char* format, int digits, double value) {
  char buffer[400];
  const int n = std::snprintf(buffer, sizeof(buffer), format, digits, value);
  return std::string(buffer, static_cast<size_t>(n));
}

double RandomDouble(Random& random, int max_exponent) {
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-max_exponent, max_exponent);
  return std::ldexp(mantissa(random), exponent(random));
}

// A decimal at, or just beside, the middle between two floats.
std::string Midpoint(Random& random) {
  const double value = RandomDouble(random, 18);
  const float low = static_cast<float>(value);
  const float high =
      std::nextafter(low, std::numeric_limits<float>::infinity());
  const double middle = (static_cast<double>(low) + high) / 2;
  std::string text =
      Format(random() % 2 ? "%.*f" : "%.*e", random() % 40, middle);
  if (random() % 3 == 0) {
    const size_t last = text.find_last_of("0123456789", text.find('e') - 1);
    if (last != std::string::npos) {
      text[last] = static_cast<char>('0' + random() % 10);
    }
  }
  return text;
}

std::string RandomNumber(Random& random) {
  const auto digits = static_cast<int>(random() % 20);
  switch (random() % 14) {
    case 0:
      return std::to_string(static_cast<int64_t>(random() % 2000) - 1000);
    case 1:
      return Format("%.*f", 4, RandomDouble(random, 9));
    case 2:
      return Format("%.*f", 6, RandomDouble(random, 9));
    case 3:
      return Format("%.*f", digits, RandomDouble(random, 30));
    case 4:
      return Format("%.*g", digits, RandomDouble(random, 60));
    case 5:
      return Format("%.*e", digits, RandomDouble(random, 100));
    case 6:
      return Format("%.*E", digits, RandomDouble(random, 126));
    case 7:
      return Format("%.*g", 17, RandomDouble(random, 20));
    case 8:
      return "0";
    case 9:
      return random() % 2 ? "-0.000000" : "-0";
    case 10:
      return Midpoint(random);
    case 11:
      return "." + std::to_string(random() % 100'000);
    case 12:
      return "+" + std::to_string(random() % 1'000'000'000'000) + ".";
    default:
      return std::to_string(random() % 300'000) + "." +
             std::to_string(random() % 10'000'000);
  }
}

struct Style {
  size_t width;

  std::string_view line_end;
  // One in `damage` bytes is replaced; 0 = none.
  size_t damage;
};

std::string RandomRows(Random& random, const Style& style, size_t bytes) {
  constexpr std::string_view kBytes = "0123456789.-+eE \t\r\n#xpP:\v\f/";
  std::string text;
  while (text.size() < bytes) {
    if (random() % 50 == 0) text += style.line_end;
    for (size_t i = 0; i < style.width; ++i) {
      text += RandomNumber(random);
      text += random() % 20 ? " " : "\t ";
    }
    text += style.line_end;
  }
  if (style.damage > 0) {
    for (size_t i = random() % style.damage; i < text.size();
         i += 1 + random() % (2 * style.damage)) {
      text[i] = kBytes[random() % kBytes.size()];
    }
  }
  return text;
}

TEST(ScanRows, FastTargetsEqualTheTwinOnRandomRows) {
  Random random(20);
  for (const size_t width : {1, 2, 3, 7, 96, 400}) {
    for (const std::string_view end : {"\n", "\r\n", "\r"}) {
      for (int i = 0; i < 6; ++i) {
        const std::string text =
            RandomRows(random, {width, end, 0}, 5'000 << i);
        ExpectAsTwin(text, width, text.size());
        ExpectAsTwin(text, width, random() % (text.size() / 20));
      }
    }
  }
}

TEST(ScanRows, FastTargetsEqualTheTwinOnDamagedRows) {
  Random random(21);
  for (int i = 0; i < 3'000; ++i) {
    const size_t width = 1 + random() % 12;
    const std::string_view end =
        std::array<std::string_view, 3>{"\n", "\r\n", "\r"}[random() % 3];
    const std::string text = RandomRows(
        random, {width, end, 1 + random() % 3'000}, random() % 3'000);
    ExpectAsTwin(text, width, text.size());
  }
}

// Each form on its own, so that whole chunks take one path.
TEST(ScanRows, FastTargetsEqualTheTwinOnEachForm) {
  Random random(22);
  const auto digits = [&](size_t n) {
    std::string s;
    for (size_t i = 0; i < n; ++i) {
      s += static_cast<char>('0' + random() % 10);
    }
    return s;
  };
  for (size_t whole = 1; whole <= 10; ++whole) {
    for (size_t decimals = 0; decimals <= 20; ++decimals) {
      for (const bool exponent : {false, true}) {
        std::string text;
        for (size_t i = 0; i < 400; ++i) {
          text += (random() % 2 ? "-" : "") + digits(whole) + "." +
                  digits(decimals);
          if (exponent) {
            text += "e";
            text += random() % 2 ? "-" : "+";
            text += digits(1 + random() % 2);
          }
          text += i % 4 == 3 ? "\n" : " ";
        }
        ExpectAsTwin(text, 4, 400);
      }
    }
  }
}

// More letters of exponents than there could be exponents.
TEST(ScanRows, LinesOfLettersAreNoRows) {
  for (const char c : {'e', 'E', '.', '-', '+', '#'}) {
    const std::string line(kMaxScannedLineBytes, c);
    ExpectAsTwin(line, 3, 300);
    ExpectAsTwin("1 2 3\n" + line, 3, 300);
    ExpectAsTwin("1 2 3e5\n" + line + "\n", 3, 300);
  }
}

TEST(ScanRows, LongLinesAreLeftToTheCaller) {
  for (const size_t bytes :
       {kMaxScannedLineBytes - 1, kMaxScannedLineBytes,
        kMaxScannedLineBytes + 1, 2 * kMaxScannedLineBytes}) {
    for (const std::string_view end : {"", "\n", "\r\n", "\r"}) {
      const size_t width = bytes / 2;
      std::string line;
      for (size_t i = 0; i < width; ++i) line += "7 ";
      line.resize(bytes, ' ');
      line += end;
      const std::string text = line + (end.empty() ? "" : line);
      SCOPED_TRACE(bytes);
      ExpectAsTwin(text, width, 2 * width);
      RowsWorkspace workspace;
      const Scanned twin =
          Scan(RowsTarget::kScalar, text, width, 2 * width, &workspace);
      EXPECT_EQ(twin.scan.rows > 0, bytes <= kMaxScannedLineBytes);
    }
  }
}

}  // namespace
}  // namespace bvhmill::testing
