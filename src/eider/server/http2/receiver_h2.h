// The body of one HTTP/2 request as it arrives, with flow control.
// Layering: must not know the reader of the body: a handler, another protocol or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h2/session.h"

namespace eider::detail::http2 {

class StreamH2;

class ReceiverH2 {
 public:
  /// stream  outlives it
  explicit ReceiverH2(StreamH2& stream) noexcept : stream_(stream) {}

  void begin(h2::Ends ends) noexcept { is_over_ = ends == h2::Ends::with_head; }
  void reset() noexcept {
    is_over_ = is_lingering_ = false;
    uncredited_bytes_ = 0;
    bytes_ = 0;
    due_ = linger_due_ = Instant::max();
  }

  /// Content, for whatever takes it. What nothing takes is not credited, so that a client sends no
  /// more of it than the window that it has.
  void take(std::string_view bytes);
  void take_end(std::string_view trailer_lines);
  /// The handler has taken what had come.
  void on_taken();
  /// Content that a handler gets whole has come.
  void note_gathered(std::size_t bytes);
  void forget_gathered() noexcept;
  /// Lets the client send as much again as has come.
  void give_credit();

  /// The response has left, and the client is still sending: it may read the response only when it
  /// has been let. So what comes is credited and forgotten, for a while.
  void linger();

  /// Content that the handler reads, or gets whole, has to have come on by then.
  void watch(Instant due) noexcept { due_ = due; }
  /// Looks whether the client is too slow, or lingers for too long.
  void check(Instant now);

  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// All content of the request so far.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// The client is not kept from sending more of it.
  [[nodiscard]] bool may_send() const noexcept;

 private:
  void take_for_handler(std::string_view bytes);
  void discard(std::size_t bytes);

  StreamH2& stream_;
  bool is_over_ = false;
  bool is_lingering_ = false;
  std::size_t uncredited_bytes_ = 0;
  std::size_t gathered_bytes_ = 0;
  std::size_t lingered_bytes_ = 0;
  std::uint64_t bytes_ = 0;
  Instant due_ = Instant::max();
  Instant linger_due_ = Instant::max();
};

}  // namespace eider::detail::http2
