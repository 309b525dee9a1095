#include "client/python/module/kept_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>

namespace bvhmill::python {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;

enum class State : char { kEmpty, kBusy, kFull };

// A thread owns the other members while it has made the state kBusy; other
// threads pass the slot by meanwhile. A fork beside such a thread leaves the
// slot unused in the child.
struct Slot {
  std::atomic<State> state = State::kEmpty;
  void* memory = nullptr;
  size_t bytes = 0;
};

std::array<Slot, 2> slots;
std::atomic<size_t> next_victim = 0;

bool Own(Slot* slot, State from) {
  return slot->state.compare_exchange_strong(from, State::kBusy,
                                             std::memory_order_acquire);
}

void Release(Slot* slot, State to) {
  slot->state.store(to, std::memory_order_release);
}

// Takes of about the same length have buffers of the same size: a multiple of
// an eighth of the power of two below.
size_t RoundedBytes(size_t bytes) {
  const size_t step = std::max(std::bit_floor(bytes) / 8, kHugePageBytes);
  return (bytes + step - 1) / step * step;
}

// The system may drop the pages until they are written again. Only a hint.
void LetGo(void* memory, size_t bytes) {
#if defined(MADV_FREE)
  static_cast<void>(madvise(memory, bytes, MADV_FREE));
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

void Fill(Slot* slot, void* memory, size_t bytes) {
  LetGo(memory, bytes);
  slot->memory = memory;
  slot->bytes = bytes;
  Release(slot, State::kFull);
}

}  // namespace

void* TakeLarge(size_t bytes) {
  if (bytes > SIZE_MAX / 2) throw std::bad_alloc();
  const size_t rounded = RoundedBytes(bytes);
  for (Slot& slot : slots) {
    if (!Own(&slot, State::kFull)) continue;
    if (slot.bytes == rounded) {
      void* const memory = slot.memory;
      Release(&slot, State::kEmpty);
      return memory;
    }
    Release(&slot, State::kFull);
  }
  return AllocateLarge(rounded);
}

void GiveLarge(void* memory, size_t bytes) {
  const size_t rounded = RoundedBytes(bytes);
  if (rounded > kMostBytes) return FreeLarge(memory);
  for (Slot& slot : slots) {
    if (Own(&slot, State::kEmpty)) return Fill(&slot, memory, rounded);
  }
  Slot& victim = slots[next_victim++ % slots.size()];
  if (!Own(&victim, State::kFull)) return FreeLarge(memory);
  FreeLarge(victim.memory);
  Fill(&victim, memory, rounded);
}

size_t KeptBytes() {
  size_t bytes = 0;
  for (Slot& slot : slots) {
    if (!Own(&slot, State::kFull)) continue;
    bytes += slot.bytes;
    Release(&slot, State::kFull);
  }
  return bytes;
}

}  // namespace bvhmill::python
