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

/// What comes behind the head of a response whose content is produced.
enum class Follows : std::uint8_t {
  content,
  /// To HEAD, and with a status that has no content.
  nothing,
};

/// Calls of an exchange. What answers a request may give the exchange back within the call, save
/// where it says otherwise. As a Peer it is asked by the exchange alone, on the loop's thread;
/// `inform` comes ahead of the response's head.
class Transport : public Peer {
 public:
  /// Sends a whole response, of bytes or a file: the request is over.
  virtual void send(Response& response) = 0;
  /// Hands over to another protocol, or refuses to: the request is over.
  virtual void upgrade(Response& response) = 0;

  /// Corks the head of a response whose content is produced; the exchange goes on.
  ///
  /// length  of the content, when it is known
  virtual void send_head(const Response& response, std::optional<std::uint64_t> length,
                         Follows follows) = 0;
  /// Corks content, framed as the protocol has it; the exchange goes on.
  ///
  /// returns  how much is corked by now
  virtual std::size_t put(std::string_view content) = 0;
  /// Hands on what is corked. False when some has to wait: Exchange::go_on when it has left.
  virtual bool flush() = 0;
  /// Something waits.
  [[nodiscard]] virtual bool is_waiting() const noexcept = 0;
  /// The producer waits for the client from here on.
  virtual void on_blocked() {}
  /// The content has ended, and these lines are its trailers: the request is over.
  virtual void end(std::string_view trailer_lines) = 0;
  /// The content ends before its end, which the client has to see: the request is over.
  virtual void cut() = 0;

  /// The handler has taken what had come of the request's content.
  virtual void on_content_taken() = 0;
  /// The client is not kept from sending more of it.
  [[nodiscard]] virtual bool may_send() const noexcept = 0;
  /// Exchange::check is to be called then; Instant::max(): not.
  virtual void watch(Instant due) noexcept = 0;

  /// Something has become of the exchange outside of the transport's own calls. The exchange does
  /// nothing behind it.
  virtual void settle() = 0;

 protected:
  ~Transport() override = default;
};

}  // namespace eider::detail::server
