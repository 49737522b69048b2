#include "eider/client/ws/ws_opening.h"

#include <algorithm>
#include <span>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/authority.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/ws/deflate_offer.h"
#include "eider/protocols/http/ws/handshake.h"

namespace eider::detail::client {

namespace {

constexpr std::size_t kWsUrlBytesMax = 4096;
constexpr std::string_view kWs = "ws://";
constexpr std::string_view kWss = "wss://";

WsClientError bad(std::string_view text) {
  return {WsClientFault::bad_url, std::string(text), 0};
}

/// Returns whether the text is printable ASCII that RFC 3986 permits, with two digits after each
/// '%'.
bool is_url_text(std::string_view text) noexcept {
  constexpr std::string_view kNever = "\"<>\\^`{|}";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char byte = text[at];
    if (byte <= ' ' || byte > '~' || kNever.contains(byte)) {
      return false;
    }
    if (byte == '%' && escaped_byte(text.substr(at)) < 0) {
      return false;
    }
  }
  return true;
}

std::string_view advice_on(http::AuthorityFlaw flaw) noexcept {
  switch (flaw) {
    case http::AuthorityFlaw::names_a_user:
      return "The URL contains a user name; use a header instead.";
    case http::AuthorityFlaw::bad_host:
      return "The URL has no valid host.";
    case http::AuthorityFlaw::bad_port:
      break;
  }
  return "The URL's port must be a number from 1 to 65535.";
}

using h1::HeadStatus;
using h1::ResponseFlaw;

constexpr h1::ResponseLimits kLimits{.head_bytes_max = kResponseHeadBytesMax,
                                     .headers_max = kResponseFieldsMax};

/// Returns whether the first line ends with CRLF, as far as it has arrived.
bool has_line_end(std::string_view in) noexcept {
  const std::size_t end = in.find_first_of("\r\n");
  return end != std::string_view::npos && in.substr(end, 2) == "\r\n";
}

ResponseHeadFault fault_of(ResponseFlaw flaw, std::string_view in) noexcept {
  switch (flaw) {
    case ResponseFlaw::bad_version:
    case ResponseFlaw::unsupported_version:
    case ResponseFlaw::bad_status:
    case ResponseFlaw::bad_reason:
      return ResponseHeadFault::bad_status_line;
    case ResponseFlaw::bare_lf:
    case ResponseFlaw::bare_cr:
      return has_line_end(in) ? ResponseHeadFault::bad_field : ResponseHeadFault::bad_status_line;
    case ResponseFlaw::head_too_large:
    case ResponseFlaw::too_many_fields:
      return ResponseHeadFault::too_large;
    default:
      return ResponseHeadFault::bad_field;
  }
}

constexpr int kSwitching = 101;

/// Returns whether the handshake sets this header itself, or the header would announce a body.
bool is_handshake_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 6> kOwn{
      "Host", "Upgrade", "Connection", "Content-Length", "Transfer-Encoding", "Expect"};
  constexpr std::string_view kPrefix = "Sec-WebSocket-";
  return equals_ignoring_case(name.substr(0, kPrefix.size()), kPrefix) ||
         std::ranges::any_of(
             kOwn, [name](std::string_view own) { return equals_ignoring_case(own, name); });
}

/// "The elements that comprise this value MUST be non-empty strings with characters in the range
/// U+0021 to U+007E not including separator characters … and MUST all be unique strings."
bool are_subprotocols(std::span<const std::string> names) noexcept {
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto before = names.first(at);
    if (!is_token(names[at]) || std::ranges::find(before, names[at]) != before.end()) {
      return false;
    }
  }
  return true;
}

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

WsClientError invalid_response(std::string_view why) {
  return {WsClientFault::bad_response, std::string(why), 0};
}

/// Evaluates the server's response to the offered extensions.
Result<std::optional<ws::DeflateTerms>, std::string_view> judge_extensions(
    std::string_view response, const WebSocketCompression& offered) {
  if (response.empty()) {
    return std::nullopt;
  }
  if (!offered.is_on()) {
    return fail(std::string_view("The server chose an extension that was not offered."));
  }
  const auto extensions = ws::read_extension_list(response);
  if (!extensions) {
    return fail(std::string_view("The server's Sec-WebSocket-Extensions header is not valid."));
  }
  return ws::check_deflate_response(*extensions, offered.wishes(ws::Side::client));
}

Result<WsOpening, WsClientError> judge_answered(const ws::Answered& response,
                                                const WsClientOptions& options) {
  const auto terms = judge_extensions(response.extensions, options.socket.compression);
  if (!terms) {
    return fail(invalid_response(terms.error()));
  }
  return WsOpening{0, true, response.subprotocol, *terms};
}

Result<WsOpening, WsClientError> judge_switch(const ResponseHead& head, std::string_view key,
                                              const WsClientOptions& options) {
  const auto response =
      ws::check_response(head.status, head.fields, {key, options.socket.subprotocols});
  if (!response) {
    return fail(invalid_response(response.error()));
  }
  auto opening = judge_answered(*response, options);
  if (opening) {
    opening->bytes = head.bytes;
  }
  return opening;
}

}  // namespace

Result<WsUrl, WsClientError> read_ws_url(std::string_view url) {
  if (url.size() > kWsUrlBytesMax || !is_url_text(url)) {
    return fail(bad("The URL is too long, or contains a byte that must be percent-encoded."));
  }
  const bool is_secure = equals_ignoring_case(url.substr(0, kWss.size()), kWss);
  if (!is_secure && !equals_ignoring_case(url.substr(0, kWs.size()), kWs)) {
    return fail(bad("The URL does not start with ws:// or wss://."));
  }
  if (url.contains('#')) {
    return fail(bad("The URL of a WebSocket must not have a fragment."));
  }
  const std::string_view rest = url.substr((is_secure ? kWss : kWs).size());
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  const auto read = http::read_authority(authority, is_secure ? 443 : 80);
  if (!read) {
    return fail(bad(advice_on(read.error())));
  }
  const std::string_view target = rest.substr(end);
  WsUrl made{is_secure, std::string(read->host), read->port, std::string(authority), {}};
  made.target.append(target.starts_with('/') ? "" : "/").append(target);
  return made;
}

std::string_view text(ResponseHeadFault fault) noexcept {
  switch (fault) {
    case ResponseHeadFault::need_more:
      return "The server's response headers do not end.";
    case ResponseHeadFault::bad_status_line:
      return "The server's response is not HTTP/1.1.";
    case ResponseHeadFault::bad_field:
      return "A header of the server's response is not valid.";
    case ResponseHeadFault::too_large:
      return "The server's response headers are too large.";
  }
  return {};
}

/// WebSocket requires HTTP/1.1 or later (RFC 6455, section 4.1).
Result<ResponseHead, ResponseHeadFault> read_response_head(std::string_view in) {
  if (in.starts_with("HTTP/1.0")) {
    return fail(ResponseHeadFault::bad_status_line);
  }
  h1::ResponseReader reader;
  switch (reader.read(in, Method::get, kLimits)) {
    case HeadStatus::need_more:
      return fail(ResponseHeadFault::need_more);
    case HeadStatus::refused:
      return fail(fault_of(reader.flaw(), in));
    case HeadStatus::complete:
      break;
  }
  const h1::ReplyHead& head = reader.head();
  return ResponseHead{head.status, {head.fields.begin(), head.fields.end()}, head.bytes.size()};
}

std::optional<WsClientError> fault_of(const WsClientOptions& options) {
  if (!are_subprotocols(options.socket.subprotocols)) {
    return WsClientError{WsClientFault::bad_option,
                         "A subprotocol is not a token, or is given more than once."};
  }
  for (const auto& [name, value] : options.headers) {
    if (!is_token(name) || !is_field_value(value)) {
      return WsClientError{WsClientFault::bad_option, "A header is not valid."};
    }
    if (is_handshake_field(name)) {
      return WsClientError{WsClientFault::bad_option, "A header is reserved for the handshake."};
    }
  }
  return std::nullopt;
}

WsKey make_ws_key(ws::MaskSource& masks) {
  std::array<unsigned char, 16> random{};
  for (auto at = random.begin(); at != random.end(); at += 4) {
    std::ranges::copy(masks.next(), at);
  }
  return ws::make_key(random);
}

std::string render_opening(const WsUrl& url, std::string_view key, const WsClientOptions& options) {
  std::string out("GET ");
  out.append(url.target).append(" HTTP/1.1\r\n");
  add_field(out, "Host", url.authority);
  add_field(out, "Upgrade", "websocket");
  add_field(out, "Connection", "Upgrade");
  add_field(out, ws::kKeyField, key);
  return out.append(render_fields(options)).append("\r\n");
}

std::string render_fields(const WsClientOptions& options) {
  std::string out;
  add_field(out, ws::kVersionField, ws::kVersion);
  if (!options.socket.subprotocols.empty()) {
    add_field(out, ws::kProtocolField, joined(options.socket.subprotocols, ", "));
  }
  if (const WebSocketCompression& compression = options.socket.compression; compression.is_on()) {
    const ws::DeflateWishes wishes = compression.wishes(ws::Side::client);
    add_field(out, ws::kExtensionsField, ws::deflate_offer(wishes));
  }
  for (const auto& [name, value] : options.headers) {
    add_field(out, name, value);
  }
  return out;
}

Result<WsOpening, WsClientError> judge_choices(std::span<const Field> fields,
                                               const WsClientOptions& options) {
  const auto response = ws::check_choices(fields, options.socket.subprotocols);
  return response ? judge_answered(*response, options) : fail(invalid_response(response.error()));
}

WsClientError declined(int status) {
  return {WsClientFault::declined, "The server did not switch to WebSocket.", status};
}

Result<WsOpening, WsClientError> judge_response(std::string_view in, std::string_view key,
                                                const WsClientOptions& options) {
  const auto head = read_response_head(in);
  if (!head && head.error() == ResponseHeadFault::need_more) {
    return WsOpening();
  }
  if (!head) {
    return fail(invalid_response(text(head.error())));
  }
  if (head->status == kSwitching) {
    return judge_switch(*head, key, options);
  }
  if (head->status < 200) {
    return WsOpening{head->bytes, false, {}};
  }
  return fail(declined(head->status));
}

}  // namespace eider::detail::client
