// Properties of a struct that are found at run time: defaults and member addresses.
// Layering: must not be called from outside reflect/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eider/core/reflect/type.h"

namespace eider::reflect::detail {

/// The compiled part of Structure::default_bits.
///
/// default_init  makes a T by `::new (memory) T`, which leaves trivial members as they were
std::uint64_t find_defaults(const Type& type, void (*default_init)(void* memory));

/// Notes which members of one object are made by kOptional, which leaves no trace in them. One is
/// asked on its thread while it lives.
class InitialiserWatch {
 public:
  explicit InitialiserWatch(const Type& type) noexcept;
  InitialiserWatch(const InitialiserWatch&) = delete;
  InitialiserWatch& operator=(const InitialiserWatch&) = delete;
  ~InitialiserWatch();

  void construct_at(void* memory);
  /// Bit i: member i was made by kOptional.
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
  /// Both are compared: the first member of a member lies at the same address.
  void note(const Type& type, const void* member) noexcept;

 private:
  const Type& type_;
  const void* object_ = nullptr;
  std::uint64_t bits_ = 0;
  InitialiserWatch* outer_;  // an initialiser may read a struct of its own
};

inline constinit thread_local InitialiserWatch* initialiser_watch = nullptr;

/// What kOptional does for each member that it makes.
inline void note_initialized(const Type& type, const void* member) noexcept {
  if (initialiser_watch != nullptr) [[unlikely]] {
    initialiser_watch->note(type, member);
  }
}

/// Ends the program when a member does not lie at its described offset (an alignas on a member).
///
/// addresses  where the members of an imagined object at `object` lie
bool check_layout(const Type& type, const void* object, const void* const* addresses) noexcept;

}  // namespace eider::reflect::detail
