// What is found out about a struct when the program runs: its defaults and its true layout.
// Must not be called from outside reflect/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eider/reflect/type.h"

namespace eider::reflect::detail {

/// The compiled part of Structure::default_bits.
///
/// default_init  makes a T by `::new (memory) T`, which leaves trivial members as they were
std::uint64_t find_defaults(const Type& type, void (*default_init)(void* memory));

/// Ends the program when a member does not lie at its described offset (an alignas on a member).
///
/// addresses  where the members of an imagined object at `object` lie
bool check_layout(const Type& type, const void* object, const void* const* addresses) noexcept;

}  // namespace eider::reflect::detail
