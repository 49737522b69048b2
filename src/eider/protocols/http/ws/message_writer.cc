#include "eider/protocols/http/ws/message_writer.h"

#include <array>
#include <cstring>

#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"

namespace eider::ws {

namespace {

Opcode opcode_of(const Outgoing& outgoing) noexcept {
  const bool begins = outgoing.fragment == Fragment::whole || outgoing.fragment == Fragment::first;
  if (!begins) {
    return Opcode::continuation;
  }
  return outgoing.type == MessageType::text ? Opcode::text : Opcode::binary;
}

}  // namespace

void MessageWriter::message(Buffer& out, const Outgoing& outgoing, std::string_view payload) const {
  const Opcode opcode = opcode_of(outgoing);
  const bool is_final = outgoing.fragment == Fragment::whole || outgoing.fragment == Fragment::last;
  // Only the first frame of a message has the flag (RFC 7692, section 6.1).
  const bool is_compressed = outgoing.form == Form::compressed && opcode != Opcode::continuation;
  frame(out, {.opcode = opcode, .is_final = is_final, .is_compressed = is_compressed}, payload);
}

void MessageWriter::ping(Buffer& out, std::string_view payload) const {
  ensure(payload.size() <= kControlBytesMax, "a ping is short");
  frame(out, {.opcode = Opcode::ping}, payload);
}

void MessageWriter::pong(Buffer& out, std::string_view payload) const {
  ensure(payload.size() <= kControlBytesMax, "a pong is short");
  frame(out, {.opcode = Opcode::pong}, payload);
}

void MessageWriter::close(Buffer& out, CloseCode code, std::string_view reason) const {
  if (code == CloseCode::no_status) {
    return frame(out, {.opcode = Opcode::close}, {});
  }
  ensure(is_sendable(code), "the close code may be sent");
  // A long reason is cut, not rejected: the connection ends in any case.
  reason = cut_utf8(reason, kReasonBytesMax);
  std::array<char, kControlBytesMax> payload;
  const auto number = static_cast<std::uint16_t>(code);
  payload[0] = static_cast<char>(number >> 8U);
  payload[1] = static_cast<char>(number & 0xFFU);
  if (!reason.empty()) {
    std::memcpy(payload.data() + 2, reason.data(), reason.size());
  }
  frame(out, {.opcode = Opcode::close}, {payload.data(), 2 + reason.size()});
}

void MessageWriter::frame(Buffer& out, FrameHeader header, std::string_view payload) const {
  header.payload_bytes = payload.size();
  header.is_masked = masks_ != nullptr;
  if (!header.is_masked) {
    write_frame_header(out, header);
    return out.append(payload);
  }
  // Each frame has its own key (RFC 6455, section 5.3).
  header.mask_key = masks_->next();
  write_frame_header(out, header);
  mask_copy(out.reserve(payload.size()), payload, header.mask_key);
  out.commit(payload.size());
}

}  // namespace eider::ws
