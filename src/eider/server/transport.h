// The way of one request to its client: heads, bodies, and the state of the client.
// Layering: must not know the protocol: requests of HTTP/1.1 and streams of HTTP/2 implement it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider::detail::server {

/// The bytes after the headers of a response with a produced body.
enum class Follows : std::uint8_t {
  content,
  /// For HEAD, and statuses without a body.
  nothing,
};

/// Called by an exchange. If a call ends the response, the transport notes that, and gives the
/// exchange back when the function of the exchange has returned, or in `settle`. The Peer functions
/// are called only by the exchange, on the loop's thread, and `inform` only before the response
/// headers.
class Transport : public Peer {
 public:
  /// Sends a complete response, from memory or a file. The request is over.
  virtual void send(Response& response) = 0;
  /// Switches to another protocol, or refuses to. The request is over.
  virtual void upgrade(Response& response) = 0;

  /// Corks the headers of a response with a produced body; the exchange continues.
  ///
  /// length  of the body, if known
  virtual void send_head(const Response& response, std::optional<std::uint64_t> length,
                         Follows follows) = 0;
  /// Corks a part of the body with its framing; the exchange continues.
  ///
  /// returns  the number of corked bytes
  virtual std::size_t put(std::string_view content) = 0;
  /// Sends the corked bytes. Returns false if some must wait; Exchange::go_on is called when they
  /// were sent.
  virtual bool flush() = 0;
  /// Returns whether output waits.
  [[nodiscard]] virtual bool is_waiting() const noexcept = 0;
  /// Called when the producer starts to wait for the client.
  virtual void on_blocked() {}
  /// Ends the body, with these lines as trailers. The request is over.
  virtual void end(std::string_view trailer_lines) = 0;
  /// Aborts the body in a way that the client can detect. The request is over.
  virtual void cut() = 0;

  /// Called when the handler has taken the received bytes of the request body.
  virtual void on_content_taken() = 0;
  /// Returns whether the client may send more, because reading is not paused.
  [[nodiscard]] virtual bool may_send() const noexcept = 0;
  /// Sets the time at which to call Exchange::check; Instant::max(): never.
  virtual void watch(Instant due) noexcept = 0;

  /// Called when the exchange has changed outside of the transport's own calls. The exchange must
  /// not do anything afterwards, because this call may give it back.
  virtual void settle() = 0;

 protected:
  ~Transport() override = default;
};

}  // namespace eider::detail::server
