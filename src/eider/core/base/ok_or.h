// The result of a lookup, or the reason why nothing was found.
// Layering: must not send requests.
#pragma once

#include <optional>
#include <utility>

#include "eider/core/base/result.h"

namespace eider {

/// Returns the value, or the error if there is no value:
///
///     const std::optional<User> user = co_await db->one<User>(…);
///     co_return ok_or(user, Error::not_found("There is no such user."));
template <class T>
[[nodiscard]] Result<T> ok_or(std::optional<T> value, Error error) {
  return value ? Result<T>(std::move(*value)) : fail(std::move(error));
}

}  // namespace eider
