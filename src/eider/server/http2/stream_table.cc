#include "eider/server/http2/stream_table.h"

#include <utility>

#include "eider/server/http2/connection_h2.h"

namespace eider::detail::http2 {

StreamTable::StreamTable(LoopH2& loop) noexcept
    : loop_(loop), empty_since_(loop.context.loop.now()) {}

StreamTable::~StreamTable() {
  for (std::unique_ptr<StreamH2>& stream : streams_) {
    // The stream forgets its request while the table and the loop still stand.
    loop_.give_back(std::move(stream));
  }
}

StreamH2& StreamTable::open(ConnectionH2& connection, h2::StreamId id) {
  std::unique_ptr<StreamH2> stream = loop_.take_stream();
  stream->open(connection, id);
  stream->index = static_cast<std::uint32_t>(streams_.size());
  return *streams_.emplace_back(std::move(stream));
}

void StreamTable::remove_last_closed() noexcept {
  const std::uint32_t index = closed_.back()->index;
  closed_.pop_back();
  // It leaves the table first: what ends with it may make this table's other streams go on.
  std::unique_ptr<StreamH2> stream = std::move(streams_[index]);
  if (index + 1 != streams_.size()) {
    streams_[index] = std::move(streams_.back());
    streams_[index]->index = index;
  }
  streams_.pop_back();
  // The tunnel breaks off while the stream still has its connection.
  if (TunnelH2* const tunnel = stream->response().tunnel()) {
    tunnel->break_off();
  }
  loop_.give_back(std::move(stream));
  if (streams_.empty()) {
    empty_since_ = loop_.context.loop.now();
  }
}

StreamH2* StreamTable::oldest_gathering() const noexcept {
  StreamH2* oldest = nullptr;
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    // The destructor has given some back already.
    const bool is_gathering = stream != nullptr && stream->is_gathering();
    if (is_gathering && (oldest == nullptr || stream->id() < oldest->id())) {
      oldest = stream.get();
    }
  }
  return oldest;
}

bool StreamTable::note_gathered(const StreamH2& stream, std::size_t bytes) noexcept {
  gathered_bytes_ += bytes;
  if (has_room()) {
    return true;
  }
  // Beyond the bound only the oldest goes on, so that at least one comes to its end.
  const StreamH2* const oldest = oldest_gathering();
  return oldest == nullptr || oldest->id() >= stream.id();
}

void StreamTable::forget_gathered(std::size_t bytes) noexcept {
  if (bytes == 0) {
    return;
  }
  gathered_bytes_ -= bytes;
  StreamH2* const oldest = oldest_gathering();
  if (oldest == nullptr) {
    return;
  }
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    if (stream != nullptr && stream->is_gathering() && has_room()) {
      stream->receiver().give_credit();
    }
  }
  // The oldest is always let go on, also beyond the bound: nothing else would make room.
  oldest->receiver().give_credit();
  // The credit leaves in the next turn: this may be within a call of the session's.
  oldest->connection().want_next_turn();
}

}  // namespace eider::detail::http2
