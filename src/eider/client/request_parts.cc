#include "eider/client/detail/request_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "eider/base/text.h"
#include "eider/http/grammar.h"

namespace eider::detail {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// Fields that the client writes itself, or that would change where the request ends.
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

/// Takes the first line off, line end included. Pre: not empty.
std::string_view take_line(std::string_view& lines) noexcept {
  const std::size_t bytes = lines.find(kLineEnd) + kLineEnd.size();
  return std::exchange(lines, lines.substr(bytes)).substr(0, bytes);
}

void append_number(Buffer& out, std::uint64_t number) {
  std::array<char, 20> digits{};
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

/// These mean something with content, so that "none" is worth saying (RFC 9110, section 8.6).
bool announces_emptiness(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch;
}

void write_framing(Buffer& out, const RequestParts& parts) {
  const bool is_produced = parts.content_kind == ContentKind::produced;
  if (is_produced && !parts.content_length) {
    out.append("Transfer-Encoding: chunked\r\n");
    return;
  }
  if (const auto length = announced_length(parts)) {
    out.append("Content-Length: ");
    append_number(out, *length);
    out.append(kLineEnd);
  }
}

void write_line(Buffer& out, const RequestParts& parts, const HttpUrl& url, TargetStyle style) {
  out.append(to_text(parts.method));
  out.append(' ');
  if (style == TargetStyle::absolute) {
    out.append(url.origin());
  }
  out.append(url.target);
  out.append(" HTTP/1.1\r\nHost: ");
  out.append(url.authority);
  out.append(kLineEnd);
}

}  // namespace

void RequestParts::add_field(std::string_view name, std::string_view value) {
  if (!is_token(name) || !is_field_value(value)) {
    fault = {ClientFault::bad_request,
             "A header cannot be sent: its name is no token, or its value has a control character "
             "or a blank at an end."};
  } else if (is_own_field(name)) {
    fault = {ClientFault::bad_request,
             "The header " + std::string(name) + " is the client's own: leave it out."};
  } else {
    field_lines.append(name).append(": ").append(value).append(kLineEnd);
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
  std::string kept;
  for (std::string_view rest = field_lines; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const bool is_removed = std::ranges::any_of(
        names, [line](std::string_view name) { return equals_ignoring_case(name, name_of(line)); });
    kept.append(is_removed ? std::string_view() : line);
  }
  field_lines = std::move(kept);
}

bool RequestParts::is_idempotent() const noexcept {
  return may_repeat.value_or(method != Method::post && method != Method::patch &&
                             method != Method::connect);
}

std::optional<std::uint64_t> announced_length(const RequestParts& parts) noexcept {
  switch (parts.content_kind) {
    case ContentKind::none:
      return announces_emptiness(parts.method) ? std::optional<std::uint64_t>(0) : std::nullopt;
    case ContentKind::bytes:
      return parts.content.size();
    case ContentKind::produced:
      return parts.content_length;
  }
  return std::nullopt;
}

void write_request_head(Buffer& out, const RequestParts& parts, const HttpUrl& url,
                        const HeadTerms& terms) {
  write_line(out, parts, url, terms.style);
  if (!terms.user_agent.empty() && !parts.has_field("User-Agent")) {
    out.append("User-Agent: ");
    out.append(terms.user_agent);
    out.append(kLineEnd);
  }
  if (terms.accepts_codings && !parts.has_field("Accept-Encoding")) {
    out.append("Accept-Encoding: ");
    out.append(kAcceptedCodings);
    out.append(kLineEnd);
  }
  out.append(parts.field_lines);
  out.append(terms.more);
  write_framing(out, parts);
  if (terms.expects_continue) {
    out.append("Expect: 100-continue\r\n");
  }
  out.append(kLineEnd);
}

}  // namespace eider::detail
