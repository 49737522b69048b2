// BodyStream: a request body as it arrives.
// Layering: must not be kept beyond the handler: it reads from the connection that the request came
// on.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/work.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/head.h"

namespace eider {

/// Passes a request body from the server to the handler as it arrives.
class BodyInbox {
 public:
  /// The reason of the wait, as shown by a WaitNote.
  static constexpr std::string_view kForContent = "to send a body";

  virtual ~BodyInbox() = default;
  /// Called when the handler needs more of the body. The first call sends 100 Continue.
  virtual void want() noexcept = 0;
  /// Returns whether `take` has data, the end or an error.
  [[nodiscard]] virtual bool has_news() const noexcept = 0;
  /// Returns all bytes that arrived since the last call; empty at the end. Valid until the next
  /// `want` or `take`. Throws Failure if the body cannot be completed: 400 for invalid framing, 408
  /// if the client sent too slowly, 413 if it is larger than the route accepts.
  [[nodiscard]] virtual std::string_view take() = 0;
  /// The event that is set when `take` has something to return.
  [[nodiscard]] virtual AsyncEvent& arrival() noexcept = 0;
  /// Collects the whole body: from now on `arrival` is set only at the end, and reading is not
  /// paused; only the minimum rate applies. Pre: `take` was not called.
  virtual void gather() noexcept = 0;
  /// Returns the whole body, valid until the response is complete. Throws like `take`. Pre:
  /// gather() was called and `arrival` is set.
  [[nodiscard]] virtual std::string_view gathered() = 0;
  /// Returns Content-Length; nothing for a chunked body.
  [[nodiscard]] virtual std::optional<std::uint64_t> length() const noexcept = 0;
  /// Returns the trailers as lines "Name: value\r\n", once the end of the body has arrived.
  [[nodiscard]] virtual std::string_view trailer_lines() const noexcept { return {}; }
};

/// A request body that the handler reads as it arrives: a parameter of a handler that returns a
/// Task. The first `next` makes the client send the body (100 Continue), so a handler can respond
/// without reading the body. While the handler does not call `next`, at most one buffer is read.
///
///     app.post("/upload", [](BodyStream body) -> Task<Receipt> {
///       std::uint64_t bytes = 0;
///       while (auto part = co_await body.next()) bytes += part->size();
///       co_return Receipt{bytes};
///     });
class BodyStream {
 public:
  class NextAwaiter;

  explicit BodyStream(BodyInbox& inbox) noexcept : inbox_(&inbox) {}

  /// Reads the next part: `auto part = co_await body.next();`
  ///
  /// returns  the part, never empty, valid until the next call; nothing at the end of the body
  /// errors   thrown as a Failure, see BodyInbox::take: do not catch it, it becomes the response
  [[nodiscard]] NextAwaiter next() noexcept;

  /// Reads the whole body. Throws a Failure with 413 if it is larger than `bytes_max`.
  [[nodiscard]] Task<std::string> collect(std::size_t bytes_max);

  /// Returns the length of the body, if the client sent Content-Length.
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept { return inbox_->length(); }

  /// Returns the trailers (RFC 9110, section 6.5), valid as long as the request; empty until `next`
  /// has reached the end. Clients can send any trailers: do not treat them as headers.
  [[nodiscard]] std::vector<Field> trailers() const;

 private:
  BodyInbox* inbox_;
};

class BodyStream::NextAwaiter {
 public:
  explicit NextAwaiter(BodyInbox& inbox) noexcept : inbox_(&inbox), awaiter_(inbox.arrival()) {}
  bool await_ready() const noexcept {
    // 100 Continue is sent here and not earlier: a handler that never waits does not need the body.
    inbox_->want();
    return inbox_->has_news();
  }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    note_.begin(WaitNote::What::client, BodyInbox::kForContent, Loop::current().now());
    awaiter_.await_suspend(waiting);
  }
  std::optional<std::string_view> await_resume() {
    note_.end();
    const std::string_view part = inbox_->take();
    return part.empty() ? std::nullopt : std::optional(part);
  }

 private:
  BodyInbox* inbox_;
  AsyncEvent::Awaiter awaiter_;
  WaitNote note_;
};

inline BodyStream::NextAwaiter BodyStream::next() noexcept {
  return NextAwaiter(*inbox_);
}

}  // namespace eider
