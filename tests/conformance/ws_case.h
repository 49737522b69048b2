// Cases of WebSocket input: the frames to send, and the expected events.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws {

/// How a length is encoded: correctly, or in 2 or 8 bytes even if fewer are enough.
enum class LengthForm : std::uint8_t { shortest, two_bytes, eight_bytes };
/// Whether a frame is masked as the receiving side requires.
enum class Masking : std::uint8_t { right, wrong };

/// A valid or invalid frame to send.
///
/// first            the first byte: final bit, reserved bits, opcode
/// announced_bytes  the length to send (default: the length of the payload)
struct SentFrame {
  unsigned char first;
  std::string payload = {};
  std::optional<std::uint64_t> announced_bytes = {};
  LengthForm length_form = LengthForm::shortest;
  Masking masking = Masking::right;
};

/// An event with a copy of its bytes, for comparison.
struct Seen {
  EventKind kind;
  MessageType type = MessageType::text;
  CloseCode code = CloseCode::no_status;
  std::string data = {};
  Refusal refusal = Refusal::none;

  bool operator==(const Seen&) const = default;
};

struct WsCase {
  std::string what;
  std::string_view section;
  std::vector<SentFrame> sent;
  std::vector<Seen> seen;
  MessageLimits limits = {};
};

using WsCases = std::vector<WsCase>;

inline constexpr unsigned char kFinal = 0x80;

// Frames to send.

inline SentFrame text(std::string payload) {
  return {kFinal | 1, std::move(payload)};
}
inline SentFrame binary(std::string payload) {
  return {kFinal | 2, std::move(payload)};
}
inline SentFrame text_start(std::string payload) {
  return {1, std::move(payload)};
}
inline SentFrame binary_start(std::string payload) {
  return {2, std::move(payload)};
}
inline SentFrame middle(std::string payload) {
  return {0, std::move(payload)};
}
inline SentFrame last(std::string payload) {
  return {kFinal, std::move(payload)};
}
inline SentFrame ping(std::string payload) {
  return {kFinal | 9, std::move(payload)};
}
inline SentFrame pong(std::string payload) {
  return {kFinal | 10, std::move(payload)};
}
/// payload  code and reason as bytes
inline SentFrame raw_close(std::string payload) {
  return {kFinal | 8, std::move(payload)};
}
inline SentFrame close(unsigned code, std::string_view reason = {}) {
  std::string payload{static_cast<char>(code >> 8U), static_cast<char>(code & 0xFFU)};
  return raw_close(payload.append(reason));
}
inline SentFrame announcing(SentFrame frame, std::uint64_t bytes) {
  frame.announced_bytes = bytes;
  return frame;
}
inline SentFrame with_length(SentFrame frame, LengthForm form) {
  frame.length_form = form;
  return frame;
}
inline SentFrame wrongly_masked(SentFrame frame) {
  frame.masking = Masking::wrong;
  return frame;
}
/// Returns the message in frames of `bytes` bytes each.
inline std::vector<SentFrame> in_fragments(SentFrame whole, std::size_t bytes) {
  std::vector<SentFrame> frames;
  const std::string payload = whole.payload;
  for (std::size_t at = 0; at < payload.size(); at += bytes) {
    const bool is_last = at + bytes >= payload.size();
    const auto opcode = at == 0 ? static_cast<unsigned char>(whole.first & 0x0FU) : 0;
    frames.push_back(
        {static_cast<unsigned char>(opcode | (is_last ? kFinal : 0)), payload.substr(at, bytes)});
  }
  return frames;
}

// Expected events.

inline Seen saw_text(std::string data) {
  return {EventKind::message, MessageType::text, CloseCode::no_status, std::move(data)};
}
inline Seen saw_binary(std::string data) {
  return {EventKind::message, MessageType::binary, CloseCode::no_status, std::move(data)};
}
inline Seen saw_ping(std::string data) {
  return {EventKind::ping, MessageType::text, CloseCode::no_status, std::move(data)};
}
inline Seen saw_pong(std::string data) {
  return {EventKind::pong, MessageType::text, CloseCode::no_status, std::move(data)};
}
inline Seen saw_close(unsigned code, std::string data = {}) {
  return {EventKind::close, MessageType::text, static_cast<CloseCode>(code), std::move(data)};
}
inline Seen saw_refused(Refusal refusal) {
  const RefusalInfo& info = refusal_info(refusal);
  return {EventKind::refused, MessageType::text, info.code, std::string(info.text), refusal};
}

// Encoding of frames.

inline void put_number(std::string& out, std::uint64_t number, std::size_t bytes) {
  for (std::size_t left = bytes; left-- > 0;) {
    out += static_cast<char>(number >> (8 * left) & 0xFFU);
  }
}

inline void put_length(std::string& out, unsigned mask_bit, const SentFrame& frame) {
  const std::uint64_t length = frame.announced_bytes.value_or(frame.payload.size());
  if (frame.length_form == LengthForm::shortest && length < 126) {
    out += static_cast<char>(mask_bit | length);
  } else if (frame.length_form == LengthForm::two_bytes ||
             (frame.length_form == LengthForm::shortest && length < 65536)) {
    out += static_cast<char>(mask_bit | 126U);
    put_number(out, length, 2);
  } else {
    out += static_cast<char>(mask_bit | 127U);
    put_number(out, length, 8);
  }
}

/// Masks byte by byte as in RFC 6455, section 5.3, independently of the library's masking.
inline void put_masked(std::string& out, std::string_view payload) {
  constexpr std::string_view kKey = "\x37\xFA\x21\x3D";
  out += kKey;
  for (std::size_t index = 0; index < payload.size(); ++index) {
    out += static_cast<char>(payload[index] ^ kKey[index % 4]);
  }
}

/// side  the receiver
inline std::string bytes_of(const SentFrame& frame, Side side) {
  const bool is_masked = (side == Side::server) == (frame.masking == Masking::right);
  std::string out(1, static_cast<char>(frame.first));
  put_length(out, is_masked ? 0x80U : 0, frame);
  if (is_masked) {
    put_masked(out, frame.payload);
  } else {
    out += frame.payload;
  }
  return out;
}

inline std::string bytes_of(const std::vector<SentFrame>& frames, Side side) {
  std::string out;
  for (const SentFrame& frame : frames) {
    out += bytes_of(frame, side);
  }
  return out;
}

}  // namespace eider::ws
