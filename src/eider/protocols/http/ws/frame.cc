#include "eider/protocols/http/ws/frame.h"

#include <cstring>

namespace eider::ws {

namespace {

constexpr unsigned kFinalBit = 0x80;
constexpr unsigned kFirstReservedBit = 0x40;
constexpr unsigned kOtherReservedBits = 0x30;
constexpr unsigned kOpcodeBits = 0x0F;
constexpr unsigned kMaskBit = 0x80;
constexpr unsigned kLengthBits = 0x7F;
/// Short lengths that mean that the length follows in 2 or 8 bytes.
constexpr std::size_t kTwoByteLength = 126;
constexpr std::size_t kEightByteLength = 127;
constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63U;

unsigned byte_at(std::string_view bytes, std::size_t index) noexcept {
  return static_cast<unsigned char>(bytes[index]);
}

bool is_known(unsigned opcode) noexcept {
  return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

/// Returns the size of the extended length after the short one.
std::size_t length_bytes_of(unsigned length) noexcept {
  if (length == kEightByteLength) {
    return 8;
  }
  return length == kTwoByteLength ? 2 : 0;
}

/// Reads a number in network byte order.
std::uint64_t read_number(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

/// "In all cases, the minimal number of bytes MUST be used to encode the length" and "the most
/// significant bit MUST be 0" (RFC 6455, section 5.2).
Refusal judge_length(std::uint64_t length, std::size_t length_bytes) noexcept {
  if (length_bytes == 8 && (length & kTopBit) != 0) {
    return Refusal::length_too_large;
  }
  const std::uint64_t length_min = length_bytes == 8 ? 65536 : length_bytes == 2 ? 126 : 0;
  return length < length_min ? Refusal::length_not_minimal : Refusal::none;
}

FrameStep refused(Refusal refusal) noexcept {
  return {.status = FrameStatus::refused, .refusal = refusal};
}

FrameHeader make_header(unsigned first, std::uint64_t payload_bytes,
                        std::string_view mask_key) noexcept {
  FrameHeader header{.payload_bytes = payload_bytes,
                     .opcode = static_cast<Opcode>(first & kOpcodeBits),
                     .is_final = (first & kFinalBit) != 0,
                     .is_compressed = (first & kFirstReservedBit) != 0,
                     .is_masked = !mask_key.empty()};
  if (header.is_masked) {
    std::memcpy(header.mask_key.data(), mask_key.data(), header.mask_key.size());
  }
  return header;
}

}  // namespace

Refusal FrameReader::judge_first(unsigned char first) const noexcept {
  const unsigned opcode = first & kOpcodeBits;
  // RSV1 marks a compressed message. It is set only in the first frame, never in a control frame or
  // a continuation (RFC 7692, section 6.1).
  const bool may_be_compressed =
      first_reserved_bit_ == FirstReservedBit::compressed && (opcode == 1 || opcode == 2);
  if ((first & kOtherReservedBits) != 0 ||
      ((first & kFirstReservedBit) != 0 && !may_be_compressed)) {
    return Refusal::reserved_bit;
  }
  if (!is_known(opcode)) {
    return Refusal::reserved_opcode;
  }
  const bool is_fragmented_control = opcode >= 8 && (first & kFinalBit) == 0;
  return is_fragmented_control ? Refusal::fragmented_control : Refusal::none;
}

Refusal FrameReader::judge_second(unsigned char first, unsigned char second) const noexcept {
  const bool is_masked = (second & kMaskBit) != 0;
  if (is_masked != (side_ == Side::server)) {
    return is_masked ? Refusal::masked : Refusal::not_masked;
  }
  const bool is_control_frame = (first & kOpcodeBits) >= 8;
  const bool is_long = (second & kLengthBits) > kControlBytesMax;
  return is_control_frame && is_long ? Refusal::long_control : Refusal::none;
}

/// Checks the start of a header, which may be incomplete.
FrameStep FrameReader::judge(std::string_view bytes) const noexcept {
  if (bytes.empty()) {
    return {};
  }
  const unsigned first = byte_at(bytes, 0);
  Refusal refusal = judge_first(static_cast<unsigned char>(first));
  if (refusal != Refusal::none || bytes.size() < 2) {
    return refusal == Refusal::none ? FrameStep{} : refused(refusal);
  }
  const unsigned second = byte_at(bytes, 1);
  refusal = judge_second(static_cast<unsigned char>(first), static_cast<unsigned char>(second));
  if (refusal != Refusal::none) {
    return refused(refusal);
  }
  return judge_rest(bytes, (second & kLengthBits));
}

/// Reads the length and the mask key. Pre: the first two bytes are there and valid.
FrameStep FrameReader::judge_rest(std::string_view bytes, unsigned short_length) const noexcept {
  const std::size_t length_bytes = length_bytes_of(short_length);
  if (bytes.size() < 2 + length_bytes) {
    return {};
  }
  const std::uint64_t length =
      length_bytes == 0 ? short_length : read_number(bytes.substr(2, length_bytes));
  const Refusal refusal = judge_length(length, length_bytes);
  if (refusal != Refusal::none) {
    return refused(refusal);
  }
  const std::size_t key_bytes = side_ == Side::server ? sizeof(MaskKey) : 0;
  const std::size_t header_bytes = 2 + length_bytes + key_bytes;
  if (bytes.size() < header_bytes) {
    return {};
  }
  return {
      .status = FrameStatus::complete,
      .consumed = header_bytes,
      .header = make_header(byte_at(bytes, 0), length, bytes.substr(2 + length_bytes, key_bytes))};
}

FrameStep FrameReader::read(std::string_view in) noexcept {
  if (kept_bytes_ != 0) [[unlikely]] {
    return read_cut(in);
  }
  FrameStep step = judge(in);
  if (step.status == FrameStatus::need_more) {
    // It fits, because an incomplete header is shorter than the longest one.
    std::memcpy(kept_.data(), in.empty() ? "" : in.data(), in.size());
    kept_bytes_ = static_cast<std::uint8_t>(in.size());
    step.consumed = in.size();
  }
  return step;
}

/// Continues a header whose start is kept: byte by byte, because there are at most 13 more.
FrameStep FrameReader::read_cut(std::string_view in) noexcept {
  for (std::size_t at = 0; at < in.size(); ++at) {
    kept_[kept_bytes_++] = in[at];
    FrameStep step = judge({kept_.data(), kept_bytes_});
    if (step.status != FrameStatus::need_more) {
      kept_bytes_ = 0;
      step.consumed = at + 1;
      return step;
    }
  }
  return {.consumed = in.size()};
}

namespace {

/// Returns the 7-bit length for the second byte.
std::size_t short_length_of(std::uint64_t payload_bytes) noexcept {
  if (payload_bytes > 0xFFFF) {
    return kEightByteLength;
  }
  return payload_bytes > kControlBytesMax ? kTwoByteLength
                                          : static_cast<std::size_t>(payload_bytes);
}

char first_byte_of(const FrameHeader& header) noexcept {
  return static_cast<char>((header.is_final ? kFinalBit : 0) |
                           (header.is_compressed ? kFirstReservedBit : 0) |
                           static_cast<unsigned>(header.opcode));
}

}  // namespace

void write_frame_header(Buffer& out, const FrameHeader& header) {
  char* to = out.reserve(kHeaderBytesMax);
  const std::size_t short_length = short_length_of(header.payload_bytes);
  const std::size_t length_bytes = length_bytes_of(static_cast<unsigned>(short_length));
  to[0] = first_byte_of(header);
  to[1] = static_cast<char>(short_length | (header.is_masked ? kMaskBit : 0));
  for (std::size_t index = 0; index < length_bytes; ++index) {
    to[2 + index] = static_cast<char>(header.payload_bytes >> (8 * (length_bytes - 1 - index)));
  }
  if (header.is_masked) {
    std::memcpy(to + 2 + length_bytes, header.mask_key.data(), header.mask_key.size());
  }
  out.commit(2 + length_bytes + (header.is_masked ? sizeof(MaskKey) : 0));
}

}  // namespace eider::ws
