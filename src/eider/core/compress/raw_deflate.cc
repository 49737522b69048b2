#include "eider/core/compress/raw_deflate.h"

#include <algorithm>
#include <utility>

#include "eider/core/compress/zlib_stream.h"

namespace eider {

namespace {

/// Memory grows in steps of this size, so that a large limit alone allocates nothing.
constexpr std::size_t kDeflatedPieceBytes = 4096;

}  // namespace

struct RawDeflater::State {
  detail::compress::ZlibDeflate stream;
};

RawDeflater::RawDeflater(const RawDeflateSettings& settings)
    : state_(new State{detail::compress::ZlibDeflate({.level = settings.level,
                                                      .window_bits = -settings.window_bits,
                                                      .memory_level = settings.memory_level})}) {}
RawDeflater::RawDeflater(RawDeflater&& other) noexcept = default;
RawDeflater& RawDeflater::operator=(RawDeflater&& other) noexcept = default;
RawDeflater::~RawDeflater() = default;

void RawDeflater::write(std::string_view in, Buffer& out) {
  state_->stream.run(in, Z_SYNC_FLUSH, out);
}

void RawDeflater::reset() noexcept {
  state_->stream.reset();
}

struct RawInflater::State {
  detail::compress::ZlibInflate stream;
};

RawInflater::RawInflater(int window_bits)
    : state_(new State{detail::compress::ZlibInflate(-window_bits)}) {}
RawInflater::RawInflater(RawInflater&& other) noexcept = default;
RawInflater& RawInflater::operator=(RawInflater&& other) noexcept = default;
RawInflater::~RawInflater() = default;

RawInflater::Step RawInflater::read(std::string_view in, Buffer& out, std::size_t room_max) {
  std::size_t consumed = 0;
  std::size_t room_left = room_max;
  while (room_left > 0) {
    const std::size_t room = std::min(kDeflatedPieceBytes, room_left);
    const auto step = state_->stream.run(in.substr(consumed), {out.reserve(room), room});
    out.commit(step.made);
    consumed += step.consumed;
    room_left -= step.made;
    if (step.status == detail::compress::ZlibInflate::Status::corrupt) {
      return {RawInflated::corrupt, consumed};
    }
    if (step.status == detail::compress::ZlibInflate::Status::end) {
      return {RawInflated::ended, consumed};
    }
    if (step.made < room && consumed == in.size()) {
      return {RawInflated::need_more, consumed};
    }
  }
  return {RawInflated::need_room, consumed};
}

void RawInflater::reset() noexcept {
  state_->stream.reset();
}

void RawInflater::go_on() noexcept {
  state_->stream.reset_keeping_window();
}

bool RawInflater::is_between_blocks() const noexcept {
  return state_->stream.is_between_blocks();
}

}  // namespace eider
