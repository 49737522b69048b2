#include "eider/protocols/http/ws/handshake.h"

#include <algorithm>
#include <cstring>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha1.h"
#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/list.h"

namespace eider::ws {

namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kKeyBytes = 16;
constexpr std::string_view kUpgradeField = "Upgrade";
constexpr std::string_view kProtocolName = "websocket";

constexpr std::array kAllowGet{Field{"Allow", "GET"}};
/// A 426 names the protocol (RFC 9110, section 15.5.22) and the version to upgrade to.
constexpr std::array kUpgrade{Field{kUpgradeField, kProtocolName}, Field{kVersionField, kVersion}};

/// The fields of one name.
struct Found {
  std::size_t count = 0;
  std::string_view first;
};

Found find_all(std::span<const Field> fields, std::string_view name) noexcept {
  Found found;
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      found.first = found.count == 0 ? field.value : found.first;
      ++found.count;
    }
  }
  return found;
}

/// Returns whether one of the fields of this name lists `element`, case-insensitive.
bool any_lists(std::span<const Field> fields, std::string_view name,
               std::string_view element) noexcept {
  return std::ranges::any_of(fields, [&](const Field& field) {
    return equals_ignoring_case(field.name, name) && lists(field.value, element);
  });
}

/// "a base64-encoded value that, when decoded, is 16 bytes in length" (RFC 6455, section 4.2.1)
bool is_key(std::string_view value) noexcept {
  std::array<char, kKeyBytes> bytes{};
  return read_base64(value, bytes) == kKeyBytes;
}

bool are_subprotocols(std::span<const Field> fields) noexcept {
  for (const Field& field : fields) {
    if (!equals_ignoring_case(field.name, kProtocolField)) {
      continue;
    }
    ListReader names(field.value);
    while (const auto name = names.next()) {
      if (!is_token(*name)) {
        return false;
      }
    }
  }
  return true;
}

HandshakeRefusal bad(std::string_view text) noexcept {
  return {400, text, {}};
}

std::optional<HandshakeRefusal> refuse_request(const RequestHead& head) noexcept {
  // Check the method first, so that a POST gets 405 and not a 426.
  if (head.method != Method::get) {
    return HandshakeRefusal{405, "A WebSocket connection must start with a GET request.",
                            kAllowGet};
  }
  if (head.minor_version == 0) {
    return bad("A WebSocket connection must start with an HTTP/1.1 request.");
  }
  if (!head.wants_upgrade || !any_lists(head.fields, kUpgradeField, kProtocolName)) {
    return HandshakeRefusal{426, "This URL accepts only WebSocket connections.", kUpgrade};
  }
  if (head.body != BodyKind::none) {
    return bad("A WebSocket handshake must not have a body.");
  }
  return std::nullopt;
}

std::optional<HandshakeRefusal> refuse_version(const RequestHead& head) noexcept {
  const Found version = find_all(head.fields, kVersionField);
  if (version.count > 1) {
    return bad("The Sec-WebSocket-Version header is given more than once.");
  }
  if (version.count == 0) {
    return HandshakeRefusal{400, "The Sec-WebSocket-Version header is missing.", kUpgrade};
  }
  if (version.first != kVersion) {
    return HandshakeRefusal{426, "Only WebSocket version 13 is supported.", kUpgrade};
  }
  return std::nullopt;
}

std::optional<HandshakeRefusal> refuse_key(const Found& key) noexcept {
  if (key.count == 0) {
    return bad("The Sec-WebSocket-Key header is missing.");
  }
  if (key.count > 1) {
    return bad("The Sec-WebSocket-Key header is given more than once.");
  }
  if (!is_key(key.first)) {
    return bad("The Sec-WebSocket-Key header is not valid.");
  }
  return std::nullopt;
}

}  // namespace

std::array<char, 28> accept_value(std::string_view key) noexcept {
  // Longer values are not keys; only their start is used, and the result matches nothing.
  std::array<char, 64 + kGuid.size()> text{};
  key = key.substr(0, 64);
  std::copy(key.begin(), key.end(), text.begin());
  std::copy(kGuid.begin(), kGuid.end(), text.begin() + static_cast<std::ptrdiff_t>(key.size()));
  const auto digest = sha1({text.data(), key.size() + kGuid.size()});
  std::array<char, 28> accept{};
  write_base64(accept.data(), {digest.data(), digest.size()});
  return accept;
}

Result<Handshake, HandshakeRefusal> check_upgrade(const RequestHead& head) noexcept {
  const auto request = head.opens_websocket ? std::nullopt : refuse_request(head);
  if (request) {
    return fail(*request);
  }
  if (const auto refusal = refuse_version(head)) {
    return fail(*refusal);
  }
  // RFC 8441, section 5: the key and its response exist only in HTTP/1.1.
  const Found key = find_all(head.fields, kKeyField);
  const auto refusal = head.opens_websocket ? std::nullopt : refuse_key(key);
  if (refusal) {
    return fail(*refusal);
  }
  if (!are_subprotocols(head.fields)) {
    return fail(bad("The Sec-WebSocket-Protocol header is not valid."));
  }
  return head.opens_websocket ? Handshake() : Handshake{accept_value(key.first)};
}

std::optional<std::string_view> SubprotocolReader::next() noexcept {
  for (;;) {
    ListReader names(rest_);
    while (const auto name = names.next()) {
      if (is_token(*name)) {
        // Each call creates a new reader, so its position is kept.
        rest_ = names.rest();
        return name;
      }
    }
    rest_ = {};
    if (fields_.empty()) {
      return std::nullopt;
    }
    const Field& field = fields_.front();
    rest_ = equals_ignoring_case(field.name, kProtocolField) ? field.value : std::string_view();
    fields_ = fields_.subspan(1);
  }
}

bool offers_subprotocol(const RequestHead& head, std::string_view name) noexcept {
  SubprotocolReader names(head.fields);
  while (const auto offered = names.next()) {
    if (*offered == name) {
      return true;
    }
  }
  return false;
}

bool is_origin_allowed(const RequestHead& head, const RequestedSite& site,
                       std::span<const std::string> allowed) noexcept {
  const Found origin = find_all(head.fields, "Origin");
  if (origin.count == 0) {
    return true;
  }
  // With two origins it is unknown which one the browser meant.
  if (origin.count > 1) {
    return false;
  }
  const auto matches = [&origin](std::string_view one) {
    return one == "*" || equals_ignoring_case(one, origin.first);
  };
  return is_same_host(origin.first, site.host, site.over) || std::ranges::any_of(allowed, matches);
}

std::array<char, 24> make_key(const std::array<unsigned char, 16>& random) noexcept {
  std::array<char, kKeyBytes> bytes{};
  std::memcpy(bytes.data(), random.data(), bytes.size());
  std::array<char, 24> key{};
  write_base64(key.data(), {bytes.data(), bytes.size()});
  return key;
}

namespace {

/// Returns the error of the response's switch to WebSocket, or an empty text.
std::string_view fault_of_switch(int status, std::span<const Field> fields,
                                 std::string_view key) noexcept {
  if (status != 101) {
    return "The server did not switch to WebSocket.";
  }
  const Found upgrade = find_all(fields, kUpgradeField);
  if (upgrade.count != 1 || !equals_ignoring_case(upgrade.first, kProtocolName)) {
    return "The Upgrade header of the response is not websocket.";
  }
  if (!any_lists(fields, "Connection", "upgrade")) {
    return "The Connection header of the response is not upgrade.";
  }
  const Found accept = find_all(fields, kAcceptField);
  const auto expected = accept_value(key);
  if (accept.count != 1 || accept.first != std::string_view(expected.data(), expected.size())) {
    return "The Sec-WebSocket-Accept header does not match the key.";
  }
  return {};
}

/// "not present in the client's handshake" (RFC 6455, section 4.1, item 6)
bool is_asked(const Found& subprotocol, std::span<const std::string> asked) noexcept {
  const bool is_listed = std::ranges::any_of(
      asked, [&subprotocol](std::string_view name) { return name == subprotocol.first; });
  return subprotocol.count == 0 || (subprotocol.count == 1 && is_listed);
}

}  // namespace

Result<Answered, std::string_view> check_response(int status, std::span<const Field> fields,
                                                  const Asked& asked) noexcept {
  const std::string_view fault = fault_of_switch(status, fields, asked.key);
  if (!fault.empty()) {
    return fail(fault);
  }
  return check_choices(fields, asked.subprotocols);
}

Result<Answered, std::string_view> check_choices(std::span<const Field> fields,
                                                 std::span<const std::string> asked) noexcept {
  const Found subprotocol = find_all(fields, kProtocolField);
  if (!is_asked(subprotocol, asked)) {
    return fail(std::string_view("The server chose a subprotocol that was not offered."));
  }
  const Found extensions = find_all(fields, kExtensionsField);
  if (extensions.count > 1) {
    return fail(std::string_view("The Sec-WebSocket-Extensions header is given more than once."));
  }
  return Answered{subprotocol.first, extensions.first};
}

}  // namespace eider::ws
