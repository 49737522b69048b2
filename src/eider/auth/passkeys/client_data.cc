#include "eider/auth/passkeys/client_data.h"

#include <algorithm>
#include <optional>

#include "eider/auth/passkeys/json_member.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"

namespace eider::detail::passkeys {

namespace {

constexpr std::size_t kClientDataBytesMax = std::size_t{16} << 10U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::unexpected<PasskeyError> refuse(PasskeyFault fault, std::string text) {
  return fail(PasskeyError{fault, std::move(text)});
}

/// For logs: what somebody else wrote, and not more of it than a line has room for.
std::string printable_quoted(std::string_view text) {
  constexpr std::size_t kShownMax = 200;
  std::string shown("'");
  for (const char one : text.substr(0, kShownMax)) {
    shown += one >= ' ' && one <= '~' ? one : '?';
  }
  return shown + "'";
}

Result<void, PasskeyError> check_frames(const json::Value& data,
                                        const ExpectedClientData& expected) {
  const json::Value* crossing = data.find("crossOrigin");
  const json::Value* top = data.find("topOrigin");
  if ((crossing != nullptr && !crossing->is_bool()) || (top != nullptr && !top->is_string())) {
    return refuse(PasskeyFault::malformed, "its client data has a member of another type");
  }
  const bool is_crossing = crossing != nullptr && crossing->boolean();
  if (!is_crossing && top == nullptr) {
    return {};
  }
  if (top == nullptr ||
      std::ranges::find(expected.top_origins, top->text()) == expected.top_origins.end()) {
    return refuse(PasskeyFault::cross_origin, "it was made in a frame of a page of " +
                                                  (top == nullptr ? std::string("nobody knows whom")
                                                                  : printable_quoted(top->text())));
  }
  return {};
}

}  // namespace

Result<void, PasskeyError> check_client_data(std::string_view text,
                                             const ExpectedClientData& expected) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  const auto data = parse_object(text, kClientDataBytesMax);
  const auto type = data ? text_member(*data, "type") : std::nullopt;
  const auto challenge = data ? text_member(*data, "challenge") : std::nullopt;
  const auto origin = data ? text_member(*data, "origin") : std::nullopt;
  if (!type || !challenge || !origin) {
    return refuse(PasskeyFault::malformed, "its client data cannot be read");
  }
  if (*type != expected.type) {
    return refuse(PasskeyFault::wrong_type, "it was made for " + printable_quoted(*type));
  }
  if (!equals_in_constant_time(*challenge, expected.challenge)) {
    return refuse(PasskeyFault::wrong_challenge, "it answers another challenge");
  }
  if (std::ranges::find(expected.origins, *origin) == expected.origins.end()) {
    return refuse(PasskeyFault::wrong_origin,
                  "it was made for a page of " + printable_quoted(*origin));
  }
  return check_frames(*data, expected);
}

}  // namespace eider::detail::passkeys
