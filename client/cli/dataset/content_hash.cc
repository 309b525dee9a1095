#include "client/cli/dataset/content_hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

namespace bvhmill::client {
namespace {

static_assert(std::endian::native == std::endian::little);

// The five primes of the specification.
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

template <typename T>
T Take(std::string_view* bytes) {
  T value = 0;
  std::memcpy(&value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return value;
}

uint64_t Round(uint64_t lane, uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

uint64_t Merge(uint64_t hash, uint64_t lane) {
  return (hash ^ Round(0, lane)) * kPrime1 + kPrime4;
}

// Consumes whole stripes of 32 bytes.
uint64_t HashStripes(std::string_view* bytes) {
  std::array<uint64_t, 4> lanes = {kPrime1 + kPrime2, kPrime2, 0,
                                   uint64_t{0} - kPrime1};
  while (bytes->size() >= 32) {
    for (uint64_t& lane : lanes) lane = Round(lane, Take<uint64_t>(bytes));
  }
  uint64_t hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) +
                  std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
  for (const uint64_t lane : lanes) hash = Merge(hash, lane);
  return hash;
}

uint64_t HashTail(uint64_t hash, std::string_view bytes) {
  while (bytes.size() >= 8) {
    hash ^= Round(0, Take<uint64_t>(&bytes));
    hash = std::rotl(hash, 27) * kPrime1 + kPrime4;
  }
  if (bytes.size() >= 4) {
    hash ^= Take<uint32_t>(&bytes) * kPrime1;
    hash = std::rotl(hash, 23) * kPrime2 + kPrime3;
  }
  while (!bytes.empty()) {
    hash ^= Take<uint8_t>(&bytes) * kPrime5;
    hash = std::rotl(hash, 11) * kPrime1;
  }
  return hash;
}

// Splits a text at CR and LF.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  bool has_more() const { return at_ < text_.size(); }
  // The next line, without the blanks around it.
  std::string_view NextTrimmed() {
    constexpr std::string_view kBlanks = " \t";
    const size_t end = std::min(Find('\n', &feed_), Find('\r', &return_));
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    const size_t first = line.find_first_not_of(kBlanks);
    if (first == line.npos) return {};
    return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
  }

 private:
  // The first `c` from here on. `*known` is that of the last call, so that a
  // text without it is searched once.
  size_t Find(char c, size_t* known) const {
    if (*known < at_ || at_ == 0) {
      *known = std::min(text_.find(c, at_), text_.size());
    }
    return *known;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t feed_ = 0;
  size_t return_ = 0;
};

// Removes `word`, which has small letters, from the begin of `line`, which may
// have it in any case. False if it is not there.
bool TakeWord(std::string_view word, std::string_view* line) {
  constexpr char kToSmall = 'a' - 'A';
  const auto is_same = [](char small, char c) {
    return c == small || c + kToSmall == small;
  };
  const bool is_there =
      line->size() >= word.size() &&
      std::equal(word.begin(), word.end(), line->begin(), is_same);
  if (is_there) line->remove_prefix(word.size());
  return is_there;
}

bool IsFrameTime(std::string_view line) {
  if (!TakeWord("frame", &line)) return false;
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return TakeWord("time", &line);
}

}  // namespace

uint64_t Xxh64(std::string_view bytes) {
  const uint64_t size = bytes.size();
  uint64_t hash = bytes.size() >= 32 ? HashStripes(&bytes) : kPrime5;
  hash = HashTail(hash + size, bytes);
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::optional<uint64_t> HashRows(std::string_view text) {
  std::string hashes;
  size_t rows = 0;
  bool is_below_header = false;
  for (Lines lines(text); lines.has_more();) {
    const std::string_view line = lines.NextTrimmed();
    if (line.empty()) continue;
    if (!is_below_header) {
      is_below_header = IsFrameTime(line);
      continue;
    }
    const uint64_t hash = Xxh64(line);
    hashes.append(reinterpret_cast<const char*>(&hash), sizeof(hash));
    ++rows;
  }
  if (rows < 2) return std::nullopt;
  return Xxh64(hashes);
}

}  // namespace bvhmill::client
