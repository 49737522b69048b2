// HTTP/1.1 on a connection: bytes in, requests to the service, responses out, in order.
// Layering: must not use memory while it is idle, nor recurse with the depth of the pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/saved_input.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h1/head_reader.h"
#include "eider/protocols/http/h1/writer.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/refusal.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/content.h"
#include "eider/server/context.h"
#include "eider/server/observer.h"
#include "eider/server/stream_h1.h"

namespace eider::detail::server {

class Connection;
struct UnsentH1;

/// How a response without content says so: RFC 9110, 15.3.5 and 15.4.5, by nothing; 15.3.6, by a
/// length of zero, or the client would read on until the connection ends.
constexpr h1::Framing bodiless_framing(int status) noexcept {
  return status == 205 ? h1::Framing::sized : h1::Framing::none;
}

/// The number of bytes of the response's content that a request with that method is sent.
[[nodiscard]] std::uint64_t content_bytes(Method method, const Response& response) noexcept;

/// Received bytes that have not been read yet: none while the connection waits for a request. Kept
/// bytes stay where they are until
/// some are kept or dropped.
class InputH1 {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return kept_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] std::string_view view() const noexcept { return kept_.view(); }
  /// Reading them as a head may tell something. To be asked of one head as it grows.
  [[nodiscard]] bool may_have_head(const h1::HeadLimits& limits) noexcept {
    return search_.is_worth_reading(kept_.view(), limits);
  }

  void keep(std::string_view bytes) { kept_.append(bytes); }
  /// Keeps what reading has left where nothing was kept: it may begin a head.
  void keep_rest(std::string_view rest) {
    search_.reset();
    keep(rest);
  }
  /// Forgets all that stands in front of the last `rest_bytes`, which has been read.
  void drop_read(std::size_t rest_bytes) noexcept {
    // The search goes on where it was, unless something was read: then it begins anew.
    if (rest_bytes != kept_.size()) {
      search_.reset();
      kept_.drop(kept_.size() - rest_bytes);
    }
  }
  /// A whole head was read, but is to be read again later.
  void read_again() noexcept { search_.reset(); }
  void release() noexcept { kept_.release(); }
  [[nodiscard]] base::SavedInput take() noexcept {
    base::SavedInput taken = std::move(kept_);
    kept_.release();
    return taken;
  }

  /// Lets the client wait: its bytes stay in the kernel.
  void pause(Stream& stream) noexcept {
    if (!is_paused_) {
      is_paused_ = true;
      stream.pause_reading();
    }
  }
  void resume(Stream& stream) {
    if (is_paused_) {
      is_paused_ = false;
      stream.resume_reading();
    }
  }
  [[nodiscard]] bool is_paused() const noexcept { return is_paused_; }

  /// The client sends no more.
  void note_end() noexcept { has_ended_ = true; }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

 private:
  base::SavedInput kept_;
  h1::HeadSearch search_;
  bool is_paused_ : 1 = false;
  bool has_ended_ : 1 = false;
};

/// How a client that closes its half is treated: what it has asked before is answered, then the
/// connection ends. If a request waits for its response meanwhile, the client may also have left
/// altogether, which looks the same; limits.half_close_probe says how that is found out.
class H1 final {
 public:
  /// What is waited for: see Limits, and on_late for what happens when it does not come.
  enum class Awaits : std::uint8_t {
    first_byte,
    next_request,
    head,
    content,
    reader,  // the client takes what waits for it
    linger,  // the client closes after the last response
    probe,   // a client that has closed its half, and may have disconnected, shows itself
    nothing,
  };

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
  [[nodiscard]] Awaits awaits() const noexcept { return awaits_; }
  void expect(Awaits what, Instant due);
  void expect_within(Awaits what, Duration within);
  /// The client has to take what waits, at the pace of Limits.
  void expect_reader();
  /// Any request of this connection has been answered.
  [[nodiscard]] bool has_answered() const noexcept { return has_answered_; }
  /// When to look at a connection that is due then.
  [[nodiscard]] Instant wake_at(Instant due) const noexcept;

  /// What a response's head may say while the request's content can still come whole:
  /// StreamH1::persistence for the rest.
  [[nodiscard]] h1::Persistence persistence(const RequestHead& head,
                                            const Response& response) const noexcept {
    if (!head.keeps_alive || response.closes_connection() || context().is_draining) [[unlikely]] {
      return h1::Persistence::close;
    }
    return head.minor_version == 0 ? h1::Persistence::spoken : h1::Persistence::implied;
  }
  /// Corks a whole response, or sends it when it is large: an owned large body is taken from it.
  /// Inlined, since a call of its own is 1.5 % of the cost of a plain request.
  ///
  /// plan    of the request: large responses of its handler are remembered
  /// method  of the request: HEAD gets the head alone, with the length it would have had
  /// source  RFC 9110, sections 8.6, 9.3.2, 15.3.5, 15.3.6 and 15.4.5
  [[gnu::always_inline]] Sent send(const RequestPlan& plan, Method method, Response& response,
                                   h1::Persistence how) {
    const std::string_view body = response.body();
    const std::string_view type = response.content_type();
    const bool is_usual = response.status() == 200 && how == h1::Persistence::implied &&
                          method != Method::head && !type.empty() &&
                          body.size() < kLargeBodyBytes && is_in_memory(response);
    if (!is_usual) [[unlikely]] {
      return send_any(plan, method, response, how);
    }
    h1::write_usual(stream().output(), head_start(), type, response.field_lines(), body);
    return Sent::corked;
  }
  /// A head alone, with the date and the server's name filled in.
  void send_head(h1::ResponseHead head);
  /// 1xx, to clients that know such.
  void send_interim(const RequestHead& head, int status, std::string_view field_lines);

  /// Reports the request that goes on to the observer: answered, or abandoned by its client.
  void report(Exchange& exchange, int status, std::uint64_t bytes_out);
  void report_abandoned(Exchange& exchange);
  /// The request that goes on has changed outside of a call of the connection's: all that follows.
  void settle_all();

 private:
  enum class State : std::uint8_t {
    ready,      // reads heads
    busy,       // with current_
    blocked,    // answers wait to leave; what has been asked meanwhile is kept
    held_back,  // the next request is kept until the output budget has room
    off,        // not spoken
    closing,    // the last response waits to leave
    lingering,  // the last response is given; what arrives is ignored
    left,       // another protocol is spoken
    closed,
  };

  /// Content of this size is sent by itself instead of being copied behind others.
  static constexpr std::size_t kLargeBodyBytes = 64UL * 1024;

  [[nodiscard]] LoopContext& context() const noexcept;
  [[nodiscard]] Stream& stream() const noexcept;

  // Reading. Each returns what it leaves of `in`.
  [[nodiscard]] std::string_view serve(std::string_view in);
  [[nodiscard]] std::string_view serve_request(std::string_view in);
  [[nodiscard]] std::string_view serve_by_course(const RequestPlan& plan, std::string_view in);
  [[nodiscard]] bool is_reading() const noexcept {
    return state_ == State::ready || (state_ == State::busy && current_->takes_content());
  }
  void keep_or_ignore(std::string_view bytes);
  void serve_kept();

  // Answering.
  void respond_now(const RequestPlan& plan, std::string_view unread);
  void send_now(const RequestPlan& plan, Request& request, Response& response, bool has_more);
  void refuse(const RequestRefusal& refusal, const RequestPlan& plan, Request& request);
  void go_on(const RequestHead& head, h1::Persistence persistence, Sent sent, bool has_more);
  /// Also a response with another status, without content, or with much.
  Sent send_any(const RequestPlan& plan, Method method, Response& response, h1::Persistence how);
  void note_large(const RequestPlan& plan, const Response& response);
  [[nodiscard]] const h1::HeadStart& head_start() const noexcept {
    return context().start.at(context().loop.wall_seconds());
  }

  // The request that goes on.
  [[nodiscard]] bool try_open_current(const RequestPlan& plan);
  /// Acts on the end of its response, if it has ended. Call it after each call that may have ended
  /// it: until then the request and its exchange stay.
  ///
  /// unread  bytes after the request that are not kept yet
  void finish_current(std::string_view unread);
  void on_answered(const StreamH1::End& end, bool has_more);
  void hand_over();
  void end_current();

  // Reporting. A request that was answered at once is reported when its response has left: what
  // the socket has refused of it leaves later.
  void report(Request& request, int status, std::uint64_t bytes_out);
  void report_or_keep(const ResponseEvent& record, Request& request);
  /// The last response that the socket had refused some of has left, if there is one, or never
  /// will.
  void report_sent() noexcept;
  void report_lost() noexcept;
  [[nodiscard]] std::unique_ptr<UnsentH1> take_unsent() noexcept;

  // Ending. `settle` is the last thing in every callback.
  void block();
  void close_behind_response();
  void linger();
  void await_close();
  void settle();
  void settle_by_state();
  void on_late();

  Connection& connection_;
  // Its last bytes are free, and hold what follows.
  [[no_unique_address]] InputH1 input_;
  Awaits awaits_ = Awaits::first_byte;
  bool has_answered_ = false;
  State state_ = State::ready;
  // From here on: not touched by a request that is answered at once.
  std::unique_ptr<StreamH1> current_;
};

}  // namespace eider::detail::server
