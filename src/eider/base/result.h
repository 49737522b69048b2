// A value, or what the world did wrong instead.
// Must not be used for our own bugs: those are assertions (assert.h).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider {

/// One part of the input that is wrong.
///
/// pointer  where: a JSON pointer (RFC 6901) into the body, or the name of the parameter
/// detail   what is wrong with it, for the client's eyes
/// code     the same in one word, whatever the language: "length"; empty where nobody said one
/// arguments  what stands in the detail: {"min", "1"}
struct FieldError {
  struct Argument {
    std::string name;
    std::string value;
  };

  std::string pointer;
  std::string detail;
  std::string code = {};
  std::vector<Argument> arguments = {};
};

/// A field of the answer to a failure, such as Retry-After.
struct ErrorHeader {
  std::string name;
  std::string value;
};

/// A failure as the client is to learn of it: an HTTP status and a sentence without internals.
class Error {
 public:
  /// status  an HTTP status code, 400 <= status <= 599 (RFC 9110, section 15)
  Error(int status, std::string detail) : status_(status), detail_(std::move(detail)) {}

  static Error bad_request(std::string detail) { return {400, std::move(detail)}; }
  static Error unauthorized(std::string detail) { return {401, std::move(detail)}; }
  static Error forbidden(std::string detail) { return {403, std::move(detail)}; }
  static Error not_found(std::string detail = "There is nothing here.") {
    return {404, std::move(detail)};
  }
  static Error conflict(std::string detail) { return {409, std::move(detail)}; }
  static Error invalid(std::vector<FieldError> fields) {
    Error error(422, "The input is not valid.");
    error.fields_ = std::move(fields);
    return error;
  }
  static Error unavailable(std::string detail) { return {503, std::move(detail)}; }
  /// A failure inside: `cause` goes to the log, the client learns only that it happened.
  static Error internal(std::string cause) {
    Error error(500, "The server failed to answer this request.");
    error.cause_ = std::move(cause);
    return error;
  }

  [[nodiscard]] int status() const noexcept { return status_; }
  [[nodiscard]] const std::string& detail() const noexcept { return detail_; }
  /// What only the log is told, too.
  Error because(std::string cause) && {
    cause_ = std::move(cause);
    return std::move(*this);
  }
  [[nodiscard]] const std::string& cause() const noexcept { return cause_; }
  [[nodiscard]] const std::vector<FieldError>& fields() const noexcept { return fields_; }

  Error& with_status(int status) noexcept {
    status_ = status;
    return *this;
  }
  /// A field of the answer: `Error(429, "…").with_header("Retry-After", "30")`. One that cannot
  /// stand in a response (Response::add_header) makes the answer a 500 that says so in the log.
  Error& with_header(std::string name, std::string value) {
    headers_.push_back({std::move(name), std::move(value)});
    return *this;
  }
  [[nodiscard]] const std::vector<ErrorHeader>& headers() const noexcept { return headers_; }
  Error& with_field(std::string pointer, std::string detail) {
    return with_field({std::move(pointer), std::move(detail)});
  }
  Error& with_field(FieldError field) {
    fields_.push_back(std::move(field));
    return *this;
  }

 private:
  int status_;
  std::string detail_;
  std::string cause_;
  std::vector<FieldError> fields_;
  std::vector<ErrorHeader> headers_;
};

template <class T, class E = Error>
using Result = std::expected<T, E>;

/// Makes the failing `Result`: `return fail(Error::not_found());`
template <class E>
[[nodiscard]] std::unexpected<std::decay_t<E>> fail(E&& error) {
  return std::unexpected<std::decay_t<E>>(std::forward<E>(error));
}

}  // namespace eider
