// Result types of handlers, in addition to plain values.
// Layering: must not write bytes; respond.h renders them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/protocols/http/cache_control.h"
#include "eider/protocols/http/cookie.h"
#include "eider/protocols/http/response.h"

namespace eider {

namespace detail::app {
void add_cookie(Response& response, const SetCookie& cookie);
void set_etag(Response& response, std::string_view opaque);
void set_last_modified(Response& response, std::int64_t unix_seconds);
}  // namespace detail::app

/// 201 with the new object as JSON and, if `location` is set, its URL.
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

/// A result with status, headers or cookies:
///
///     return ResponseOf(issue).status(201).header("ETag", tag).cookie({.name = "sid", .value =
///     token});
template <class T>
class ResponseOf {
 public:
  explicit ResponseOf(T value) : value_(std::move(value)) {}

  /// Sets the status, instead of the default of the value such as 200.
  ResponseOf&& status(int code) && noexcept {
    status_ = code;
    return std::move(*this);
  }
  /// Adds a header, like Response::add_header.
  ResponseOf&& header(std::string_view name, std::string_view value) && {
    fields_.add_header(name, value);
    return std::move(*this);
  }
  /// Adds a cookie. Throws std::invalid_argument if `to_header_value` rejects it.
  ResponseOf&& cookie(const SetCookie& cookie) && {
    detail::app::add_cookie(fields_, cookie);
    return std::move(*this);
  }
  /// Sets the entity tag of the resource, without quotes: a version or a hash. The tag is strong.
  /// See Preconditions, and conditional_requests, which uses it for 304.
  /// Throws std::invalid_argument for a byte that is not allowed in entity tags.
  ResponseOf&& etag(std::string_view opaque) && {
    detail::app::set_etag(fields_, opaque);
    return std::move(*this);
  }
  /// Sets the time of the last modification.
  ResponseOf&& last_modified(std::chrono::sys_seconds when) && {
    detail::app::set_last_modified(fields_, when.time_since_epoch().count());
    return std::move(*this);
  }
  /// Sets Cache-Control: `.cache({.max_age = 60s, .is_private = true})`.
  /// Throws std::invalid_argument like `to_header_value`.
  ResponseOf&& cache(const CacheControl& words) && {
    fields_.replace_header("Cache-Control", to_header_value(words));
    return std::move(*this);
  }
  [[nodiscard]] T& value() noexcept { return value_; }
  [[nodiscard]] std::optional<int> status() const noexcept { return status_; }
  [[nodiscard]] const Response& fields() const noexcept { return fields_; }

 private:
  T value_;
  std::optional<int> status_;
  Response fields_;
};

/// Redirects the client to another URL.
///
/// status  303 See Other (default, also after a form), 301, 302, 307 or 308
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

/// An HTML page.
class Html {
 public:
  explicit Html(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::string& text() noexcept { return text_; }

 private:
  std::string text_;
};

}  // namespace eider
