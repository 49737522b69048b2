// The words a handler's signature is made of: where each argument comes from.
// Must not do the extracting (extract.h) and must stay cheap to include.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace eider {

/// A string that can be a template argument: Header<"accept-language">.
template <std::size_t N>
struct FixedString {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval FixedString(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      text[i] = literal[i];
    }
  }
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }

  char text[N];
};

namespace detail {

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

}  // namespace detail

/// The query string as a struct: one key per member, members with an initialiser may be absent.
template <class T>
class Query : public detail::Holds<T> {
 public:
  using detail::Holds<T>::Holds;
};

/// The body as JSON (Content-Type: application/json, else 415). Also a result: `return
/// Json(value)`.
template <class T>
class Json : public detail::Holds<T> {
 public:
  using detail::Holds<T>::Holds;
};
template <class T>
Json(T) -> Json<T>;

/// The body as application/x-www-form-urlencoded, one key per member.
template <class T>
class Form : public detail::Holds<T> {
 public:
  using detail::Holds<T>::Holds;
};

/// A header field, by name without case. T: text, number, or std::optional of one.
template <FixedString Name, class T = std::string_view>
class Header : public detail::Holds<T> {
 public:
  using detail::Holds<T>::Holds;
};

/// A cookie, by name. T: text, number, or std::optional of one.
template <FixedString Name, class T = std::string_view>
class Cookie : public detail::Holds<T> {
 public:
  using detail::Holds<T>::Holds;
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
