// JSON: reading, writing, and values of unknown shape.
// Layering: must not contain code, except names of other libraries that do not compile.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/core/json/limits.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/core/json/write.h"

namespace eider::json {

// Names that other JSON libraries have for json::read and json::to_text. They do not compile, and
// the message has the right name. Argument-dependent lookup must not find them.

template <class...>
inline constexpr bool kIsNamedOtherwise = false;

template <class T = void, std::convertible_to<std::string_view> Text>
Result<T> parse(const Text& /*text*/) {
  static_assert(kIsNamedOtherwise<T>,
                "eider: read JSON with json::read<T>(text), which returns a Result<T>; for a value "
                "of any shape, T is json::Value");
}

/// A function object, so that a call with a json::Value does not find it instead of a function of
/// the program.
struct WriterNamedOtherwise {
  template <class T>
  std::string operator()(const T& /*value*/, int /*indent*/ = 0) const {
    static_assert(kIsNamedOtherwise<T>, "eider: write JSON with json::to_text(value)");
    return {};
  }
};
inline constexpr WriterNamedOtherwise stringify;
inline constexpr WriterNamedOtherwise dump;

}  // namespace eider::json
