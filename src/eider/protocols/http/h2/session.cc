// Session: construction and public functions. See also session_calls.cc.
#include "eider/protocols/http/h2/session.h"

#include <array>

#include "eider/protocols/http/h2/calls.h"
#include "eider/protocols/http/h2/library.h"
#include "eider/protocols/http/h2/session_state.h"

namespace eider::h2 {

namespace {

using detail::check;
using detail::code_of;

const nghttp2_option* server_options() {
  static const nghttp2_option* const made = [] {
    nghttp2_option* const options = detail::make_options();
    nghttp2_option_set_builtin_recv_extension_type(options, NGHTTP2_PRIORITY_UPDATE);
    // HeadBuilder checks HTTP's rules and more of them; checking twice would cost a tenth more.
    nghttp2_option_set_no_http_messaging(options, 1);
    return options;
  }();
  return made;
}

ErrorCode code_of_failure(int error) noexcept {
  switch (error) {
    case NGHTTP2_ERR_FLOODED:
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
      return ErrorCode::enhance_your_calm;
    case NGHTTP2_ERR_NOMEM:
    case NGHTTP2_ERR_CALLBACK_FAILURE:
      return ErrorCode::internal_error;
    default:
      return ErrorCode::protocol_error;
  }
}

}  // namespace

Session::State::State(SessionUser& its_user, const SessionOptions& options)
    : user(its_user), head_limits(options.head), streams_max(options.streams_max) {
  check(nghttp2_session_server_new3(&session, detail::Calls<State>::all(), this, server_options(),
                                    detail::session_memory()));
  const std::array<nghttp2_settings_entry, 5> settings{
      {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options.streams_max},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.stream_window_bytes},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, options.head.head_bytes_max},
       {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},
       {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}}};
  check(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
  // As in a client's session, the window is larger than the default, so it is announced
  // immediately.
  check(nghttp2_session_set_local_window_size(
      session, NGHTTP2_FLAG_NONE, 0, static_cast<std::int32_t>(options.connection_window_bytes)));
}

void Session::State::terminate(ErrorCode why) noexcept {
  // Only the first reason counts, and only one GOAWAY is sent.
  if (!is_doomed) {
    is_doomed = true;
    nghttp2_session_terminate_session(session, code_of(why));
  }
}

void Session::State::fail(int error) noexcept {
  terminate(code_of_failure(error));
}

void Session::State::note(Cheap kind) noexcept {
  if (!guard.allows(kind, now_ms)) {
    terminate(ErrorCode::enhance_your_calm);
  }
}

std::span<const nghttp2_nv> Session::State::to_pairs(std::span<const OutField> fields) {
  return pairs.of(fields, [](const OutField&) { return 0U; });
}

Session::Session(SessionUser& user, const SessionOptions& options)
    : state_(std::make_unique<State>(user, options)) {}

Session::~Session() = default;

void Session::receive(std::string_view bytes, std::uint64_t now_ms) {
  // After the end nothing is read, because each byte could cost work.
  if (state_->is_doomed) {
    return;
  }
  state_->now_ms = now_ms;
  state_->receive(bytes);
}

bool Session::send(Buffer& out, std::size_t bytes_max) {
  return detail::send_some(*state_, out, bytes_max);
}

void Session::respond(StreamId id, StreamUser& stream, std::span<const OutField> fields,
                      Ends ends) {
  const std::span<const nghttp2_nv> all = state_->to_pairs(fields);
  nghttp2_data_provider content{};
  content.source.ptr = &stream;
  content.read_callback = detail::Calls<State>::read_content;
  nghttp2_submit_response(state_->session, id, all.data(), all.size(),
                          ends == Ends::with_head ? nullptr : &content);
}

void Session::inform(StreamId id, std::span<const OutField> fields) {
  const std::span<const nghttp2_nv> all = state_->to_pairs(fields);
  nghttp2_submit_headers(state_->session, NGHTTP2_FLAG_NONE, id, nullptr, all.data(), all.size(),
                         nullptr);
}

void Session::resume(StreamId id) {
  nghttp2_session_resume_data(state_->session, id);
}

void Session::reset(StreamId id, ErrorCode why) {
  nghttp2_submit_rst_stream(state_->session, NGHTTP2_FLAG_NONE, id, code_of(why));
}

void Session::consume(StreamId id, std::size_t bytes) {
  nghttp2_session_consume_stream(state_->session, id, bytes);
}

void Session::ping() {
  nghttp2_submit_ping(state_->session, NGHTTP2_FLAG_NONE, nullptr);
}

void Session::announce_shutdown() {
  nghttp2_submit_shutdown_notice(state_->session);
}

void Session::shut_down() {
  nghttp2_submit_goaway(state_->session, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(state_->session), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

void Session::terminate(ErrorCode why) {
  state_->terminate(why);
}

bool Session::is_over() const noexcept {
  return state_->is_broken || (nghttp2_session_want_read(state_->session) == 0 &&
                               nghttp2_session_want_write(state_->session) == 0);
}

bool Session::is_doomed() const noexcept {
  return state_->is_doomed;
}

std::optional<Unfinished> Session::unfinished() const noexcept {
  return state_->unfinished();
}

std::int32_t Session::send_window(StreamId id) const noexcept {
  return nghttp2_session_get_stream_remote_window_size(state_->session, id);
}

std::int32_t Session::send_window() const noexcept {
  return nghttp2_session_get_remote_window_size(state_->session);
}

}  // namespace eider::h2
