#include "eider/client/detail/ws_opening.h"

#include <algorithm>
#include <span>

#include "eider/base/text.h"
#include "eider/client/detail/response_head.h"
#include "eider/http/grammar.h"
#include "eider/http/ws/handshake.h"

namespace eider::detail {

namespace {

constexpr int kSwitching = 101;

/// Fields that the handshake writes itself, or that would announce a body.
bool is_own_field(std::string_view name) noexcept {
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

Result<WsOpening, WsClientError> judge_switch(const ResponseHead& head, std::string_view key,
                                              const WsClientOptions& options) {
  const auto answer = ws::check_answer(head.status, head.fields, {key, options.subprotocols});
  if (!answer) {
    return fail(WsClientError{WsClientFault::bad_answer, std::string(answer.error()), 0});
  }
  if (!answer->extensions.empty()) {
    return fail(WsClientError{WsClientFault::bad_answer,
                              "The server chose an extension that was not asked for.", 0});
  }
  return WsOpening{head.bytes, true, answer->subprotocol};
}

}  // namespace

std::optional<WsClientError> fault_of(const WsClientOptions& options) {
  if (!are_subprotocols(options.subprotocols)) {
    return WsClientError{WsClientFault::bad_option, "A subprotocol is no token, or there twice."};
  }
  for (const auto& [name, value] : options.headers) {
    if (!is_token(name) || !is_field_value(value)) {
      return WsClientError{WsClientFault::bad_option, "A header is not valid."};
    }
    if (is_own_field(name)) {
      return WsClientError{WsClientFault::bad_option, "A header belongs to the handshake."};
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
  add_field(out, ws::kVersionField, ws::kVersion);
  if (!options.subprotocols.empty()) {
    add_field(out, ws::kProtocolField, joined(options.subprotocols));
  }
  for (const auto& [name, value] : options.headers) {
    add_field(out, name, value);
  }
  return out.append("\r\n");
}

Result<WsOpening, WsClientError> judge_answer(std::string_view in, std::string_view key,
                                              const WsClientOptions& options) {
  const auto head = read_response_head(in);
  if (!head && head.error() == ResponseHeadFault::need_more) {
    return WsOpening();
  }
  if (!head) {
    return fail(WsClientError{WsClientFault::bad_answer, std::string(text(head.error())), 0});
  }
  if (head->status == kSwitching) {
    return judge_switch(*head, key, options);
  }
  if (head->status < 200) {
    return WsOpening{head->bytes, false, {}};
  }
  return fail(WsClientError{WsClientFault::declined, "The server does not switch to WebSocket.",
                            head->status});
}

}  // namespace eider::detail
