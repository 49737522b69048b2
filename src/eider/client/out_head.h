// The head of one request as it leaves, whatever the protocol writes it as.
// Must not check fields: what makes their lines has.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/method.h"

namespace eider::detail::client {

/// How much content follows the head.
enum class OutContent : std::uint8_t {
  none,
  sized,     ///< as much as OutHead::content_length says
  streamed,  ///< nobody knows before its end
};

/// All views outlive the call that sends it.
///
/// origin  a proxy is asked for the whole URL ("http://example.com"); empty: for the target alone
/// lines   fields as they stand on the wire, "Name: value\r\n" each: none of the connection, of the
///         framing, nor Host
struct OutHead {
  Method method = Method::get;
  std::string_view origin = {};
  std::string_view scheme = "http";
  std::string_view authority = {};
  std::string_view target = "/";
  std::string_view lines = {};
  OutContent content = OutContent::none;
  std::uint64_t content_length = 0;
  bool expects_continue = false;
  /// Trailers of the answer are welcome (RFC 9110, section 10.1.4).
  bool takes_trailers = false;

  /// What Content-Length says; nothing where it has no place, or is not known.
  [[nodiscard]] std::optional<std::uint64_t> announced_length() const noexcept;
};

/// Appends it as HTTP/1.1 has it: line, Host, fields, framing, empty line.
///
/// source  RFC 9112, sections 3 and 6
void write_head(Buffer& out, const OutHead& head);

}  // namespace eider::detail::client
