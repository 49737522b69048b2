// The parameter types of handlers, which determine where each argument comes from.
// Layering: must not extract arguments (extract.h), and must stay cheap to include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "eider/core/base/fixed_string.h"

namespace eider {

namespace detail::app {

/// The base of all wrappers below: holds a value and reads like a pointer to it.
template <class T>
class Holds {
 public:
  Holds() = default;
  explicit Holds(T value) : value_(std::move(value)) {}

  T& operator*() noexcept { return value_; }
  const T& operator*() const noexcept { return value_; }
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }

 private:
  T value_{};
};

}  // namespace detail::app

/// How a handler treats query parameters that are not members of its Query<T>.
///
/// by_result  reject if the handler returns only JSON or nothing (204); else ignore, because social
///            networks, mail tools and shops add parameters to links
enum class UnknownQuery : std::uint8_t { by_result, ignore, reject };

/// The query string as a struct: one query parameter per member; members with an initializer are
/// optional. A bool is a checkbox, as in Form. For unknown parameters, see UnknownQuery.
template <class T>
class Query : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};

/// The request body as JSON (Content-Type: application/json, else 415). Also a result: `return
/// Json(value)`.
template <class T>
class Json : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};
template <class T>
Json(T) -> Json<T>;

/// The request body as application/x-www-form-urlencoded, one field per member. A bool is a
/// checkbox: true for `on` and `true`, false if the field is missing (pairs.h).
template <class T>
class Form : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};

/// A header, by name without case. T: text, number, or std::optional of one.
template <FixedString Name, class T = std::string_view>
class Header : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};

/// A cookie, by name. T: text, number, or std::optional of one.
template <FixedString Name, class T = std::string_view>
class Cookie : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};

/// The bytes of the request body; valid until the response is complete.
class Body {
 public:
  Body() = default;
  explicit Body(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::string_view view() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// A value that a guard, provider, hook or middleware of this route stored in the request
/// (Request::set): found by its type, not copied, valid until the response is complete. If nothing
/// supplies it, the program reports that at startup. If only some requests have a T, use
/// `std::optional<Extension<T>>`.
template <class T>
class Extension {
 public:
  explicit Extension(T& object) noexcept : object_(&object) {}
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }

 private:
  T* object_;
};

/// An object of `App::state(T)`, shared by all handlers on all threads. If a T changes, it must be
/// safe to use from several threads.
template <class T>
class State {
 public:
  explicit State(T& object) noexcept : object_(&object) {}
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }

 private:
  T* object_;
};

}  // namespace eider
