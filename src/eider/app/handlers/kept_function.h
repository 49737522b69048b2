// Functions of the application, stored as long as they can be called.
// Layering: must not call them.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace eider::detail::app {

/// A copy of an object that is nothing but its bytes.
[[nodiscard]] std::shared_ptr<const void> keep_bytes(const void* object, std::size_t size);

/// The function as a const F. One without state needs no memory, as any of its type is the same;
/// most others are bytes, and need no std::shared_ptr of their own, of which each costs the
/// compiler 5 ms.
template <class F>
[[nodiscard]] std::shared_ptr<const void> keep_function(F function) {
  if constexpr (std::is_empty_v<F> && std::is_trivially_default_constructible_v<F> &&
                std::is_trivially_destructible_v<F>) {
    static constexpr F kFunction{};
    return {std::shared_ptr<const void>(), &kFunction};
  } else if constexpr (std::is_trivially_copyable_v<F> && alignof(F) <= alignof(std::max_align_t)) {
    return keep_bytes(&function, sizeof(F));
  } else {
    return std::make_shared<const F>(std::move(function));
  }
}

}  // namespace eider::detail::app
