#include "eider/client/ws_opening.h"

#include <algorithm>
#include <span>

#include "eider/client/response_head.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/ws/deflate_offer.h"
#include "eider/protocols/http/ws/handshake.h"

namespace eider::detail::client {

namespace {

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

std::string joined(std::span<const std::string> names) {
  std::string all;
  for (const std::string& name : names) {
    all.append(all.empty() ? "" : ", ").append(name);
  }
  return all;
}

WsClientError bad_response(std::string_view why) {
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
    return fail(bad_response(terms.error()));
  }
  return WsOpening{0, true, response.subprotocol, *terms};
}

Result<WsOpening, WsClientError> judge_switch(const ResponseHead& head, std::string_view key,
                                              const WsClientOptions& options) {
  const auto response =
      ws::check_response(head.status, head.fields, {key, options.socket.subprotocols});
  if (!response) {
    return fail(bad_response(response.error()));
  }
  auto opening = judge_answered(*response, options);
  if (opening) {
    opening->bytes = head.bytes;
  }
  return opening;
}

}  // namespace

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
    add_field(out, ws::kProtocolField, joined(options.socket.subprotocols));
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
  return response ? judge_answered(*response, options) : fail(bad_response(response.error()));
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
    return fail(bad_response(text(head.error())));
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
