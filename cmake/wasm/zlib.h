#pragma once

// The part of zlib that the library uses, for WebAssembly: the checksum.

#include <array>
#include <cstddef>
#include <cstdint>

using Bytef = unsigned char;
using uLong = unsigned long;

// Tables for eight bytes at once: table k is for a byte that k bytes follow.
inline constexpr auto kCrcTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
    }
    tables[0][i] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t crc = tables[k - 1][i];
      tables[k][i] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}();

// The CRC-32 of some bytes after those of `crc`; 0 for no bytes before them.
inline uLong crc32_z(uLong crc, const Bytef* bytes, size_t size) {
  if (bytes == nullptr) return 0;
  auto state = ~static_cast<uint32_t>(crc);
  for (; size >= 8; size -= 8, bytes += 8) {
    uint32_t next = 0;
    for (size_t i = 0; i < 8; ++i) {
      const uint32_t before = i < 4 ? state >> (8 * i) : 0;
      next ^= kCrcTables[7 - i][(before ^ bytes[i]) & 0xFF];
    }
    state = next;
  }
  for (; size > 0; --size, ++bytes) {
    state = (state >> 8) ^ kCrcTables[0][(state ^ *bytes) & 0xFF];
  }
  return static_cast<uint32_t>(~state);
}
