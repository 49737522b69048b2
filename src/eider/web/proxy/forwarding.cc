#include "eider/web/proxy/forwarding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "eider/core/base/assert.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/ip_address.h"
#include "eider/protocols/http/list.h"
#include "eider/web/middleware/upstream_headers.h"

namespace eider::detail::proxy {

using middleware::begins_alike;
using middleware::is_alike;
using middleware::is_one_of;
using middleware::kForwardedPrefix;
using middleware::kHop;
using middleware::kRequestAnew;
using middleware::kWay;

namespace {

constexpr std::string_view kMaxForwards = "Max-Forwards";

/// Upstreams treat these as set by a proxy: about the client, and the target and method of its
/// request. Clients must not set them.
constexpr std::array<std::string_view, 9> kWordOfProxies{
    "X-Real-IP",      "X-Client-IP",       "True-Client-IP",
    "X-Original-URL", "X-Rewrite-URL",     "X-HTTP-Method-Override",
    "X-HTTP-Method",  "X-Method-Override", "Front-End-Https"};

bool is_word_of_proxies(std::string_view name) noexcept {
  return begins_alike(kForwardedPrefix, name) || is_one_of(kWordOfProxies, name);
}

/// Headers about routing, authentication, request modifiers, the format, and response control are
/// not allowed as trailers. ETag and Accept-Ranges are (RFC 9110, 8.8.3 and 14.3).
constexpr std::array<std::string_view, 18> kHeadOnly{
    "Authorization", "Cookie",          "Range",           "Max-Forwards", "Cache-Control",
    "Pragma",        "Accept-Encoding", "Prefer",          "Origin",       "Set-Cookie",
    "Age",           "Expires",         "Location",        "Refresh",      "Retry-After",
    "Vary",          "Warning",         "WWW-Authenticate"};
constexpr std::array<std::string_view, 3> kHeadOnlyPrefixes{"If-", "Content-", "Access-Control-"};
/// Headers that the server or this proxy sets.
constexpr std::array<std::string_view, 6> kResponseAnew{
    "Content-Length", "Content-Type", "Date", "Server", "Via", "Alt-Svc"};

bool belongs_to_head(std::string_view name) noexcept {
  return is_one_of(kRequestAnew, name) || is_one_of(kWay, name) || is_one_of(kResponseAnew, name) ||
         is_word_of_proxies(name) || is_one_of(kHeadOnly, name) ||
         std::ranges::any_of(kHeadOnlyPrefixes, [name](std::string_view prefix) {
           return begins_alike(prefix, name);
         });
}

/// Returns the "received-protocol": the version of the forwarded message (RFC 9110, section 7.6.3).
std::string_view via(client::ProtocolVersion version) noexcept {
  if (version.major != 1) {
    return "2.0 eider";
  }
  return version.minor == 0 ? "1.0 eider" : "1.1 eider";
}

/// Returns all values of that name and one more, joined by commas.
std::string extended(std::span<const Field> fields, std::string_view name, std::string_view last) {
  std::string all;
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      all.append(field.value).append(", ");
    }
  }
  return all.append(last);
}

bool is_counted(const Request& request) noexcept {
  return request.method() == Method::options;
}

std::optional<std::uint64_t> forwards_left(std::string_view value) noexcept {
  const bool is_number = !value.empty() && std::ranges::all_of(value, is_digit);
  return is_number ? parse_uint64(value).value_or(std::numeric_limits<std::uint32_t>::max())
                   : std::optional<std::uint64_t>();
}

/// RFC 9110, section 7.6.2: decrements the number, limited to the maximum here. Invalid values are
/// removed.
void take_forwards(std::string_view value, const TakeField& take) {
  if (const auto left = forwards_left(value); left && *left != 0) {
    take(kMaxForwards, std::to_string(*left - 1));
  }
}

void take_forwarded(const Request& request, ForwardedTrust trust, const TakeField& take) {
  const bool is_believed = trust == ForwardedTrust::some;
  // RFC 7239, section 6.2: a peer without an IP address, such as a Unix socket, is "unknown".
  const auto peer = IpAddress::parse(request.remote_address());
  const std::string address = peer ? peer->to_text() : "unknown";
  take("X-Forwarded-For",
       is_believed ? extended(request.headers(), "X-Forwarded-For", address) : address);
  const auto believed = [&](std::string_view name) {
    return is_believed ? request.header(name) : std::nullopt;
  };
  take("X-Forwarded-Proto",
       believed("X-Forwarded-Proto").value_or(request.tls() ? "https" : "http"));
  take("X-Forwarded-Host", believed("X-Forwarded-Host").value_or(request.head().authority));
}

void take_all(const UpstreamHeaders& set, const TakeField& take) {
  for (const UpstreamHeader& header : set.all()) {
    if (!header.value.empty()) {
      take(header.name, header.value);
    }
  }
}

constexpr std::size_t kEscapeSize = 3;
constexpr std::string_view kSemicolon =
    "The path contains a semicolon, which this proxy does not forward.";

/// Returns the end of the second bytes with which a character of UTF-8 has more bytes than it
/// needs. RFC 2279 had forms of five and six bytes, which some decoders still accept.
unsigned char overlong_end(unsigned char lead) noexcept {
  if (lead == 0xC0 || lead == 0xC1) {
    return 0xC0;
  }
  if (lead == 0xE0) {
    return 0xA0;
  }
  if (lead == 0xF0) {
    return 0x90;
  }
  if (lead >= 0xF8 && lead <= 0xFB) {
    return 0x88;
  }
  return lead == 0xFC || lead == 0xFD ? 0x84 : 0;
}

/// Returns whether a character has more bytes of UTF-8 than it needs, which RFC 3629, section 3,
/// forbids.
///
/// decoded  the decoded path, because a client can also send such bytes without encoding
bool has_overlong(std::string_view decoded) noexcept {
  return std::ranges::adjacent_find(decoded, [](char lead, char second) {
           const auto byte = static_cast<unsigned char>(second);
           return byte >= 0x80 && byte < overlong_end(static_cast<unsigned char>(lead));
         }) != decoded.end();
}

/// text  starts with a percent sign
std::string_view ambiguity_of_escape(std::string_view text, AmbiguousPaths passed) {
  const int byte = escaped_byte(text);
  if (byte < ' ' || byte == 0x7F) {
    return "The path contains an encoded control character.";
  }
  if (byte == ';') {
    return passed.semicolons ? std::string_view() : kSemicolon;
  }
  if ((byte == '/' || byte == '\\') && !passed.encoded_slashes) {
    return "The path contains an encoded slash or backslash, which this proxy does not forward.";
  }
  return {};
}

/// Returns whether the text contains an escape.
///
/// decoded  the decoded path, because each character of an escape can be encoded too: "%25%36%31"
bool has_escape(std::string_view decoded) noexcept {
  for (std::size_t at = 0; (at = decoded.find('%', at)) != decoded.npos; ++at) {
    if (escaped_byte(decoded.substr(at)) >= 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

HopFields::HopFields(std::span<const Field> fields) {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, "Connection")) {
      ListReader names(field.value);
      while (const auto name = names.next()) {
        named_.push_back(*name);
      }
    }
  }
}

bool HopFields::has(std::string_view name) const noexcept {
  return is_one_of(kHop, name) || is_one_of(named_, name);
}

void write_field(Buffer& out, std::string_view name, std::string_view value) {
  // A line break in a header would be another header or another request.
  ensure(is_token(name) && is_field_value(value), "only complete headers are sent to an upstream");
  out.append(name);
  out.append(": ");
  out.append(value);
  out.append("\r\n");
}

void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take) {
  // Connection may list any header, so it is read before any header is passed on.
  const HopFields hop(request.headers());
  const auto* const set = request.find<UpstreamHeaders>();
  const auto stays = [&](std::string_view name) {
    return hop.has(name) || is_one_of(kRequestAnew, name) ||
           (set != nullptr && set->replaces(name)) ||
           (trust != ForwardedTrust::unseen && is_one_of(kWay, name)) ||
           (trust == ForwardedTrust::none && is_word_of_proxies(name));
  };
  for (const Field& field : request.headers()) {
    if (stays(field.name)) {
      continue;
    }
    if (is_counted(request) && is_alike(kMaxForwards, field.name)) {
      take_forwards(field.value, take);
    } else {
      take(field.name, field.value);
    }
  }
  if (set != nullptr) {
    take_all(*set, take);
  }
  if (trust != ForwardedTrust::unseen) {
    // Replaces the client's own values, which were removed above.
    take_forwarded(request, trust, take);
  }
  // RFC 8470, section 5.1: an existing header "MUST NOT" be removed; repeated or invalid ones count
  // as this value.
  if (request.header("Early-Data")) {
    take("Early-Data", "1");
  }
  if (trust != ForwardedTrust::unseen) {
    const RequestHead& head = request.head();
    take("Via", extended(request.headers(), "Via", via({head.major_version, head.minor_version})));
  }
}

void forward_response_fields(std::span<const Field> fields, client::ProtocolVersion version,
                             const TakeField& take) {
  const HopFields hop(fields);
  for (const Field& field : fields) {
    if (!hop.has(field.name) && !is_one_of(kResponseAnew, field.name)) {
      take(field.name, field.value);
    }
  }
  take("Via", extended(fields, "Via", via(version)));
}

void forward_request_trailers(const Request& request, std::span<const Field> trailers,
                              const TakeField& take) {
  const auto* const set = request.find<UpstreamHeaders>();
  forward_trailers(request.headers(), trailers, [&](std::string_view name, std::string_view value) {
    if (set == nullptr || !set->replaces(name)) {
      take(name, value);
    }
  });
}

void forward_trailers(std::span<const Field> head, std::span<const Field> trailers,
                      const TakeField& take) {
  const HopFields hop(head);
  for (const Field& field : trailers) {
    const bool is_field = is_token(field.name) && is_field_value(field.value);
    if (is_field && !hop.has(field.name) && !belongs_to_head(field.name)) {
      take(field.name, field.value);
    }
  }
}

bool welcomes_trailers(const Request& request) noexcept {
  ListReader codings(request.header("TE").value_or(""));
  while (const auto coding = codings.next()) {
    if (equals_ignoring_case(trim(coding->substr(0, coding->find(';'))), "trailers")) {
      return request.head().minor_version != 0;
    }
  }
  return false;
}

bool has_come_far_enough(const Request& request) noexcept {
  const auto value = is_counted(request) ? request.header(kMaxForwards) : std::nullopt;
  return value && forwards_left(*value) == 0U;
}

std::size_t prefix_segments(std::string_view route) noexcept {
  route.remove_suffix(route.ends_with(kRest) ? kRest.size() : 0);
  return static_cast<std::size_t>(std::ranges::count(route, '/'));
}

std::string_view behind_prefix(const RequestHead& head, std::size_t segments) noexcept {
  std::string_view rest = head.target;
  if (head.form == TargetForm::absolute) {
    constexpr std::string_view kBehindScheme = "://";
    rest.remove_prefix(rest.find(kBehindScheme) + kBehindScheme.size() + head.authority.size());
  }
  for (std::size_t left = segments; left != 0; --left) {
    const std::size_t end = rest.find_first_of("/?", 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  return rest;
}

bool may_climb(std::string_view behind) {
  const std::string_view path = behind.substr(0, behind.find('?'));
  // Most paths have neither, and the router rejects plain dot segments.
  if (path.find_first_of("%;") == std::string_view::npos) {
    return false;
  }
  const auto decoded = percent_decode(path, Plus::literal);
  if (!decoded) {
    return true;  // the parser has rejected such paths before
  }
  for (std::string_view rest = *decoded; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("/\\"), rest.size());
    const std::string_view segment = rest.substr(0, end);
    if (segment.substr(0, segment.find(';')) == "..") {
      return true;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string_view ambiguity_of(std::string_view behind, AmbiguousPaths passed) {
  std::string_view path = behind.substr(0, behind.find('?'));
  if (!passed.semicolons && path.contains(';')) {
    return kSemicolon;
  }
  for (std::size_t at = 0; (at = path.find('%', at)) != path.npos; at += kEscapeSize) {
    if (const std::string_view found = ambiguity_of_escape(path.substr(at), passed);
        !found.empty()) {
      return found;
    }
  }
  // The loop above has found invalid escapes.
  const std::string decoded =
      path.contains('%') ? percent_decode(path, Plus::literal).value() : std::string();
  if (has_overlong(decoded.empty() ? path : decoded)) {
    return "The path contains an overlong UTF-8 sequence.";
  }
  if (!passed.double_encodings && has_escape(decoded)) {
    return "The path is percent-encoded twice, which this proxy does not forward.";
  }
  return {};
}

std::string target_of(const http::HttpUrl& base, std::string_view behind) {
  std::string target = base.target == "/" ? std::string() : base.target;
  if (target.empty() && !behind.starts_with('/')) {
    target.push_back('/');
  }
  return target.append(behind);
}

}  // namespace eider::detail::proxy
