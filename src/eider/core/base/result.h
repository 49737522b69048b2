// Result<T>: a value or an Error.
// Layering: must not be used for our own bugs: those are assertions (assert.h).
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eider {

/// One validation error.
///
/// pointer    a JSON pointer (RFC 6901) into the body, or the name of the parameter
/// detail     a text for the client
/// code       a stable code, the same in every language: "length"; may be empty
/// arguments  the arguments of the detail: {"min", "1"}
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

/// A header of an error response, such as Retry-After.
struct ErrorHeader {
  std::string name;
  std::string value;
};

/// The type of a problem, by which programs distinguish errors (RFC 9457, section 3.1.1).
///
/// uri    "https://shop.example/problems/out-of-stock", or "/problems/out-of-stock" on this site;
///        preferably a page that explains the problem. Empty: "about:blank", which means no more
///        than the status
/// title  the same for all problems of the type; empty: the reason phrase of the status
struct ProblemType {
  std::string uri;
  std::string title = {};
};

/// An error for the client: an HTTP status and a sentence without internals. It is one word larger
/// than a status, so that a Result is hardly larger than its value.
class Error {
 public:
  /// status  an HTTP status code, 400 <= status <= 599 (RFC 9110, section 15), or a redirect with
  ///         its Location, if a guard sends the client to another page first
  Error(int status, std::string detail);
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  static Error bad_request(std::string detail);
  static Error unauthorized(std::string detail);
  static Error forbidden(std::string detail);
  static Error not_found();
  static Error not_found(std::string detail);
  static Error conflict(std::string detail);
  /// Returns a 410: the resource existed, and will not return.
  static Error gone(std::string detail);
  static Error invalid(std::vector<FieldError> fields);
  /// Returns a 502: another server, which this one needs for the response, failed.
  static Error bad_gateway(std::string detail);
  static Error unavailable(std::string detail);
  /// Returns an internal error: `cause` is logged, and the client gets only the status 500.
  static Error internal(std::string cause);

  [[nodiscard]] int status() const noexcept { return status_; }
  [[nodiscard]] const std::string& detail() const noexcept;
  [[nodiscard]] const std::string& cause() const noexcept;
  [[nodiscard]] const std::vector<FieldError>& fields() const noexcept;
  /// Returns the error in one line: the first validation error, "/text: must have 1 to 1000
  /// characters", or else the detail.
  [[nodiscard]] std::string summary() const;
  /// Returns the error as one sentence for a user: each field by its label, "Starts: is taken;
  /// Ends: must be later.", or the detail if there are no validation errors.
  [[nodiscard]] std::string sentence() const;
  [[nodiscard]] const std::vector<ErrorHeader>& headers() const noexcept;
  [[nodiscard]] const ProblemType& type() const noexcept;

  /// Adds a cause that is only logged.
  Error because(std::string cause) &&;
  Error& with_status(int status) noexcept {
    status_ = status;
    return *this;
  }
  /// Sets the problem type, if the status is not enough for programs:
  ///
  ///     return fail(Error::conflict("There are 3 left.").with_type(kOutOfStock));
  Error& with_type(ProblemType type);
  /// Adds a header to the response: `Error(429, "…").with_header("Retry-After", "30")`. An invalid
  /// header (see Response::add_header) makes the response a 500, and is logged.
  Error& with_header(std::string name, std::string value);
  Error& with_field(std::string pointer, std::string detail);
  Error& with_field(FieldError field);

 private:
  struct Said;

  [[nodiscard]] const Said& said() const noexcept;
  [[nodiscard]] Said& change();

  int status_;
  /// Null after a move; such an error has no detail.
  std::unique_ptr<Said> said_;
};

template <class T, class E = Error>
using Result = std::expected<T, E>;

/// Makes a failed `Result`: `return fail(Error::not_found());`
template <class E>
[[nodiscard]] std::unexpected<std::decay_t<E>> fail(E&& error) {
  return std::unexpected<std::decay_t<E>>(std::forward<E>(error));
}

}  // namespace eider
