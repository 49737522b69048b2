#include "eider/protocols/http/ws/message_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/ws/mask.h"

namespace eider::ws {

namespace {

/// Compressed payload is unmasked on the stack in pieces of this size, a multiple of the key's
/// size.
constexpr std::size_t kUnmaskBytes = 4096;

/// The maximum compressed size of a message of `bytes` bytes: 9 bits for each 8, and block headers.
constexpr std::uint64_t compressed_bytes_max(std::uint64_t bytes) noexcept {
  const std::uint64_t more = bytes / 8 + 1024;
  return bytes > ~more ? ~std::uint64_t{0} : bytes + more;
}

MessageType type_of(Opcode opcode) noexcept {
  return opcode == Opcode::text ? MessageType::text : MessageType::binary;
}

Refusal refusal_of(Inflated inflated) noexcept {
  switch (inflated) {
    case Inflated::done:
      return Refusal::none;
    case Inflated::corrupt:
      return Refusal::bad_compression;
    case Inflated::too_large:
      return Refusal::message_too_large;
  }
  return Refusal::bad_compression;
}

}  // namespace

void MessageReader::set_codec(MessageCodec& codec) noexcept {
  codec_ = &codec;
  frames_.set_first_reserved_bit(FirstReservedBit::compressed);
}

bool MessageReader::is_idle() const noexcept {
  return !is_within_frame_ && fragments_ == 0 && !frames_.is_within_header();
}

Event MessageReader::read(std::string_view in, Buffer& scratch) {
  // Data after a close frame is discarded (RFC 6455, section 1.4).
  if (is_closed_) {
    return {.consumed = in.size()};
  }
  std::size_t at = 0;
  while (refusal_ == Refusal::none) {
    if (!is_within_frame_) {
      const FrameStep step = frames_.read(in.substr(at));
      at += step.consumed;
      if (step.status == FrameStatus::need_more) {
        return {.consumed = at};
      }
      refusal_ = step.status == FrameStatus::refused ? step.refusal : begin_frame(step.header);
      continue;
    }
    const std::uint64_t bytes = std::min<std::uint64_t>(frame_.payload_bytes, in.size() - at);
    Event event = read_payload(in.substr(at, static_cast<std::size_t>(bytes)), scratch);
    at += static_cast<std::size_t>(bytes);
    if (event.kind != EventKind::need_more || is_within_frame_) {
      event.consumed = at;
      return event;
    }
  }
  return refuse(refusal_);
}

Event MessageReader::refuse(Refusal refusal) {
  refusal_ = refusal;
  message_.release();
  const RefusalInfo& info = refusal_info(refusal);
  return {.kind = EventKind::refused, .code = info.code, .data = info.text};
}

Refusal MessageReader::begin_frame(const FrameHeader& header) noexcept {
  frame_ = header;
  is_within_frame_ = true;
  if (is_control(header.opcode)) {
    control_bytes_ = static_cast<std::uint8_t>(header.payload_bytes);
    const bool is_half = header.opcode == Opcode::close && header.payload_bytes == 1;
    return is_half ? Refusal::half_close_code : Refusal::none;
  }
  const bool continues = header.opcode == Opcode::continuation;
  if (continues && fragments_ == 0) {
    return Refusal::unstarted_continuation;
  }
  const Refusal refusal = continues ? Refusal::none : begin_message(header);
  return refusal == Refusal::none ? judge_size(header.payload_bytes) : refusal;
}

Refusal MessageReader::begin_message(const FrameHeader& header) noexcept {
  if (fragments_ != 0) {
    return Refusal::unfinished_message;
  }
  type_ = type_of(header.opcode);
  is_compressed_ = header.is_compressed;
  message_bytes_ = 0;
  return Refusal::none;
}

/// Checked with the header alone: no payload of a frame that is too large is read.
Refusal MessageReader::judge_size(std::uint64_t payload_bytes) noexcept {
  if (fragments_ == limits_->fragments_max) {
    return Refusal::too_many_fragments;
  }
  ++fragments_;
  const std::uint64_t bytes_max = is_compressed_ ? compressed_bytes_max(limits_->message_bytes_max)
                                                 : limits_->message_bytes_max - message_bytes_;
  return payload_bytes > bytes_max ? Refusal::message_too_large : Refusal::none;
}

Event MessageReader::read_payload(std::string_view part, Buffer& scratch) {
  if (part.empty() && frame_.payload_bytes != 0) {
    return {};
  }
  scratch.clear();
  return is_control(frame_.opcode) ? read_control(part, scratch) : read_data(part, scratch);
}

void MessageReader::advance(std::size_t bytes) noexcept {
  frame_.payload_bytes -= bytes;
  frame_.mask_key = rotated(frame_.mask_key, bytes);
  is_within_frame_ = frame_.payload_bytes != 0;
}

/// Reserves room for the announced payload, but at most twice what has arrived: an announcement
/// alone must not cost memory.
void MessageReader::append_unmasked(Buffer& out, std::string_view part) {
  const std::uint64_t room = std::min<std::uint64_t>(frame_.payload_bytes, 2 * part.size());
  char* to = out.reserve(static_cast<std::size_t>(room));
  if (frame_.is_masked) {
    mask_copy(to, part, frame_.mask_key);
  } else if (!part.empty()) {
    std::memcpy(to, part.data(), part.size());
  }
  out.commit(part.size());
}

/// A control frame that arrives in pieces is collected after the current message, in the same
/// memory.
Event MessageReader::read_control(std::string_view part, Buffer& scratch) {
  const bool is_uncut = part.size() == control_bytes_;
  append_unmasked(is_uncut ? scratch : message_, part);
  advance(part.size());
  if (is_within_frame_) {
    return {};
  }
  if (!is_uncut) {
    // The control frame is at the end of `message_`, after the data of the message so far.
    const std::size_t message_bytes = message_.size() - control_bytes_;
    scratch.append(message_.view().substr(message_bytes));
    message_.truncate(message_bytes);
  }
  if (message_.empty()) {
    message_.release();
  }
  return end_control(scratch.view());
}

Event MessageReader::end_control(std::string_view payload) {
  if (frame_.opcode == Opcode::close) {
    return end_close(payload);
  }
  const EventKind kind = frame_.opcode == Opcode::ping ? EventKind::ping : EventKind::pong;
  return {.kind = kind, .data = payload};
}

/// "If there is a body, the first two bytes of the body MUST be a 2-byte unsigned integer (in
/// network byte order) representing a status code", then UTF-8 (RFC 6455, section 5.5.1).
Event MessageReader::end_close(std::string_view payload) {
  Event event{.kind = EventKind::close};
  if (!payload.empty()) {
    const unsigned high = static_cast<unsigned char>(payload[0]);
    const unsigned low = static_cast<unsigned char>(payload[1]);
    event.code = static_cast<CloseCode>(high << 8U | low);
    event.data = payload.substr(2);
    if (!is_sendable(event.code)) {
      return refuse(Refusal::bad_close_code);
    }
  }
  if (!is_utf8(event.data)) {
    return refuse(Refusal::bad_close_reason);
  }
  is_closed_ = true;
  message_.release();
  return event;
}

bool MessageReader::is_end_of_message(std::string_view part) const noexcept {
  return frame_.is_final && part.size() == frame_.payload_bytes;
}

Event MessageReader::read_data(std::string_view part, Buffer& scratch) {
  const bool is_end = is_end_of_message(part);
  // Nothing is kept: the whole message is in this input.
  const bool is_uncut = is_end && message_bytes_ == 0;
  const bool is_kept = delivery_ == Delivery::whole && !is_uncut;
  const Taken taken = take(part, is_kept ? message_ : scratch);
  // Check the output before the error first, so that the result does not depend on how the payload
  // was cut.
  if (type_ == MessageType::text && !text_.take(taken.added)) {
    return refuse(Refusal::bad_text);
  }
  if (taken.refusal != Refusal::none) {
    return refuse(taken.refusal);
  }
  advance(part.size());
  if (is_end) {
    if (is_kept) {
      scratch.swap(message_);
      message_.release();
    }
    return end_message(is_kept ? scratch.view() : taken.added);
  }
  const bool is_piece = !is_kept && !taken.added.empty();
  return {.kind = is_piece ? EventKind::piece : EventKind::need_more,
          .type = type_,
          .is_last = false,
          .data = taken.added};
}

Event MessageReader::end_message(std::string_view data) {
  if (type_ == MessageType::text && !text_.is_whole()) {
    return refuse(Refusal::bad_text);
  }
  // From here on a continuation frame is an error.
  fragments_ = 0;
  const EventKind kind = delivery_ == Delivery::whole ? EventKind::message : EventKind::piece;
  return {.kind = kind, .type = type_, .data = data};
}

MessageReader::Taken MessageReader::take(std::string_view part, Buffer& out) {
  if (is_compressed_) {
    return inflate(part, out);
  }
  message_bytes_ += part.size();
  // Plain bytes that need not be kept are returned without a copy.
  if (!frame_.is_masked && &out != &message_) {
    return {part, Refusal::none};
  }
  const std::size_t before = out.size();
  append_unmasked(out, part);
  return {out.view().substr(before), Refusal::none};
}

MessageReader::Taken MessageReader::inflate(std::string_view part, Buffer& out) {
  const bool is_end = is_end_of_message(part);
  const std::size_t before = out.size();
  Refusal refusal = Refusal::none;
  while (refusal == Refusal::none && !part.empty()) {
    const std::string_view piece = part.substr(0, kUnmaskBytes);
    part.remove_prefix(piece.size());
    refusal = inflate_piece(piece, out);
  }
  if (refusal == Refusal::none && is_end) {
    refusal = inflate_end(out);
  }
  return {out.view().substr(before), refusal};
}

/// piece  as received, at most kUnmaskBytes
Refusal MessageReader::inflate_piece(std::string_view piece, Buffer& out) {
  std::array<char, kUnmaskBytes> plain;
  if (frame_.is_masked) {
    mask_copy(plain.data(), piece, frame_.mask_key);
    piece = {plain.data(), piece.size()};
  }
  const std::size_t before = out.size();
  const Inflated inflated = codec_->inflate(piece, inflated_bytes_left(), out);
  return count_inflated(inflated, out.size() - before);
}

Refusal MessageReader::inflate_end(Buffer& out) {
  const std::size_t before = out.size();
  const Inflated inflated = codec_->inflate_end(inflated_bytes_left(), out);
  return count_inflated(inflated, out.size() - before);
}

std::size_t MessageReader::inflated_bytes_left() const noexcept {
  return static_cast<std::size_t>(limits_->message_bytes_max - message_bytes_);
}

Refusal MessageReader::count_inflated(Inflated inflated, std::size_t bytes) noexcept {
  ensure(bytes <= inflated_bytes_left(), "a codec respects its output limit");
  message_bytes_ += bytes;
  return refusal_of(inflated);
}

}  // namespace eider::ws
