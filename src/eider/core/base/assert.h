// Assertions: an error in the program ends the process, with the source line.
// Layering: must not be used for conditions that a client, a file or the kernel can cause.
#pragma once

#include <source_location>

namespace eider {

[[noreturn]] void assertion_failed(const char* what, const std::source_location& where) noexcept;

/// Ends the process if `holds` is false, which is a bug in the library or in its caller.
inline void ensure(bool holds, const char* what,
                   const std::source_location& where = std::source_location::current()) noexcept {
  if (!holds) [[unlikely]] {
    assertion_failed(what, where);
  }
}

}  // namespace eider
