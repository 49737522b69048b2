#include "eider/client/request_parts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/plain_fields.h"

namespace eider::detail::client {

namespace {

/// Returns whether the client sets this header itself, or the header could change the request's
/// end.
bool is_own_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 10> kOwn{
      "Host", "Connection", "Content-Length",   "Transfer-Encoding", "Expect",
      "TE",   "Upgrade",    "Proxy-Connection", "Keep-Alive",        "Trailer"};
  return std::ranges::any_of(
      kOwn, [name](std::string_view own) { return equals_ignoring_case(own, name); });
}

std::string_view name_of(std::string_view line) noexcept {
  return line.substr(0, line.find(':'));
}

/// Removes the first line and returns it, including its line end. Pre: not empty.
std::string_view take_line(std::string_view& lines) noexcept {
  const std::size_t bytes = lines.find(kCrlf) + kCrlf.size();
  return std::exchange(lines, lines.substr(bytes)).substr(0, bytes);
}

/// Returns the lines whose name is to be kept.
template <class IsKept>
std::string lines_where(std::string_view lines, const IsKept& is_kept) {
  std::string kept;
  while (!lines.empty()) {
    const std::string_view line = take_line(lines);
    kept.append(is_kept(name_of(line)) ? line : std::string_view());
  }
  return kept;
}

}  // namespace

void RequestParts::add_field(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value)) {
    fault = {ClientFault::bad_request,
             "A header cannot be sent: its name is not a token, or its value has a control "
             "character, or a space at its start or end."};
  } else if (is_own_field(name)) {
    fault = {ClientFault::bad_request,
             "The header " + std::string(name) + " is set by the client: remove this header."};
  } else {
    field_lines.append(name).append(": ").append(value).append(kCrlf);
  }
}

bool RequestParts::has_field(std::string_view name) const noexcept {
  for (std::string_view rest = field_lines; !rest.empty();) {
    if (equals_ignoring_case(name_of(take_line(rest)), name)) {
      return true;
    }
  }
  return false;
}

void RequestParts::remove_fields(std::span<const std::string_view> names) {
  field_lines = lines_where(field_lines, [names](std::string_view name) {
    return std::ranges::none_of(
        names, [name](std::string_view other) { return equals_ignoring_case(other, name); });
  });
}

void RequestParts::keep_plain_fields() {
  field_lines = lines_where(field_lines, is_plain_request_field);
}

bool RequestParts::is_idempotent() const noexcept {
  return may_repeat.value_or(method != Method::post && method != Method::patch &&
                             method != Method::connect);
}

}  // namespace eider::detail::client
