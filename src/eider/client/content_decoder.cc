#include "eider/client/content_decoder.h"

namespace eider::detail::client {

namespace {

/// What one decoder makes for the next at once.
constexpr std::size_t kPieceBytes = 16UL * 1024;

bool has_failed(Decompressed status) noexcept {
  return status == Decompressed::corrupt || status == Decompressed::too_large ||
         status == Decompressed::trailing;
}

}  // namespace

ContentDecoder::ContentDecoder(std::span<const ContentCoding> applied,
                               const DecompressionLimits& limits)
    : outer_(applied.back(), limits),
      next_(applied.size() == 1
                ? nullptr
                : std::make_unique<ContentDecoder>(applied.first(applied.size() - 1), limits)) {}

Decompressed ContentDecoder::read_made(Buffer& out, std::size_t room_max) {
  const std::string_view rest = made_.view().substr(made_read_);
  if (rest.empty() && next_status_ != Decompressed::need_room) {
    return Decompressed::need_more;
  }
  const Decompressor::Step step = next_->read(rest, out, room_max);
  made_read_ += step.consumed;
  next_status_ = step.status;
  return step.status == Decompressed::done ? Decompressed::need_more : step.status;
}

Decompressor::Step ContentDecoder::read(std::string_view in, Buffer& out, std::size_t room_max) {
  if (next_ == nullptr) {
    return outer_.read(in, out, room_max);
  }
  const std::size_t begin = out.size();
  for (std::size_t consumed = 0;;) {
    const std::size_t room = room_max - (out.size() - begin);
    const Decompressed status = room == 0 ? Decompressed::need_room : read_made(out, room);
    if (status != Decompressed::need_more) {
      return {status, consumed};
    }
    if (consumed == in.size() && outer_status_ != Decompressed::need_room) {
      const bool is_done =
          outer_status_ == Decompressed::done && next_status_ == Decompressed::done;
      return {is_done ? Decompressed::done : Decompressed::need_more, consumed};
    }
    made_.clear();
    made_read_ = 0;
    const Decompressor::Step step = outer_.read(in.substr(consumed), made_, kPieceBytes);
    consumed += step.consumed;
    outer_status_ = step.status;
    if (has_failed(step.status)) {
      return {step.status, consumed};
    }
  }
}

}  // namespace eider::detail::client
