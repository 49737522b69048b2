// What a handler may return besides plain values.
// Must not write bytes: respond.h renders them.
#pragma once

#include <string>
#include <utility>

namespace eider {

/// 201 with the new thing as JSON and, where `location` is given, its address.
template <class T>
class Created {
 public:
  explicit Created(T value, std::string location = {})
      : value_(std::move(value)), location_(std::move(location)) {}
  [[nodiscard]] const T& value() const noexcept { return value_; }
  [[nodiscard]] const std::string& location() const noexcept { return location_; }

 private:
  T value_;
  std::string location_;
};

/// Sends the client elsewhere.
///
/// status  303 see other (the default: right after a form), 301, 302, 307 or 308
class Redirect {
 public:
  explicit Redirect(std::string location, int status = 303)
      : location_(std::move(location)), status_(status) {}
  [[nodiscard]] const std::string& location() const noexcept { return location_; }
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  std::string location_;
  int status_;
};

/// A page.
class Html {
 public:
  explicit Html(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::string& text() noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace eider
