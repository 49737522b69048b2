// An Error as an exception: thrown by handlers and libraries, caught by app/ only.
// Layering: must not be used for errors that the caller is expected to handle.
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "eider/core/base/result.h"

namespace eider {

class Failure : public std::exception {
 public:
  explicit Failure(Error error) : error_(std::move(error)) {}
  [[nodiscard]] const char* what() const noexcept override {
    return error_.cause().empty() ? error_.detail().c_str() : error_.cause().c_str();
  }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// Returns the value of a result, or throws its error as a Failure.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result) {
    throw Failure(std::move(result.error()));
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

}  // namespace eider
