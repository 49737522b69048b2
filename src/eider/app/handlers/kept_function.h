// Functions of the application, stored as long as they can be called.
// Layering: must not call them.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace eider::detail::app {

/// Returns a copy of a trivially copyable object.
[[nodiscard]] std::shared_ptr<const void> keep_bytes(const void* object, std::size_t size);

/// Stores the function as a const F. A stateless one needs no memory, because all objects of its
/// type are equal. Most others are trivially copyable and do not need a std::shared_ptr of their
/// own type, which would take 5 ms each to compile.
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
