// The words a handler's signature is made of: where each argument comes from.
// Must not do the extracting (extract.h) and must stay cheap to include.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "eider/core/base/fixed_string.h"

namespace eider {

namespace detail::app {

/// What all wrappers below share: they hold a value and read like a pointer to it.
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

/// What a handler does with query parameters that no member of its Query<T> has the name of.
///
/// by_result  reject if all that the handler returns is JSON, or nothing (204); else ignore: links
///            to pages come with parameters that social networks, mail tools and shops have added
enum class UnknownQuery : std::uint8_t { by_result, ignore, reject };

/// The query string as a struct: one key per member, members with an initialiser may be absent.
/// A bool is a checkbox, as in Form. Unknown keys: see UnknownQuery.
template <class T>
class Query : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};

/// The body as JSON (Content-Type: application/json, else 415). Also a result: `return
/// Json(value)`.
template <class T>
class Json : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};
template <class T>
Json(T) -> Json<T>;

/// The body as application/x-www-form-urlencoded, one key per member. A bool is a checkbox: true
/// when `on` or `true` came, false when nothing did (pairs.h).
template <class T>
class Form : public detail::app::Holds<T> {
 public:
  using detail::app::Holds<T>::Holds;
};

/// A header field, by name without case. T: text, number, or std::optional of one.
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

/// The body's bytes as they came; valid until the response is complete.
class Body {
 public:
  Body() = default;
  explicit Body(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::string_view view() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

/// What was put into the request by a guard, a hook or middleware on the handler's way
/// (Request::put): found by its type, not copied, valid until the response is complete. That nobody
/// there puts one is told when the app starts. Without a T in every request it is
/// `std::optional<Slot<T>>`.
template <class T>
class Slot {
 public:
  explicit Slot(T& object) noexcept : object_(&object) {}
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }

 private:
  T* object_;
};

/// What `App::state(T)` was given: one object that all handlers on all threads share, so a T that
/// changes has to be safe to use from several threads at once.
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
