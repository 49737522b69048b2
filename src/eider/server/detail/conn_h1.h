// One HTTP/1.1 connection: bytes in, requests to the service, answers out, in order.
// Must not keep anything while it is idle, and never goes deeper with the depth of the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eider/http/h1/head_reader.h"
#include "eider/http/h1/refusal.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/timer.h"
#include "eider/server/detail/answer.h"
#include "eider/server/detail/context.h"
#include "eider/server/detail/door.h"
#include "eider/server/detail/exchange.h"
#include "eider/server/detail/saved_input.h"
#include "eider/server/upgrade.h"

namespace eider::detail {

/// How a client that closes its half is treated: what it has asked before is answered, then the
/// connection ends. If a request waits for its answer meanwhile, the client may also have left
/// altogether, which looks the same; limits.half_close_probe says how that is found out.
///
/// What a request touches stands in the first two cache lines: with ten thousand connections each
/// is cold.
class alignas(64) ConnectionH1 final : private StreamOwner, private ContentOwner {
 public:
  explicit ConnectionH1(LoopContext& context) noexcept;
  ~ConnectionH1();

  void open(Descriptor fd, Preface preface);
  /// Nothing has been asked that is not answered, and nothing waits to leave.
  [[nodiscard]] bool is_idle() const noexcept;
  /// The server stops: what has no end of its own, such as a stream of events, ends now.
  void stop_endless();

 private:
  friend class ConnectionsH1;

  enum class State : std::uint8_t {
    ready,      // reads heads
    body,       // gathers the content of exchange_
    preface,    // reads what comes ahead of HTTP, or waits for a handshake's first byte
    waiting,    // the task of exchange_ runs; its content may still be arriving
    producing,  // the content of the answer is being made
    upgraded,   // another protocol has taken over
    blocked,    // answers wait to leave; what has been asked meanwhile is saved
    closing,    // the last answer waits to leave
    lingering,  // the last answer is given; what arrives is ignored
    closed,
  };
  /// What is waited for, and what happens when it does not come: see Limits.
  enum class Patience : std::uint8_t {
    first_byte,
    idle,
    head,
    body,
    write,
    linger,
    probe,
    endless
  };

  /// What few connections need: see conn_h1_aside.h.
  class Takeover;
  struct Aside;
  class Early;

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken(NetError error) override;
  void on_secured() override;
  void on_answered(Exchange& exchange) override;
  void on_content_wanted() override;
  void on_content_taken() override;
  [[nodiscard]] h1::Framing on_content_begins(const Production& production) override;
  [[nodiscard]] Buffer& content_output() override { return stream_.output(); }
  bool flush_content() override { return stream_.flush(); }
  [[nodiscard]] bool is_content_waiting() const noexcept override {
    return stream_.waiting_bytes() != 0;
  }
  void on_content_blocked() override;
  void on_produced(Production& production) override;
  [[nodiscard]] std::string address() const override;
  [[nodiscard]] std::optional<SecuredBy> secured_by() const override;
  void inform(int status, std::string_view field_lines) override;

  // Reading. Each returns what it leaves of `in`.
  [[nodiscard]] std::string_view serve(std::string_view in);
  [[nodiscard]] std::string_view serve_request(std::string_view in);
  [[nodiscard]] std::string_view serve_unusual(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view serve_whole(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view gather(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view gather_more(std::string_view in);
  [[nodiscard]] std::string_view stream_content(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view feed(std::string_view in);
  [[nodiscard]] bool takes_content() const noexcept {
    return (state_ == State::waiting || state_ == State::producing) &&
           !exchange_->inbox().is_over();
  }
  void serve_or_save(std::string_view bytes);
  void serve_saved();
  void save(std::string_view bytes);
  void discard(std::size_t bytes);
  [[nodiscard]] bool is_reading() const noexcept { return state_ <= State::body; }

  void end_unusual();
  void go_on_writing();
  void break_unusual();

  // Answering. `unread` is what has arrived behind the request.
  void answer_now(const Plan& plan, std::string_view unread);
  void answer_gathered(std::string_view unread);
  void begin_waiting(std::string_view unread);
  void write_exchange(std::string_view unread);
  void write(const RequestHead& head, Response& response, std::string_view unread);
  [[nodiscard]] h1::Persistence persistence(const RequestHead& head,
                                            const Response& response) const noexcept;
  void go_on(const RequestHead& head, h1::Persistence persistence, Sent sent,
             std::string_view unread);
  void write_whole_exchange(std::string_view unread);
  void end_exchange_and_go_on();

  // Content that is no text in memory: conn_h1_content.cc.
  void take_unusual(std::string_view bytes);
  void read_preface(std::string_view bytes);
  [[nodiscard]] std::string_view read_proxy_header(std::string_view bytes);
  void begin_sealed(std::string_view bytes);
  void secure(SealMaker& seals, std::string_view received);
  void end_handshake() noexcept;
  void begin_early();
  void end_early();
  void note_late(std::size_t bytes) noexcept;
  [[nodiscard]] bool is_early(std::size_t unread_bytes) noexcept;
  void deliver_saved();
  void answer_now_with_content(const Plan& plan, std::string_view unread);
  [[nodiscard]] bool begin_content(std::string_view unread);
  void begin_production(std::string_view unread);
  [[nodiscard]] h1::Persistence production_persistence(const Production& production) const noexcept;
  void fail_production(Production& production);
  void upgrade(Response& response);
  [[nodiscard]] bool try_upgrade();
  [[nodiscard]] bool begins_other_protocol(std::string_view in);
  [[nodiscard]] Takeover& begin_takeover();
  void refuse(h1::Refusal refusal, Method method);
  void refuse(int status, std::string_view detail, Method method);
  [[nodiscard]] bool make_exchange(const Plan& plan);
  void end_exchange();

  // Ending. `settle` is the last thing in every callback, and may destroy the connection.
  void block();
  void close_behind_answer();
  void linger();
  void settle();
  void settle_reading();

  // Time.
  void expect(Patience patience, Duration within);
  void rearm();
  void watch_writing();
  void watch_body();
  void watch_content();
  void watch_half_closed();
  void expire();
  void lose_patience();
  void lose_patience_with_body();
  void lose_patience_with_reader();
  void probe();

  class Alarm final : public Timer {
   public:
    explicit Alarm(ConnectionH1& connection) noexcept : connection_(connection) {}
    void expire() override { connection_.expire(); }

   private:
    ConnectionH1& connection_;
  };

  LoopContext& context_;
  Stream stream_;
  Instant due_;  // when patience_ ends
  Instant armed_ =
      Instant::max();  // when the alarm is: mostly before due_, so that it seldom moves
  SavedInput saved_;
  h1::HeadSearch search_;
  State state_ = State::ready;
  Patience patience_ = Patience::first_byte;
  bool has_answered_ = false;
  bool has_peer_ended_ : 1 = false;
  bool is_paused_ : 1 = false;
  bool is_shaking_hands_ : 1 = false;
  bool has_early_ : 1 = false;  // what is to be read may be early data: see is_early
  // From here on: not touched by a request that is answered at once.
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<Aside> aside_;
  std::size_t progress_ = 0;  // what it was when this span of `body`, `write` or `linger` began
  Alarm alarm_;
  std::size_t index_ = 0;  // ConnectionsH1's own
};

// An idle connection may cost 300 bytes in all, with the backend's share.
static_assert(sizeof(ConnectionH1) <= 192);

}  // namespace eider::detail
