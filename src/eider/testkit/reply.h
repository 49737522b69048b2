// A response as a test looks at it.
// Must not be lenient: bytes that are no response are a failure of the test.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/json/json.h"

namespace eider {

/// A problem document (RFC 9457) as the library writes it.
struct ProblemReply {
  std::string type;
  std::string title;
  int status;
  std::string detail;
  std::vector<FieldError> errors;
};

/// target  which it answers, behind redirects that were followed: "/notes?page=2"
struct Reply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::string target = {};

  /// The first header of that name, compared without case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  /// The body as a T. Throws Failure when it is none.
  template <class T>
  [[nodiscard]] T json() const {
    auto value = json::read<T>(body);
    if (!value) {
      refuse(value.error());
    }
    return std::move(*value);
  }
  /// The body as JSON of any shape.
  [[nodiscard]] json::Value json() const { return json<json::Value>(); }
  /// The body as a problem document. Throws Failure when it is none.
  [[nodiscard]] ProblemReply problem() const;

 private:
  [[noreturn]] void refuse(const Error& error) const;
};

namespace json {
/// gtest prints values by this.
void PrintTo(const Value& value, std::ostream* out);
}  // namespace json

/// Whether the response answers a HEAD request, and so has no body whatever its fields say.
enum class ReplyTo : unsigned char { other, head };

/// Takes the first response off the front of `bytes`; interim ones (1xx) are passed over.
///
/// returns  nothing when it is not complete. Throws std::runtime_error when it is no response.
[[nodiscard]] std::optional<Reply> take_reply(std::string& bytes, ReplyTo to = ReplyTo::other);

}  // namespace eider
