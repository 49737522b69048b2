// One HTTP/2 connection of the client, which many exchanges share.
// Layering: must not choose what to request, nor the number of connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/client/client_error.h"
#include "eider/client/client_options.h"
#include "eider/client/turn_queue.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"
#include "eider/protocols/http/h2/client_session.h"

namespace eider::detail::client {

class H2Stream;

class H2Connection final : private StreamOwner, private Timer {
 public:
  /// early_streams  maximum of concurrent streams until the server has sent its own
  /// turns          woken when there is room for more; `options` and this must outlive the
  /// connection
  H2Connection(std::unique_ptr<TcpStream> line, const ClientOptions& options,
               std::uint32_t early_streams, TurnQueue& turns);
  ~H2Connection();
  H2Connection(const H2Connection&) = delete;
  H2Connection& operator=(const H2Connection&) = delete;

  /// Creates an exchange. Pre: has_room(). The connection must outlive it.
  [[nodiscard]] std::unique_ptr<H2Stream> open_stream();
  [[nodiscard]] bool has_room() const noexcept { return session_.room() > unbegun_; }
  /// Returns whether the server supports WebSockets (RFC 8441).
  [[nodiscard]] bool allows_websockets() const noexcept { return session_.allows_protocols(); }
  /// Returns whether it accepts requests, now or later.
  [[nodiscard]] bool is_of_use() const noexcept;
  /// Returns the number of exchanges that were not destroyed.
  [[nodiscard]] std::size_t streams() const noexcept { return streams_.size(); }
  /// Returns the number of all requests so far.
  [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
  /// Returns the server's limit of concurrent streams, if it has sent one.
  [[nodiscard]] std::optional<std::uint32_t> streams_allowed() const noexcept {
    return session_.streams_allowed();
  }
  /// Returns whether the server requires HTTP/1.1 for these requests.
  [[nodiscard]] bool declines_h2() const noexcept { return declines_h2_; }

  /// Wakes waiting calls as far as there is room, or one to open another connection.
  void wake_waiting() noexcept;

  /// Sends GOAWAY and closes. Pre: streams() == 0.
  void close() noexcept;

 private:
  friend class H2Stream;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override { pump(); }
  void on_broken(NetError error) override;
  void expire() override;

  /// Writes as much as the socket accepts, and checks whether the connection has ended.
  void pump();
  void send_all_there_is();
  void end_when_over();
  void end(ClientFault fault, std::string_view text);
  void watch_silence();
  void leave(H2Stream& stream) noexcept;
  /// Called after a timeout: if the server has sent nothing since `begun`, the connection gets no
  /// more requests.
  void note_late(Instant begun) noexcept { is_suspect_ |= heard_ <= begun; }

  std::unique_ptr<TcpStream> line_;
  const ClientOptions& options_;
  TurnQueue& turns_;
  h2::ClientSession session_;
  std::vector<H2Stream*> streams_;
  std::vector<h2::OutField> fields_;  // of the request that is being written
  std::size_t unbegun_ = 0;
  std::uint64_t requests_ = 0;
  Instant heard_;
  std::uint64_t pongs_awaited_ = 0;
  bool is_within_session_ = false;
  bool is_suspect_ = false;
  bool declines_h2_ = false;
};

}  // namespace eider::detail::client
