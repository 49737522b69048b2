// KeyedResponses if an allocation fails. Replaces the heap of the test program, which counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>

#include "eider/web/middleware/keyed_responses.h"

namespace {

thread_local long blocks = 0;
thread_local long fails_after = -1;  // number of allocations before one fails; -1: none fails

[[gnu::noinline]] void* allocate(std::size_t bytes) noexcept {
  if (fails_after >= 0 && fails_after-- == 0) {
    return nullptr;
  }
  ++blocks;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

[[gnu::noinline]] void* allocate_or_throw(std::size_t bytes) {
  if (void* const block = allocate(bytes)) {
    return block;
  }
  throw std::bad_alloc();
}

[[gnu::noinline]] void release(void* block) noexcept {
  blocks -= block == nullptr ? 0 : 1;
  std::free(block);
}

}  // namespace

// All forms are replaced, so that none is paired with one of a sanitizer.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate_or_throw(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
  return allocate_or_throw(bytes);
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes);
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  release(block);
}
[[gnu::noinline]] void operator delete[](void* block) noexcept {
  release(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  release(block);
}
[[gnu::noinline]] void operator delete[](void* block, std::size_t) noexcept {
  release(block);
}
[[gnu::noinline]] void operator delete(void* block, const std::nothrow_t&) noexcept {
  release(block);
}
[[gnu::noinline]] void operator delete[](void* block, const std::nothrow_t&) noexcept {
  release(block);
}

namespace eider::detail::middleware {
namespace {

/// Returns whether `end` failed.
bool fails_to_end(KeyedResponses& responses, const KeyedResponses::Key& key, long after) {
  const auto response = std::make_shared<const KeyedResponse>();
  fails_after = after;
  bool has_failed = false;
  try {
    responses.end(key, response, Instant());
  } catch (const std::bad_alloc&) {
    has_failed = true;
  }
  fails_after = -1;
  return has_failed;
}

TEST(KeyedResponsesMemory, keeps_nothing_of_a_response_that_could_not_be_stored) {
  for (long after = 0;; ++after) {
    KeyedResponses responses({10'000, 10'000, 10}, std::chrono::hours(1));
    const long blocks_before = blocks;
    (void)responses.begin({{1, 2}, {3, 4}}, {}, Instant());
    if (!fails_to_end(responses, {{1, 2}, {3, 4}}, after)) {
      EXPECT_GE(after, 4) << "the nodes of four containers";
      break;
    }
    EXPECT_EQ(responses.bytes(), 0U);
    responses.free({{1, 2}, {3, 4}});
    EXPECT_EQ(blocks, blocks_before) << after;
  }
}

}  // namespace
}  // namespace eider::detail::middleware
