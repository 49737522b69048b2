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

/// Returns the framing of a response without a body: none for 204 and 304 (RFC 9110, 15.3.5 and
/// 15.4.5), but a length of zero for 205 (15.3.6): without it the client would read until the end.
constexpr h1::Framing bodiless_framing(int status) noexcept {
  return status == 205 ? h1::Framing::sized : h1::Framing::none;
}

/// Returns the number of body bytes that are sent in response to a request with this method.
[[nodiscard]] std::uint64_t content_bytes(Method method, const Response& response) noexcept;

/// Received bytes that have not been read yet; empty while the connection waits for a request. Kept
/// bytes do not move until bytes are kept or dropped.
class InputH1 {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return kept_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  [[nodiscard]] std::string_view view() const noexcept { return kept_.view(); }
  /// Returns whether it is worthwhile to parse the bytes as request headers. Call it for one
  /// request as its headers grow.
  [[nodiscard]] bool may_have_head(const h1::HeadLimits& limits) noexcept {
    return search_.is_worth_reading(kept_.view(), limits);
  }

  void keep(std::string_view bytes) { kept_.append(bytes); }
  /// Keeps the bytes that parsing has left, if none were kept: they may start the next request.
  void keep_rest(std::string_view rest) {
    search_.reset();
    keep(rest);
  }
  /// Drops all bytes except the last `rest_bytes`, because they were read.
  void drop_read(std::size_t rest_bytes) noexcept {
    // The search continues at its position, unless something was read: then it starts again.
    if (rest_bytes != kept_.size()) {
      search_.reset();
      kept_.drop(kept_.size() - rest_bytes);
    }
  }
  /// Called when complete headers were read but will be read again later.
  void read_again() noexcept { search_.reset(); }
  void release() noexcept { kept_.release(); }
  [[nodiscard]] base::SavedInput take() noexcept {
    base::SavedInput taken = std::move(kept_);
    kept_.release();
    return taken;
  }

  /// Pauses reading: further bytes stay in the kernel.
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

  /// Called when the client has closed its half.
  void note_end() noexcept { has_ended_ = true; }
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

 private:
  base::SavedInput kept_;
  h1::HeadSearch search_;
  bool is_paused_ : 1 = false;
  bool has_ended_ : 1 = false;
};

/// If a client closes its half, its earlier requests still get responses, then the connection ends.
/// If a request waits for its response meanwhile, the client may also have disconnected completely,
/// which looks the same; limits.half_close_probe describes how to distinguish them.
class H1 final {
 public:
  /// The event that is waited for: see Limits, and on_late for the action if it does not occur.
  enum class Awaits : std::uint8_t {
    first_byte,
    next_request,
    head,
    content,
    reader,  // the client reads waiting output
    linger,  // the client closes after the last response
    probe,   // a client that has closed its half shows whether it has disconnected
    nothing,
  };

  explicit H1(Connection& connection) noexcept : connection_(connection) {}
  H1(const H1&) = delete;
  H1& operator=(const H1&) = delete;

  // Calls from the connection. After each call except the first three, it checks is_over.
  /// Starts or ends HTTP/1.1 on the connection.
  void start() noexcept;
  void leave() noexcept { state_ = State::off; }
  /// Called when the connection ends: cancels the current request, and reports unsent responses to
  /// observers. May be called more than once.
  void end() noexcept;
  void on_bytes(std::string_view bytes);
  void on_end();
  void on_drained();
  /// Called by the alarm. is_due: the deadline has passed.
  void on_time(bool is_due);
  /// Rejects input that is not a valid HTTP request. head: its bytes so far
  void refuse_unread(const RequestRefusal& refusal, std::string_view head = {});
  void stop_endless();

  [[nodiscard]] bool is_spoken() const noexcept { return state_ != State::off; }
  /// Returns whether to close the connection, or to continue with another protocol and `take_rest`.
  [[nodiscard]] bool is_over() const noexcept { return state_ >= State::left; }
  /// Returns the bytes after the request that upgraded the connection.
  [[nodiscard]] base::SavedInput take_rest();
  /// Returns whether all requests have responses and no output waits.
  [[nodiscard]] bool is_idle() const noexcept;

  // For the connection and for the current request.
  [[nodiscard]] InputH1& input() noexcept { return input_; }
  [[nodiscard]] Awaits awaits() const noexcept { return awaits_; }
  /// Returns whether the rest of a request is expected.
  [[nodiscard]] bool is_receiving() const noexcept {
    return awaits_ == Awaits::head || awaits_ == Awaits::content;
  }
  void expect(Awaits what, Instant due);
  void expect_within(Awaits what, Duration within);
  /// Sets the deadline by which the client must read waiting output, at the minimum rate of Limits.
  void expect_reader();
  /// Returns whether a request of this connection has had a response.
  [[nodiscard]] bool has_answered() const noexcept { return has_answered_; }
  /// Returns the time at which to wake up for a connection with this deadline.
  [[nodiscard]] Instant wake_at(Instant due) const noexcept;

  /// Returns whether the connection persists, if the rest of the request body may still arrive;
  /// StreamH1::persistence handles the other case.
  [[nodiscard]] h1::Persistence persistence(const RequestHead& head,
                                            const Response& response) const noexcept {
    if (!head.keeps_alive || response.closes_connection() || context().is_draining) [[unlikely]] {
      return h1::Persistence::close;
    }
    return head.minor_version == 0 ? h1::Persistence::spoken : h1::Persistence::implied;
  }
  /// Corks a complete response, or sends it if it is large: a large owned body is moved out of it.
  /// Inlined, because a call would be 1.5 % of the cost of a plain request.
  ///
  /// plan    of the request: handlers with large responses are remembered
  /// method  of the request: HEAD gets only the headers, with the length of the body
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
  /// Sends only the headers, with Date and Server filled in.
  void send_head(h1::ResponseHead head);
  /// Sends a 1xx response, if the client supports it (not HTTP/1.0).
  void send_interim(const RequestHead& head, int status, std::string_view field_lines);

  /// Reports the current request to the observer: with its response, or abandoned by its client.
  void report(Exchange& exchange, int status, std::uint64_t bytes_out);
  void report_abandoned(Exchange& exchange);
  /// Continues the connection after the current request has changed outside of the connection's
  /// calls.
  void settle_all();

 private:
  enum class State : std::uint8_t {
    ready,      // reads request headers
    busy,       // handles current_
    blocked,    // responses wait to be sent; input that arrives meanwhile is kept
    held_back,  // the next request is kept until the output budget has room
    off,        // another protocol, or none yet
    closing,    // the last response waits to be sent
    lingering,  // the last response was sent; input is ignored
    left,       // another protocol follows
    closed,
  };

  /// Bodies of this size are sent separately instead of being copied into the cork.
  static constexpr std::size_t kLargeBodyBytes = 64UL * 1024;

  [[nodiscard]] LoopContext& context() const noexcept;
  [[nodiscard]] Stream& stream() const noexcept;

  // Reading. Each returns the unread rest of `in`.
  [[nodiscard]] std::string_view serve(std::string_view in);
  [[nodiscard]] std::string_view serve_request(std::string_view in);
  [[nodiscard]] std::string_view serve_by_course(const RequestPlan& plan, std::string_view in);
  [[nodiscard]] bool is_reading() const noexcept {
    return state_ == State::ready || (state_ == State::busy && current_->takes_content());
  }
  void keep_or_ignore(std::string_view bytes);
  void serve_kept();

  // Responding.
  void respond_now(const RequestPlan& plan, std::string_view unread);
  void send_now(const RequestPlan& plan, Request& request, Response& response, bool has_more);
  void refuse(const RequestRefusal& refusal, const RequestPlan& plan, Request& request);
  void go_on(const RequestHead& head, h1::Persistence persistence, Sent sent, bool has_more);
  /// Also handles other statuses, empty bodies and large bodies.
  Sent send_any(const RequestPlan& plan, Method method, Response& response, h1::Persistence how);
  void note_large(const RequestPlan& plan, const Response& response);
  [[nodiscard]] const h1::HeadStart& head_start() const noexcept {
    return context().start.at(context().loop.wall_seconds());
  }

  // The current request.
  [[nodiscard]] bool try_open_current(const RequestPlan& plan);
  /// Handles the end of its response, if it has ended. Call it after each call that may have ended
  /// the response: until then the request and its exchange exist.
  ///
  /// unread  bytes after the request that are not kept yet
  void finish_current(std::string_view unread);
  void on_answered(const StreamH1::End& end, bool has_more);
  void hand_over();
  void end_current();

  // Reporting. A request with an immediate response is reported when the response was sent, which
  // is later if the socket does not accept all of it.
  void report(Request& request, int status, std::uint64_t bytes_out);
  void report_or_keep(const ResponseEvent& record, Request& request);
  /// Reports the last response that had to wait, if there is one: it was sent, or never will be.
  void report_sent() noexcept;
  void report_lost() noexcept;
  [[nodiscard]] std::unique_ptr<UnsentH1> take_unsent() noexcept;

  // Ending. `settle` must be the last statement of every callback.
  void block();
  void close_behind_response();
  void linger();
  void await_close();
  void settle();
  void settle_by_state();
  void on_late();

  Connection& connection_;
  // Its last bytes are unused padding, in which the next members are placed.
  [[no_unique_address]] InputH1 input_;
  Awaits awaits_ = Awaits::first_byte;
  bool has_answered_ = false;
  State state_ = State::ready;
  // From here on: not used by a request with an immediate response.
  std::unique_ptr<StreamH1> current_;
};

}  // namespace eider::detail::server
