// A response as a test sees it.
// Layering: must not be lenient; bytes that are not a response fail the test.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/json/json.h"

namespace eider {

/// A problem document (RFC 9457).
struct TestProblem {
  std::string type;
  std::string title;
  int status;
  std::string detail;
  std::vector<FieldError> errors;
};

/// A response.
///
/// target  of the request, after redirects that were followed: "/notes?page=2"
struct TestResponse {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::string target = {};

  /// Returns the first header with that name, ignoring case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// Returns the body as a T. Throws a Failure if the body is not a valid T.
  template <class T>
  [[nodiscard]] T json() const {
    auto value = json::read<T>(body);
    if (!value) {
      refuse(value.error());
    }
    return std::move(*value);
  }
  /// Returns the body as JSON of any shape.
  [[nodiscard]] json::Value json() const { return json<json::Value>(); }
  /// Returns the body as a problem document. Throws a Failure if the body is not one.
  [[nodiscard]] TestProblem problem() const;

 private:
  [[noreturn]] void refuse(const Error& error) const;
};

namespace json {
/// Prints values for GoogleTest.
void PrintTo(const Value& value, std::ostream* out);
}  // namespace json

/// Whether the response is for a HEAD request, and so has no body even if its headers announce one.
enum class ReplyTo : unsigned char { other, head };

/// Removes the first response from the front of `bytes`; interim responses (1xx) are skipped.
///
/// returns  nothing if the response is not complete. Throws std::runtime_error for other bytes.
[[nodiscard]] std::optional<TestResponse> take_reply(std::string& bytes,
                                                     ReplyTo to = ReplyTo::other);

}  // namespace eider
