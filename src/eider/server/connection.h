// One accepted connection: its protocol and its deadlines.
// Layering: must not know requests: HTTP/1.1 (h1.h) and other protocols do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/tls_info.h"
#include "eider/io/runtime/pace.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/timer.h"
#include "eider/io/runtime/upgraded_stream.h"
#include "eider/protocols/http/request.h"
#include "eider/server/context.h"
#include "eider/server/h1.h"
#include "eider/server/listening_host.h"
#include "eider/server/per_address.h"
#include "eider/server/upgrade.h"

namespace eider::detail::server {

/// Serves HTTP/1.1 until another protocol is selected by ALPN, by its first bytes (prior knowledge)
/// or by a request (Upgrade). This class is also the line of that protocol: there may be many
/// WebSockets, so each consists of only this object and its session.
///
/// The members that an HTTP/1.1 request uses are in the first cache lines: with ten thousand
/// connections, each access to another line is a cache miss.
class alignas(64) Connection final : private StreamOwner, public runtime::UpgradedStream {
 public:
  explicit Connection(LoopContext& context) noexcept;
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// returns  false if the client has its maximum of connections: nothing is read from it
  [[nodiscard]] bool open(Descriptor fd, Preface preface);
  /// Returns whether all requests have responses and no output waits.
  [[nodiscard]] bool is_idle() const noexcept;
  /// Returns whether the client may still send a request after the server began to stop at `since`:
  /// the first one of a new connection, or the next one after a recent response, may be in transit.
  /// Pre: is_idle()
  [[nodiscard]] bool may_still_ask(Instant since) noexcept;
  /// Called when the server stops: ends responses without an end, such as event streams.
  void stop_endless();

  // For the protocol of this connection.
  [[nodiscard]] LoopContext& context() const noexcept { return context_; }
  [[nodiscard]] Stream& stream() noexcept override { return stream_; }
  [[nodiscard]] const Stream& stream() const noexcept override { return stream_; }
  // As Peer, of requests with an immediate response, and for other protocols.
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<TlsInfo> tls() const override;
  void inform(int status, std::string_view field_lines) override;
  /// Sets the deadline; H1::on_time is called if it passes.
  void expect(Instant due) {
    due_ = due;
    if (due < armed_) [[unlikely]] {
      rearm();
    }
  }
  /// Called when output waits for a slow client. returns  the time at which to check `keeps_up`
  [[nodiscard]] Instant watch_reader();
  [[nodiscard]] bool keeps_up();
  // As UpgradedLine.
  [[nodiscard]] Duration comes_back_in() noexcept override { return context_.next_pause(); }
  bool wake_at(Instant due) noexcept override {
    if (stage_ != Stage::closed) {
      context_.loop.arm(alarm_, due);
    }
    return true;
  }
  /// Does not close at once, because the protocol may be in the middle of a call.
  void close() noexcept override;
  /// Switches to another protocol after the response in the cork; HTTP/1.1 ends.
  void hand_over(Upgrade& upgrade);
  /// Must be the last statement of every call from outside: passes the unread bytes of HTTP/1.1 to
  /// the next protocol, or destroys the connection if it is over.
  void finish() {
    if (h1_.is_over()) [[unlikely]] {
      finish_h1();
    }
  }
  /// Rarely needed parts, created on first use.
  struct Extra;
  [[nodiscard]] Extra& extra() const;
  [[nodiscard]] Extra* extra_if_made() noexcept { return extra_.get(); }
  class Room;

 private:
  friend class Connections;

  enum class Stage : std::uint8_t {
    http1,
    proxied,  // waits for the PROXY header
    sealed,   // waits for the start or the end of the TLS handshake
    begins,   // waits for the first bytes, which select the protocol
    other,    // serves another protocol than HTTP/1.1
    closed,
  };
  struct Opening;
  struct Client;

  // For Connections.
  [[nodiscard]] Spoken spoken() const noexcept;
  /// Returns whether a request waits for its response or output waits; with another protocol than
  /// HTTP/1.1, only whether output waits.
  [[nodiscard]] bool is_busy() const noexcept;
  /// Changes the stage, and with it the counter that includes this connection.
  void enter(Stage stage) noexcept;
  /// Removes the connection from the counters, although its protocol may still use it.
  void end_count() noexcept;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken(NetError error) override;
  void on_secured() override;
  [[nodiscard]] runtime::OutputBudget* output_budget() noexcept override {
    return &context_.output;
  }

  // Before the protocol.
  void take_bytes(std::string_view bytes);
  [[nodiscard]] bool is_proxied() const noexcept;
  [[nodiscard]] std::string socket_address() const;
  [[nodiscard]] bool try_take_place();
  [[nodiscard]] std::string_view read_proxy_header(std::string_view bytes);
  void begin_sealed(std::string_view bytes);
  void end_handshake() noexcept;
  void await_first_bytes();
  void begin_protocol(std::string_view bytes);
  void begin_h1(std::string_view bytes);
  [[nodiscard]] Opening& opening();
  [[nodiscard]] std::string_view kept_first() const noexcept;
  void end_opening() noexcept;
  void begin_other(Spoken spoken) noexcept;
  void set_protocol(UpgradedPtr protocol) noexcept;

  void finish_h1();
  void finish_any();
  /// Destroys this.
  void end_now();
  void rearm();
  void expire();

  class Alarm final : public Timer {
   public:
    explicit Alarm(Connection& connection) noexcept : connection_(connection) {}
    void expire() override { connection_.expire(); }

   private:
    Connection& connection_;
  };

  /// The maximum number of connections of one loop.
  static constexpr std::uint32_t kIndexMax = (std::uint32_t{1} << 23U) - 1;

  LoopContext& context_;
  Stream stream_;
  union {
    Instant due_;
    Upgraded* protocol_;  // instead of due_ if has_protocol_: the protocol has its own deadlines
  };
  Instant armed_ =
      Instant::max();  // time of the alarm, often before due_, so that it is rarely moved
  H1 h1_{*this};
  // From here on: not used by a request with an immediate response.
  mutable std::unique_ptr<Extra> extra_;
  Alarm alarm_;
  PerAddress::Place place_ = PerAddress::kNoPlace;
  // In this order they fill 32 bits: no member may cross a boundary of its type.
  std::uint32_t index_ : 23 = 0;  // for Connections
  bool is_shaking_hands_ : 1 = false;
  Stage stage_ : 3 = Stage::http1;
  HttpVersions versions_ : 2 = HttpVersions::all;
  bool has_protocol_ : 1 = false;
  bool is_websocket_ : 1 = false;  // if Stage::other: WebSocket; otherwise HTTP/2
  bool is_stopping_ : 1 = false;   // the protocol was notified
};

// An idle connection may use at most 300 bytes, including the backend's part.
static_assert(sizeof(Connection) <= 192);

inline LoopContext& H1::context() const noexcept {
  return connection_.context();
}

inline Stream& H1::stream() const noexcept {
  return connection_.stream();
}

}  // namespace eider::detail::server
