// Replaces the heap of the test program with one that counts. In a separate file: if the compiler
// sees a `new` together with this `delete`, it reports a mismatch.
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> calls{0};

}  // namespace

void* operator new(std::size_t bytes) {
  calls.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(bytes == 0 ? 1 : bytes)) {
    return block;
  }
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t /*bytes*/) noexcept {
  std::free(block);
}

namespace eider {

std::size_t heap_calls() noexcept {
  return calls.load(std::memory_order_relaxed);
}

}  // namespace eider
