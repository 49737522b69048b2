// The transport of a client's WebSocket: a connection, or an HTTP/2 stream (RFC 8441).
// Layering: must not know the WebSocket protocol: the session does, after the handshake.
#pragma once

#include <memory>
#include <string>

#include "eider/client/client_state.h"
#include "eider/client/pool.h"
#include "eider/client/received.h"
#include "eider/client/ws/ws_client.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/upgraded_stream.h"
#include "eider/io/ws/ws_session.h"

namespace eider::detail::client {

class WsLine {
 public:
  virtual ~WsLine() = default;

  /// Performs the opening handshake, without its own deadline. Must be called first.
  ///
  /// options, masks  must outlive the task
  /// returns         the result; its views are valid until `begin`
  [[nodiscard]] virtual Task<Result<WsOpening, WsClientError>> shake_hands(
      const WsClientOptions& options, ws::MaskSource& masks) = 0;
  [[nodiscard]] virtual UpgradedLine& line() noexcept = 0;
  /// Passes input to the session, starting after this turn; sets `ended` after the end of the
  /// connection. Both must outlive this.
  virtual void begin(ws::detail::WsSession& session, AsyncEvent& ended) = 0;
};

/// Uses HTTP/1.1 over a separate connection (RFC 6455, section 4.1).
class WsTcpLine final : public WsLine, private runtime::UpgradedStream, private StreamOwner {
 public:
  WsTcpLine(std::unique_ptr<TcpStream> stream, WsUrl url);

  [[nodiscard]] Task<Result<WsOpening, WsClientError>> shake_hands(const WsClientOptions& options,
                                                                   ws::MaskSource& masks) override;
  [[nodiscard]] UpgradedLine& line() noexcept override { return *this; }
  void begin(ws::detail::WsSession& session, AsyncEvent& ended) override;

 private:
  [[nodiscard]] Task<bool> gather_response();
  [[nodiscard]] WsClientError loss() const;

  [[nodiscard]] std::string address() const override;
  void close() noexcept override;
  [[nodiscard]] Stream& stream() noexcept override { return tcp_->stream(); }
  [[nodiscard]] const Stream& stream() const noexcept override { return tcp_->stream(); }

  void on_bytes(std::string_view bytes) override { session_->on_bytes(bytes); }
  void on_end() override { session_->on_end(); }
  void on_drained() override { session_->on_drained(); }
  void on_broken(NetError error) override;

  std::unique_ptr<TcpStream> tcp_;
  WsUrl url_;
  Buffer response_;             // the handshake response, and the first frames
  std::size_t head_bytes_ = 0;  // length of its headers
  ws::detail::WsSession* session_ = nullptr;
  AsyncEvent* ended_ = nullptr;
};

/// Uses a stream of one of a client's connections, which it holds until its end.
class WsH2Line final : public WsLine, private UpgradedLine, private Deferred {
 public:
  WsH2Line(std::shared_ptr<ClientState> client, Lease lease, http::HttpUrl url);
  ~WsH2Line() override;

  [[nodiscard]] Task<Result<WsOpening, WsClientError>> shake_hands(const WsClientOptions& options,
                                                                   ws::MaskSource& masks) override;
  [[nodiscard]] UpgradedLine& line() noexcept override { return *this; }
  void begin(ws::detail::WsSession& session, AsyncEvent& ended) override;

 private:
  [[nodiscard]] Task<> watch();
  void look();
  void look_at_content();
  void run() override;
  [[nodiscard]] bool is_over() const noexcept { return ended_->is_set(); }

  // As UpgradedLine.
  [[nodiscard]] Loop& loop() noexcept override { return client_->loop; }
  [[nodiscard]] Buffer& output() override;
  bool flush() override;
  [[nodiscard]] std::size_t waiting_bytes() const noexcept override;
  void pause_reading() noexcept override { is_paused_ = true; }
  void resume_reading() override;
  [[nodiscard]] bool is_shared() const noexcept override { return true; }
  void end() override;
  void reset() noexcept override { is_reset_ = true; }  // done when the lease is released
  [[nodiscard]] std::string address() const override;
  void close() noexcept override;

  std::shared_ptr<ClientState> client_;  // owns the connection
  http::HttpUrl url_;
  Received received_;
  Buffer corked_;
  ws::detail::WsSession* session_ = nullptr;
  AsyncEvent* ended_ = nullptr;
  bool is_paused_ = false;
  bool has_waited_ = false;  // the session has seen, or may have seen, that output waits
  bool has_ended_ = false;   // our side has ended
  bool is_end_told_ = false;
  bool is_reset_ = false;
  Lease lease_;
  Task<> watching_;
};

}  // namespace eider::detail::client
