#include "eider/core/reflect/start.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "eider/core/reflect/compare.h"
#include "eider/core/reflect/scratch.h"

namespace eider::reflect::detail {

namespace {

constexpr unsigned char kFill = 0x5A;
constexpr unsigned char kOtherFill = 0xA5;  // differs in every bit, and so do uninitialised bytes

/// A byte with the same value after both fills was written by an initializer.
bool is_written(const Member& member, const Scratch& one, const Scratch& other) {
  for (std::size_t i = member.offset; i < member.offset + member.type->bytes; ++i) {
    if (one.byte(i) == other.byte(i)) {
      return true;
    }
  }
  return false;
}

}  // namespace

InitialiserWatch::InitialiserWatch(const Type& type) noexcept
    : type_(type), outer_(std::exchange(initialiser_watch, this)) {}

InitialiserWatch::~InitialiserWatch() {
  initialiser_watch = outer_;
}

void InitialiserWatch::construct_at(void* memory) {
  object_ = memory;
  type_.structure().construct(memory);
}

void InitialiserWatch::note(const Type& type, const void* member) noexcept {
  std::uint64_t bit = 1;
  for (const Member& own : type_.structure()) {
    bits_ |= own.type == &type && own.in(object_) == member ? bit : 0;
    bit <<= 1;
  }
}

std::uint64_t find_defaults(const Type& type, void (*default_init)(void* memory)) {
  const Scratch one(type, default_init, kFill);
  const Scratch other(type, default_init, kOtherFill);
  InitialiserWatch watch(type);
  const Scratch fresh(type, [&watch](void* memory) { watch.construct_at(memory); });
  std::uint64_t bits = watch.bits();
  std::uint64_t bit = 1;
  for (const Member& member : type.structure()) {
    const bool has_default = member.type->is_trivial
                                 ? is_written(member, one, other)
                                 : !is_fresh(*member.type, member.in(fresh.object()));
    bits |= has_default ? bit : 0;
    bit <<= 1;
  }
  return bits;
}

bool check_layout(const Type& type, const void* object, const void* const* addresses) noexcept {
  for (const Member& member : type.structure()) {
    if (member.in(object) != *addresses++) {
      std::fprintf(
          stderr,
          "eider: struct %.*s: the member %.*s has an alignas specifier; put alignas on its type\n",
          static_cast<int>(type.name.size()), type.name.data(),
          static_cast<int>(member.name.size()), member.name.data());
      std::abort();
    }
  }
  return true;
}

}  // namespace eider::reflect::detail
