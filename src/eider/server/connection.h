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
#include "eider/server/acceptor.h"
#include "eider/server/context.h"
#include "eider/server/h1.h"
#include "eider/server/per_address.h"
#include "eider/server/upgrade.h"

namespace eider::detail::server {

/// HTTP/1.1 is spoken unless another protocol is agreed on (ALPN), begins the connection (prior
/// knowledge), or follows a request (Upgrade). The connection is the line of that protocol, too:
/// WebSockets are many, so each has nothing but this and its session.
///
/// What a request of HTTP/1.1 touches stands in the first lines of the cache: with ten thousand
/// connections each is cold.
class alignas(64) Connection final : private StreamOwner, public runtime::UpgradedStream {
 public:
  explicit Connection(LoopContext& context) noexcept;
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// returns  false when the client has as many connections as it may: nothing is read from it
  [[nodiscard]] bool open(Descriptor fd, Preface preface);
  /// Nothing has been asked that is not answered, and nothing waits to leave.
  [[nodiscard]] bool is_idle() const noexcept;
  /// The server stops `since` then: the first request of a client that has connected is mostly on
  /// its way, and so may be the next one of a client that was answered a moment ago. Pre: is_idle()
  [[nodiscard]] bool may_still_ask(Instant since) noexcept;
  /// The server stops: what has no end of its own, such as a stream of events, ends now.
  void stop_endless();

  // For the protocol that it holds.
  [[nodiscard]] LoopContext& context() const noexcept { return context_; }
  [[nodiscard]] Stream& stream() noexcept override { return stream_; }
  [[nodiscard]] const Stream& stream() const noexcept override { return stream_; }
  // The client, of a request that is answered at once or of another protocol.
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<TlsInfo> tls() const override;
  void inform(int status, std::string_view field_lines) override;
  /// What is waited for has to come by then: H1::on_time.
  void expect(Instant due) {
    due_ = due;
    if (due < armed_) [[unlikely]] {
      rearm();
    }
  }
  /// Something waits for the client, which is slow. returns  when `keeps_up` is to be asked
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
  /// Not at once: the protocol may be in the midst of a call.
  void close() noexcept override;
  /// Another protocol follows the response that is corked; HTTP/1.1 is spoken no more.
  void hand_over(Upgrade& upgrade);
  /// The last thing in all that comes from outside: hands on what HTTP/1.1 has left, and destroys
  /// the connection when that is over.
  void finish() {
    if (h1_.is_over()) [[unlikely]] {
      finish_h1();
    }
  }
  /// What few connections need, made when it is first asked for.
  struct Extra;
  [[nodiscard]] Extra& extra() const;
  [[nodiscard]] Extra* extra_if_made() noexcept { return extra_.get(); }
  class Room;

 private:
  friend class Connections;

  enum class Stage : std::uint8_t {
    http1,
    proxied,  // a balancer's word is to come
    sealed,   // a handshake is to begin, or goes on
    begins,   // the first bytes tell the protocol
    other,    // is spoken
    closed,
  };
  struct Opening;
  struct Client;

  // For Connections.
  [[nodiscard]] Spoken spoken() const noexcept;
  /// A request is not answered, or output waits; with another protocol than HTTP/1.1: output waits.
  [[nodiscard]] bool is_busy() const noexcept;
  /// From now on it is counted by what that stage speaks.
  void enter(Stage stage) noexcept;
  /// It is counted no more, whatever its protocol still does to it.
  void end_count() noexcept;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken(NetError error) override;
  void on_secured() override;
  [[nodiscard]] runtime::OutputBudget* output_budget() noexcept override {
    return &context_.output;
  }

  // What comes ahead.
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
  /// Destroys it.
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

  /// Of a loop's connections.
  static constexpr std::uint32_t kIndexMax = (std::uint32_t{1} << 23U) - 1;

  LoopContext& context_;
  Stream stream_;
  union {
    Instant due_;
    Upgraded* protocol_;  // which has deadlines of its own: has_protocol_
  };
  Instant armed_ =
      Instant::max();  // when the alarm is: mostly before due_, so that it seldom moves
  H1 h1_{*this};
  // From here on: not touched by a request that is answered at once.
  mutable std::unique_ptr<Extra> extra_;
  Alarm alarm_;
  PerAddress::Place place_ = PerAddress::kNoPlace;
  // In this order they fill 32 bits: no member may cross the boundary of a byte of its type.
  std::uint32_t index_ : 23 = 0;  // Connections' own
  bool is_shaking_hands_ : 1 = false;
  Stage stage_ : 3 = Stage::http1;
  HttpVersions versions_ : 2 = HttpVersions::all;
  bool has_protocol_ : 1 = false;
  bool is_websocket_ : 1 = false;  // of Stage::other; else it is HTTP/2
  bool is_stopping_ : 1 = false;   // the protocol knows
};

// An idle connection may cost 300 bytes in all, with the backend's share.
static_assert(sizeof(Connection) <= 192);

inline LoopContext& H1::context() const noexcept {
  return connection_.context();
}

inline Stream& H1::stream() const noexcept {
  return connection_.stream();
}

}  // namespace eider::detail::server
