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
#include "eider/server/detail/context.h"
#include "eider/server/detail/exchange.h"
#include "eider/server/detail/saved_input.h"

namespace eider::detail {

/// How a client that closes its half is treated: what it has asked before is answered, then the
/// connection ends. If a request waits for its answer meanwhile, the client may also have left
/// altogether, which looks the same; limits.half_close_probe says how that is found out.
///
/// What a request touches stands in the first two cache lines: with ten thousand connections each
/// is cold.
class alignas(64) ConnectionH1 final : private StreamOwner, private ExchangeOwner, private Peer {
 public:
  explicit ConnectionH1(LoopContext& context) noexcept;
  ~ConnectionH1();

  void open(Descriptor fd);
  /// Nothing has been asked that is not answered, and nothing waits to leave.
  [[nodiscard]] bool is_idle() const noexcept;

 private:
  friend class ConnectionsH1;

  enum class State : std::uint8_t {
    ready,      // reads heads
    body,       // gathers the content of exchange_
    waiting,    // the task of exchange_ runs
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

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken(NetError error) override;
  void on_answered(Exchange& exchange) override;
  [[nodiscard]] std::string address() const override;

  // Reading. Each returns what it leaves of `in`.
  [[nodiscard]] std::string_view serve(std::string_view in);
  [[nodiscard]] std::string_view serve_request(std::string_view in);
  [[nodiscard]] std::string_view serve_unusual(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view serve_whole(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view gather(const Plan& plan, std::string_view in);
  [[nodiscard]] std::string_view gather_more(std::string_view in);
  void serve_saved();
  void save(std::string_view bytes);
  void discard(std::size_t bytes);
  [[nodiscard]] bool is_reading() const noexcept { return state_ <= State::body; }

  // Answering. `unread` is what has arrived behind the request.
  void answer_now(const Plan& plan, std::string_view unread);
  void answer_gathered(std::string_view unread);
  void begin_waiting(std::string_view unread);
  void write_exchange(std::string_view unread);
  void write(const RequestHead& head, Response& response, std::string_view unread);
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
  bool has_peer_ended_ = false;
  bool is_paused_ = false;
  // From here on: not touched by a request that is answered at once.
  std::unique_ptr<Exchange> exchange_;
  std::size_t progress_ = 0;  // what it was when this span of `body`, `write` or `linger` began
  Alarm alarm_;
  std::size_t index_ = 0;  // ConnectionsH1's own
};

// An idle connection may cost 300 bytes in all, with the backend's share.
static_assert(sizeof(ConnectionH1) <= 192);

}  // namespace eider::detail
