// ClientSession: construction and public functions. See also client_session_calls.cc.
#include "eider/protocols/http/h2/client_session.h"

#include <algorithm>
#include <array>
#include <new>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/h2/calls.h"
#include "eider/protocols/http/h2/client_session_state.h"
#include "eider/protocols/http/h2/library.h"
#include "eider/protocols/http/plain_fields.h"

namespace eider::h2 {

namespace {

using detail::check;
using detail::code_of;

/// A head of this many frames is always allowed.
constexpr std::uint32_t kContinuationsMin = 8;
constexpr std::uint32_t kFrameBytes = 16 * 1024;

const nghttp2_option* client_options() {
  static const nghttp2_option* const made = detail::make_options();
  return made;
}

/// RFC 7541, 7.1.3: secrets must not enter the compression tables. A connection may carry requests
/// of several users, and one of them could guess the values of another one (7.1.1).
unsigned flags_of(const OutField& field) noexcept {
  return is_plain_request_field(field.name) ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX;
}

}  // namespace

ClientSession::State::State(const ClientSessionOptions& its_options)
    : options(its_options),
      continuations_max(
          std::max(kContinuationsMin, 1 + options.reply.head_bytes_max / kFrameBytes)) {
  check(nghttp2_session_client_new3(&session, detail::Calls<State>::all(), this, client_options(),
                                    detail::session_memory()));
  const std::array<nghttp2_settings_entry, 3> settings{
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
       {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options.stream_window_bytes},
       {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, options.reply.head_bytes_max}}};
  check(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
  // The window of the connection is larger than RFC 9113's default, so it is announced immediately.
  check(nghttp2_session_set_local_window_size(
      session, NGHTTP2_FLAG_NONE, 0, static_cast<std::int32_t>(options.connection_window_bytes)));
}

void ClientSession::State::terminate(ErrorCode why, std::string_view text) noexcept {
  // Only the first reason is kept; later errors are consequences of it.
  if (!is_doomed) {
    is_doomed = true;
    flaw = text;
    nghttp2_session_terminate_session(session, code_of(why));
  }
}

void ClientSession::State::fail(int error) noexcept {
  switch (error) {
    case NGHTTP2_ERR_FLOODED:
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS:
      return terminate(ErrorCode::enhance_your_calm, "The server floods the connection.");
    case NGHTTP2_ERR_NOMEM:
    case NGHTTP2_ERR_CALLBACK_FAILURE:
      return terminate(ErrorCode::internal_error, "There is not enough memory for the response.");
    default:
      return terminate(ErrorCode::protocol_error, kNoHttp2);
  }
}

void ClientSession::State::note(Cheap kind) noexcept {
  if (!guard.allows(kind, now_ms)) {
    terminate(ErrorCode::enhance_your_calm, "The server floods the connection.");
  }
}

std::span<const nghttp2_nv> ClientSession::State::to_pairs(std::span<const OutField> fields) {
  return pairs.of(fields, flags_of);
}

void ClientSession::State::let_go(StreamId id) noexcept {
  nghttp2_session_set_stream_user_data(session, id, nullptr);
  --open_streams;
}

ClientSession::ClientSession(const ClientSessionOptions& options)
    : state_(std::make_unique<State>(options)) {}

ClientSession::~ClientSession() = default;

void ClientSession::receive(std::string_view bytes, std::uint64_t now_ms) {
  if (!state_->is_doomed) {
    state_->now_ms = now_ms;
    state_->receive(bytes);
  }
}

bool ClientSession::send(Buffer& out, std::size_t bytes_max) {
  return detail::send_some(*state_, out, bytes_max);
}

// A doomed session sends its GOAWAY, but no requests.
bool ClientSession::takes_requests() const noexcept {
  return !state_->is_doomed && !state_->going_away &&
         nghttp2_session_check_request_allowed(state_->session) != 0;
}

std::size_t ClientSession::room() const noexcept {
  if (!takes_requests()) {
    return 0;
  }
  const std::uint32_t allowed = std::min(
      // The server's limit may fall below the number of open streams, so the difference is limited
      // to zero.
      state_->options.streams_max, streams_allowed().value_or(state_->options.early_streams_max));
  return allowed - std::min<std::size_t>(allowed, state_->open_streams);
}

std::optional<std::uint32_t> ClientSession::streams_allowed() const noexcept {
  if (!state_->has_settings) {
    return std::nullopt;
  }
  return nghttp2_session_get_remote_settings(state_->session,
                                             NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
}

bool ClientSession::allows_protocols() const noexcept {
  return state_->has_settings &&
         nghttp2_session_get_remote_settings(state_->session,
                                             NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1;
}

StreamId ClientSession::request(ReplyUser& user, std::span<const OutField> fields, Ends ends) {
  const std::span<const nghttp2_nv> all = state_->to_pairs(fields);
  nghttp2_data_provider content{};
  content.read_callback = detail::Calls<State>::read_content;
  const StreamId id = nghttp2_submit_request(state_->session, nullptr, all.data(), all.size(),
                                             ends == Ends::with_head ? nullptr : &content, &user);
  // The caller handles missing memory; any other failure is a bug in our code.
  if (id == NGHTTP2_ERR_NOMEM) {
    throw std::bad_alloc();
  }
  ensure(id > 0, "a request on a session without room");
  // The user may have been used for another request before.
  user.has_head_ = user.has_ended_ = false;
  user.is_early_ = !state_->has_settings;
  user.end_.reset();
  ++state_->open_streams;
  return id;
}

void ClientSession::resume(StreamId id) {
  nghttp2_session_resume_data(state_->session, id);
}

void ClientSession::reset(StreamId id, ErrorCode why) {
  // The user is removed before the frame is queued, so that it is not called again.
  state_->let_go(id);
  state_->guard.earn(Cheap::reset, 1);  // the server may also be sending one
  nghttp2_submit_rst_stream(state_->session, NGHTTP2_FLAG_NONE, id, code_of(why));
}

void ClientSession::consume(StreamId id, std::size_t bytes) {
  nghttp2_session_consume_stream(state_->session, id, bytes);
}

void ClientSession::ping() {
  nghttp2_submit_ping(state_->session, NGHTTP2_FLAG_NONE, nullptr);
}

std::uint64_t ClientSession::pongs() const noexcept {
  return state_->pongs;
}

void ClientSession::shut_down() {
  nghttp2_submit_goaway(state_->session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, nullptr, 0);
}

std::size_t ClientSession::open_streams() const noexcept {
  return state_->open_streams;
}

bool ClientSession::is_over() const noexcept {
  return state_->is_broken || (nghttp2_session_want_read(state_->session) == 0 &&
                               nghttp2_session_want_write(state_->session) == 0);
}

bool ClientSession::is_doomed() const noexcept {
  return state_->is_doomed;
}

std::string_view ClientSession::flaw() const noexcept {
  return state_->flaw;
}

std::optional<ErrorCode> ClientSession::going_away() const noexcept {
  return state_->going_away;
}

}  // namespace eider::h2
