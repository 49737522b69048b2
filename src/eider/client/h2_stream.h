// One exchange over a stream of an HTTP/2 connection.
// Layering: must not outlive the connection, nor affect its other streams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/client/exchange.h"
#include "eider/client/h2_connection.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/h2/client_session.h"

namespace eider::detail::client {

/// Destroying it before its end resets the stream; the connection continues.
class H2Stream final : public ClientExchange, private h2::ReplyUser {
 public:
  /// For H2Connection::open_stream.
  explicit H2Stream(H2Connection& of);
  ~H2Stream() override;

  [[nodiscard]] H2Connection& connection() const noexcept { return connection_; }

  void send_head(const OutHead& head) override;
  void send_content(std::string_view piece, Piece which) override;
  void end_content(std::string_view trailer_lines) override;
  void flush() override;

  /// Instead of send_head: requests another protocol over this stream (RFC 8441).
  void ask_for(std::string_view protocol, const OutHead& head);
  /// Returns the number of body bytes that were not sent yet.
  [[nodiscard]] std::size_t unsent_bytes() const noexcept { return waiting().size(); }

 private:
  friend class H2Connection;

  [[nodiscard]] bool is_open() const noexcept { return id_ != 0; }
  /// Called when the connection has ended.
  void on_lost(ClientFault fault, std::string_view text);
  void reset(h2::ErrorCode why) noexcept;
  [[nodiscard]] bool begin_request();
  void submit(h2::Ends ends);

  void on_interim(const h2::ReplyHead& head) override;
  void on_head(const h2::ReplyHead& head) override;
  void on_data(std::string_view bytes) override;
  void on_end(std::string_view trailer_lines) override;
  void on_closed(const h2::StreamEnd& end) override;
  [[nodiscard]] h2::Ready ready(std::size_t bytes_max) noexcept override;
  void put(char* to, std::size_t bytes) noexcept override;
  [[nodiscard]] std::string_view trailer_lines() const noexcept override { return trailers_; }

  void on_begin() override {}
  void on_ahead(std::size_t) override {}  // the window limits it
  void on_taken(std::size_t bytes) override;
  void drop(ClientFault why) noexcept override;
  [[nodiscard]] bool has_sent_all() const noexcept override { return waiting().empty(); }
  [[nodiscard]] std::string_view waiting() const noexcept {
    return content_.view().substr(content_sent_);
  }

  H2Connection& connection_;
  h2::StreamId id_ = 0;  // 0: not started, or closed
  Instant begun_;
  Buffer content_;
  std::size_t content_sent_ = 0;
  std::string trailers_;
  bool is_content_whole_ = false;
  bool has_begun_ = false;
};

}  // namespace eider::detail::client
