// Properties of a struct that are found at run time: defaults and member addresses.
// Layering: must not be called from outside reflect/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eider/core/reflect/type.h"

namespace eider::reflect::detail {

/// The compiled part of Structure::default_bits.
///
/// default_init  makes a T with `::new (memory) T`, which leaves trivial members unchanged
std::uint64_t find_defaults(const Type& type, void (*default_init)(void* memory));

/// Records which members of one object kOptional initialized, because the values do not show it.
/// Applies to the thread of this object, while it lives.
class InitialiserWatch {
 public:
  explicit InitialiserWatch(const Type& type) noexcept;
  InitialiserWatch(const InitialiserWatch&) = delete;
  InitialiserWatch& operator=(const InitialiserWatch&) = delete;
  ~InitialiserWatch();

  void construct_at(void* memory);
  /// Bit i: kOptional initialized member i.
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
  /// Compares address and type, because the first member of a member has the same address.
  void note(const Type& type, const void* member) noexcept;

 private:
  const Type& type_;
  const void* object_ = nullptr;
  std::uint64_t bits_ = 0;
  InitialiserWatch* outer_;  // an initializer may construct another described struct
};

inline constinit thread_local InitialiserWatch* initialiser_watch = nullptr;

/// Records a member that kOptional initialized.
inline void note_initialized(const Type& type, const void* member) noexcept {
  if (initialiser_watch != nullptr) [[unlikely]] {
    initialiser_watch->note(type, member);
  }
}

/// Ends the program if a member is not at its described offset (for example because of alignas).
///
/// addresses  of the members of an imagined object at `object`
bool check_layout(const Type& type, const void* object, const void* const* addresses) noexcept;

}  // namespace eider::reflect::detail
