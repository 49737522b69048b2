// A value, or what the world did wrong instead.
// Must not be used for our own bugs: those are assertions (assert.h).
#pragma once

#include <expected>
#include <memory>
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

/// A kind of failure that programs tell apart by its address (RFC 9457, section 3.1.1).
///
/// uri    "https://shop.example/problems/out-of-stock", or "/problems/out-of-stock" of this site;
///        best one that explains the kind to whoever opens it. Empty: "about:blank", which says no
///        more than the status
/// title  the same for all of the kind; empty: the status's phrase
struct ProblemType {
  std::string uri;
  std::string title = {};
};

/// A failure as the client is to learn of it: an HTTP status and a sentence without internals. A
/// word besides its status, so that a Result is hardly larger than its value.
class Error {
 public:
  /// status  an HTTP status code, 400 <= status <= 599 (RFC 9110, section 15), or of a redirection,
  ///         with its Location, where a guard sends the client to another page first
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
  static Error invalid(std::vector<FieldError> fields);
  static Error unavailable(std::string detail);
  /// A failure inside: `cause` goes to the log, the client learns only that it happened.
  static Error internal(std::string cause);

  [[nodiscard]] int status() const noexcept { return status_; }
  [[nodiscard]] const std::string& detail() const noexcept;
  [[nodiscard]] const std::string& cause() const noexcept;
  [[nodiscard]] const std::vector<FieldError>& fields() const noexcept;
  /// What is wrong in one line: the first of the fields, "/text: must have 1 to 1000 characters";
  /// where there is none, the detail.
  [[nodiscard]] std::string summary() const;
  /// The error as one sentence for a user: each field by its label, "Starts: is taken; Ends: must
  /// be later."; if no field is wrong, the detail.
  [[nodiscard]] std::string sentence() const;
  [[nodiscard]] const std::vector<ErrorHeader>& headers() const noexcept;
  [[nodiscard]] const ProblemType& type() const noexcept;

  /// What only the log is told, too.
  Error because(std::string cause) &&;
  Error& with_status(int status) noexcept {
    status_ = status;
    return *this;
  }
  /// What kind it is, where a status is not enough for programs:
  ///
  ///     return fail(Error::conflict("There are 3 left.").with_type(kOutOfStock));
  Error& with_type(ProblemType type);
  /// A field of the answer: `Error(429, "…").with_header("Retry-After", "30")`. One that cannot
  /// stand in a response (Response::add_header) makes the answer a 500 that says so in the log.
  Error& with_header(std::string name, std::string value);
  Error& with_field(std::string pointer, std::string detail);
  Error& with_field(FieldError field);

 private:
  struct Said;

  [[nodiscard]] const Said& said() const noexcept;
  [[nodiscard]] Said& change();

  int status_;
  /// Null once it was moved from: it says nothing then.
  std::unique_ptr<Said> said_;
};

template <class T, class E = Error>
using Result = std::expected<T, E>;

/// Makes the failing `Result`: `return fail(Error::not_found());`
template <class E>
[[nodiscard]] std::unexpected<std::decay_t<E>> fail(E&& error) {
  return std::unexpected<std::decay_t<E>>(std::forward<E>(error));
}

}  // namespace eider
