#include "eider/web/backplane/topic_batch.h"

namespace eider::detail::backplane {

namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr unsigned kByteBits = 8;
constexpr char kText = 't';
constexpr char kBinary = 'b';
constexpr char kWhole = '.';
constexpr char kGap = '!';

/// Appends the length, most significant byte first, and the text.
void append_text(std::string& out, std::string_view text) {
  const auto bytes = static_cast<std::uint32_t>(text.size());
  for (unsigned shift = kLengthBytes * kByteBits; shift > 0;) {
    shift -= kByteBits;
    out.push_back(static_cast<char>(static_cast<unsigned char>(bytes >> shift)));
  }
  out.append(text);
}

bool read_text(std::string_view& in, std::string_view& text) noexcept {
  if (in.size() < kLengthBytes) {
    return false;
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes = (bytes << kByteBits) | static_cast<unsigned char>(in[i]);
  }
  in.remove_prefix(kLengthBytes);
  if (in.size() < bytes) {
    return false;
  }
  text = in.substr(0, bytes);
  in.remove_prefix(bytes);
  return true;
}

}  // namespace

std::string batch_head(std::string_view origin, bool has_gap) {
  return std::string(origin).append(1, has_gap ? kGap : kWhole);
}

std::string batch_message(const BatchMessage& message) {
  std::string out(1, message.message.type == ws::MessageType::text ? kText : kBinary);
  append_text(out, message.topic);
  append_text(out, message.event.name);
  append_text(out, message.event.id);
  append_text(out, message.message.bytes);
  return out;
}

std::optional<BatchHead> read_batch_head(std::string_view& in) noexcept {
  if (in.size() < kBatchHeadBytes || (in[kOriginBytes] != kWhole && in[kOriginBytes] != kGap)) {
    return std::nullopt;
  }
  const BatchHead head{in.substr(0, kOriginBytes), in[kOriginBytes] == kGap};
  in.remove_prefix(kBatchHeadBytes);
  return head;
}

std::optional<BatchMessage> read_batch_message(std::string_view& in) noexcept {
  if (in.empty() || (in.front() != kText && in.front() != kBinary)) {
    return std::nullopt;
  }
  const auto type = in.front() == kText ? ws::MessageType::text : ws::MessageType::binary;
  in.remove_prefix(1);
  BatchMessage read{.topic = {}, .message = {type, {}}, .event = {}};
  if (read_text(in, read.topic) && read_text(in, read.event.name) && read_text(in, read.event.id) &&
      read_text(in, read.message.bytes)) {
    return read;
  }
  return std::nullopt;
}

}  // namespace eider::detail::backplane
