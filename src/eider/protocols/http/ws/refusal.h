// The errors of WebSocket input, each with its close code and its RFC section, in one table.
// Layering: must not be used for handshakes: their errors are HTTP responses (handshake.h).
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/ws/close_code.h"

namespace eider::ws {

enum class Refusal : std::uint8_t {
  none,
  // Errors of the frame header.
  reserved_bit,
  reserved_opcode,
  fragmented_control,
  long_control,
  length_not_minimal,
  length_too_large,
  not_masked,
  masked,
  // Errors of the message.
  unstarted_continuation,
  unfinished_message,
  bad_text,
  message_too_large,
  too_many_fragments,
  bad_compression,
  // Errors of the close frame.
  half_close_code,
  bad_close_code,
  bad_close_reason,
};

/// The description of an error.
///
/// code     for the close frame in response; the connection is always closed afterwards
/// text     one sentence, ASCII, at most 123 bytes: the close frame's reason
/// section  the rule, e.g. "RFC 6455, 5.2"
struct RefusalInfo {
  CloseCode code;
  std::string_view text;
  std::string_view section;
};

/// Returns the table's row. Pre: refusal != Refusal::none.
[[nodiscard]] const RefusalInfo& refusal_info(Refusal refusal) noexcept;

}  // namespace eider::ws
