// In steady state, reading and writing the JSON of a request allocates no heap memory.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "eider/core/json/json.h"
#include "eider/core/reflect/constraints.h"

namespace {

std::atomic<std::size_t> allocations = 0;

void* counted(std::size_t bytes) noexcept {
  ++allocations;
  return std::malloc(bytes);
}

void* counted_or_throw(std::size_t bytes) {
  if (void* const memory = counted(bytes)) {
    return memory;
  }
  throw std::bad_alloc();
}

}  // namespace

// Replaces all variants, so that a sanitizer's variant is never paired with one of these.
void* operator new(std::size_t bytes) {
  return counted_or_throw(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted_or_throw(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace eider::json {
namespace {

struct NewNote {
  Sized<std::string, 1, 200> title;
  std::string body;
  std::optional<Bounded<int, 0, 5>> stars;
  double share = 0.5;
};

enum class Paint { red, green };

template <class Action>
std::size_t allocations_of(Action action) {
  action();  // fills buffers and the thread's parser
  const std::size_t before = allocations;
  action();
  return allocations - before;
}

TEST(Allocation, reading_a_flat_struct_of_small_strings_makes_none) {
  EXPECT_EQ(allocations_of([] {
              const auto note =
                  read<NewNote>(R"({"title":"Milk","body":"two litres","stars":3,"share":0.25})");
              ASSERT_TRUE(note);
            }),
            0U);
}

TEST(Allocation, reading_with_defaults_left_out_makes_none) {
  EXPECT_EQ(allocations_of([] { ASSERT_TRUE(read<NewNote>(R"({"title":"a","body":""})")); }), 0U);
}

TEST(Allocation, writing_into_a_warm_buffer_makes_none) {
  Buffer out;
  const NewNote note{"Milk", std::string(1000, '"'), 3, 0.25};
  EXPECT_EQ(allocations_of([&] {
              out.clear();
              write(out, note);
            }),
            0U);
}

TEST(Allocation, errors_that_are_not_kept_make_none) {
  const auto refused = [](std::size_t times) {
    std::string members;
    std::string elements;
    for (std::size_t i = 0; i < times; ++i) {
      members += (i == 0 ? "\"x\":" : ",\"x\":") + std::to_string(i);
      elements += i == 0 ? "\"yellow\"" : ",\"yellow\"";
    }
    members = "{" + members + "}";
    elements = "[" + elements + "]";
    return allocations_of([&] {
      ASSERT_FALSE(read<NewNote>(members));
      ASSERT_FALSE((read<std::array<Paint, 1000>>(elements)));
    });
  };
  EXPECT_EQ(refused(1000), refused(100));
}

TEST(Allocation, a_large_text_leaves_no_memory_behind_on_the_thread) {
  const std::string large = "\"" + std::string(10'000'000, 'x') + "\"";
  ASSERT_TRUE(read<std::string>(large, {.bytes_max = large.size()}));
  EXPECT_EQ(allocations_of([] { ASSERT_TRUE(read<int>("1")); }), 0U);
}

}  // namespace
}  // namespace eider::json
