#include "eider/reflect/detail/start.h"

#include <cstdio>
#include <cstdlib>

#include "eider/reflect/compare.h"
#include "eider/reflect/detail/scratch.h"

namespace eider::reflect::detail {

namespace {

constexpr unsigned char kFill = 0x5A;
constexpr unsigned char kOtherFill = 0xA5;  // differs in every bit: so does what nobody initialised

/// One byte that came out the same over both fills was written by an initialiser.
bool is_written(const Member& member, const Scratch& one, const Scratch& other) {
  for (std::size_t i = member.offset; i < member.offset + member.type->bytes; ++i) {
    if (one.byte(i) == other.byte(i)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::uint64_t find_defaults(const Type& type, void (*default_init)(void* memory)) {
  const Scratch one(type, default_init, kFill);
  const Scratch other(type, default_init, kOtherFill);
  const Scratch fresh(type, type.structure().construct);
  std::uint64_t bits = 0;
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
      std::fprintf(stderr,
                   "eider: struct %.*s: the member %.*s is aligned by hand; align its type\n",
                   static_cast<int>(type.name.size()), type.name.data(),
                   static_cast<int>(member.name.size()), member.name.data());
      std::abort();
    }
  }
  return true;
}

}  // namespace eider::reflect::detail
