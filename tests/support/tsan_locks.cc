// Tells the thread sanitizer of the locks and queues of gRPC and TBB, which
// were built without it. Otherwise data that one thread hands to another by
// gRPC would look like a race. Linked only into the tests under that sanitizer,
// where these functions replace those of the libraries.

#include <dlfcn.h>

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
// Stands for work handed to workers: they acquire it before they run the work.
extern char bvhmill_handed_over;
}

namespace {

template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define BVHMILL_MUTEX(name) "_ZN4absl7debian35Mutex" name
#define BVHMILL_CONDITION(name) "_ZN4absl7debian37CondVar" name
#define BVHMILL_TBB(name) "_ZN3tbb6detail2r17" name
#define BVHMILL_QUEUE(name) \
  "_ZN9grpc_core32MultiProducerSingleConsumerQueue" name

extern "C" {

void MutexLock(void* mutex) __asm__(BVHMILL_MUTEX("4LockEv"));
void MutexLock(void* mutex) {
  static auto* const next = Next<void(void*)>(BVHMILL_MUTEX("4LockEv"));
  next(mutex);
  __tsan_acquire(mutex);
}

void MutexUnlock(void* mutex) __asm__(BVHMILL_MUTEX("6UnlockEv"));
void MutexUnlock(void* mutex) {
  static auto* const next = Next<void(void*)>(BVHMILL_MUTEX("6UnlockEv"));
  __tsan_release(mutex);
  next(mutex);
}

bool MutexTryLock(void* mutex) __asm__(BVHMILL_MUTEX("7TryLockEv"));
bool MutexTryLock(void* mutex) {
  static auto* const next = Next<bool(void*)>(BVHMILL_MUTEX("7TryLockEv"));
  const bool locked = next(mutex);
  if (locked) __tsan_acquire(mutex);
  return locked;
}

void ConditionWait(void* condition, void* mutex) __asm__(
    BVHMILL_CONDITION("4WaitEPNS0_5MutexE"));
void ConditionWait(void* condition, void* mutex) {
  static auto* const next =
      Next<void(void*, void*)>(BVHMILL_CONDITION("4WaitEPNS0_5MutexE"));
  __tsan_release(mutex);
  next(condition, mutex);
  __tsan_acquire(mutex);
}

bool QueuePush(void* queue,
               void* node) __asm__(BVHMILL_QUEUE("4PushEPNS0_4NodeE"));
bool QueuePush(void* queue, void* node) {
  static auto* const next =
      Next<bool(void*, void*)>(BVHMILL_QUEUE("4PushEPNS0_4NodeE"));
  __tsan_release(node);
  return next(queue, node);
}

void* QueuePop(void* queue,
               bool* empty) __asm__(BVHMILL_QUEUE("14PopAndCheckEndEPb"));
void* QueuePop(void* queue, bool* empty) {
  static auto* const next =
      Next<void*(void*, bool*)>(BVHMILL_QUEUE("14PopAndCheckEndEPb"));
  void* const node = next(queue, empty);
  if (node != nullptr) __tsan_acquire(node);
  return node;
}

void TbbEnqueue(void* task, void* arena) __asm__(
    BVHMILL_TBB("enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"));
void TbbEnqueue(void* task, void* arena) {
  static auto* const next = Next<void(void*, void*)>(
      BVHMILL_TBB("enqueueERNS0_2d14taskEPNS2_15task_arena_baseE"));
  __tsan_release(&bvhmill_handed_over);
  next(task, arena);
}

}  // extern "C"
