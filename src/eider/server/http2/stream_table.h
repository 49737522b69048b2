// The streams of one HTTP/2 connection, and their common totals.
// Layering: must not destroy one while the session may still be calling it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/http2/stream_h2.h"

namespace eider::detail::http2 {

class StreamTable {
 public:
  /// loop  outlives it
  explicit StreamTable(LoopH2& loop) noexcept;
  ~StreamTable();
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  [[nodiscard]] StreamH2& open(ConnectionH2& connection, h2::StreamId id);
  /// The session knows it no more; it is destroyed by `remove_closed`.
  void add_closed(StreamH2& stream) { closed_.push_back(&stream); }
  /// Not from within a call of the session's: what a handler leaves behind may do anything.
  void remove_closed() noexcept {
    while (!closed_.empty()) {
      remove_last_closed();
    }
  }

  [[nodiscard]] bool is_empty() const noexcept { return streams_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return streams_.size(); }
  /// Pre: is_empty()
  [[nodiscard]] Instant empty_since() const noexcept { return empty_since_; }
  // None may be opened or removed meanwhile.
  [[nodiscard]] auto begin() const noexcept { return streams_.begin(); }
  [[nodiscard]] auto end() const noexcept { return streams_.end(); }

  /// Counts content that is gathered; returns whether the client may send as much again. Beyond the
  /// bound of all the oldest alone goes on, so that one after the other comes to its end.
  [[nodiscard]] bool note_gathered(const StreamH2& stream, std::size_t bytes) noexcept;
  /// Lets others go on instead.
  void forget_gathered(std::size_t bytes) noexcept;

 private:
  void remove_last_closed() noexcept;
  [[nodiscard]] StreamH2* oldest_gathering() const noexcept;
  [[nodiscard]] bool has_room() const noexcept {
    return gathered_bytes_ <= loop_.options.gathered_bytes_max;
  }

  LoopH2& loop_;
  std::vector<std::unique_ptr<StreamH2>> streams_;
  std::vector<StreamH2*> closed_;
  std::size_t gathered_bytes_ = 0;
  Instant empty_since_;
};

}  // namespace eider::detail::http2
