// HTTP/1.1 on a connection: bytes in, requests to the service, answers out, in order.
// Must not keep anything while it is idle, and never goes deeper with the depth of the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/saved_input.h"
#include "eider/io/runtime/stream.h"
#include "eider/protocols/http/h1/writer.h"
#include "eider/server/context.h"
#include "eider/server/deadline_h1.h"
#include "eider/server/input_h1.h"
#include "eider/server/responder_h1.h"
#include "eider/server/stream_h1.h"

namespace eider::detail::server {

class Connection;

/// How a client that closes its half is treated: what it has asked before is answered, then the
/// connection ends. If a request waits for its answer meanwhile, the client may also have left
/// altogether, which looks the same; limits.half_close_probe says how that is found out.
class H1 final {
 public:
  explicit H1(Connection& connection) noexcept : connection_(connection) {}
  H1(const H1&) = delete;
  H1& operator=(const H1&) = delete;

  // What the connection tells. Behind each call but the first three it asks whether this is over.
  /// From here on HTTP/1.1 is spoken, or something else is.
  void start() noexcept;
  void leave() noexcept { state_ = State::off; }
  /// The connection goes: what goes on is cancelled, and observers are told of what has not left.
  /// Of use more than once.
  void end() noexcept;
  void on_bytes(std::string_view bytes);
  void on_end();
  void on_drained();
  /// Something is to be looked at. is_due: what is waited for has not come.
  void on_time(bool is_due);
  /// A request that is no HTTP is told so.
  void refuse_unread(const RequestRefusal& refusal);
  void stop_endless();

  [[nodiscard]] bool is_spoken() const noexcept { return state_ != State::off; }
  /// The connection is to be closed, or another protocol to go on with `take_rest`.
  [[nodiscard]] bool is_over() const noexcept { return state_ >= State::left; }
  /// What has come behind the request that another protocol follows.
  [[nodiscard]] base::SavedInput take_rest();
  /// Nothing has been asked that is not answered, and nothing waits to leave.
  [[nodiscard]] bool is_idle() const noexcept;

  // For the connection and for the request that goes on.
  [[nodiscard]] InputH1& input() noexcept { return input_; }
  [[nodiscard]] DeadlineH1& deadline() noexcept { return deadline_; }

  // What the request that goes on tells. It is over behind the first three.
  /// Its answer has been written whole.
  void on_answered(h1::Persistence persistence, Sent sent);
  /// So has the head behind which another protocol is spoken.
  void hand_over(ContentPtr<Upgrade> upgrade);
  /// The client has to see that the content of its answer lacks its end.
  void cut();
  /// Something has become of it outside of a call of the connection's: all that follows.
  void settle_all();

 private:
  enum class State : std::uint8_t {
    ready,      // reads heads
    busy,       // with current_
    blocked,    // answers wait to leave; what has been asked meanwhile is kept
    held_back,  // the next request is kept until the output budget has room
    off,        // not spoken
    closing,    // the last answer waits to leave
    lingering,  // the last answer is given; what arrives is ignored
    left,       // another protocol is spoken
    closed,
  };
  using Awaits = DeadlineH1::Awaits;

  [[nodiscard]] LoopContext& context() const noexcept;
  [[nodiscard]] Stream& stream() const noexcept;

  // Reading. Each returns what it leaves of `in`.
  [[nodiscard]] std::string_view serve(std::string_view in);
  [[nodiscard]] std::string_view serve_request(std::string_view in);
  [[nodiscard]] std::string_view serve_by_course(const Plan& plan, std::string_view in);
  [[nodiscard]] bool is_reading() const noexcept {
    return state_ == State::ready || (state_ == State::busy && current_->takes_content());
  }
  void keep_or_ignore(std::string_view bytes);
  void serve_kept();

  // Answering.
  void answer_now(const Plan& plan, std::string_view unread);
  void send_now(const Plan& plan, Request& request, Response& response, bool has_more);
  void refuse(const RequestRefusal& refusal, const Plan& plan, Request& request);
  [[nodiscard]] bool try_open_current(const Plan& plan);
  void end_current();
  void go_on(const RequestHead& head, h1::Persistence persistence, Sent sent, bool has_more);

  // Ending. `settle` is the last thing in every callback.
  void block();
  void close_behind_answer();
  void linger();
  void settle();
  void settle_by_state();
  void on_late();

  Connection& connection_;
  // Its last bytes are free, and hold what follows.
  [[no_unique_address]] InputH1 input_;
  DeadlineH1 deadline_;
  State state_ = State::ready;
  // From here on: not touched by a request that is answered at once.
  std::unique_ptr<StreamH1> current_;
};

}  // namespace eider::detail::server
