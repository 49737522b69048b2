#include "eider/server/http2/response_h2.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/digits.h"
#include "eider/protocols/http/h2/out_field.h"
#include "eider/protocols/http/response.h"
#include "eider/protocols/http/status.h"
#include "eider/server/content.h"
#include "eider/server/http2/connection_h2.h"
#include "eider/server/http2/stream_h2.h"
#include "eider/server/upgrade.h"

namespace eider::detail::http2 {

class ResponseFields {
 public:
  /// Of an interim response.
  explicit ResponseFields(int status) noexcept;
  /// length  of the content, when it is known
  ResponseFields(const Response& response, std::optional<std::uint64_t> length,
                 std::string_view date) noexcept;
  ResponseFields(const ResponseFields&) = delete;  // its fields point into it
  ResponseFields& operator=(const ResponseFields&) = delete;

  /// All of them, and those that stand in `lines` behind them.
  ///
  /// list     where they are put together when there are such
  /// returns  valid while this and `list` stay as they are
  [[nodiscard]] std::span<const h2::OutField> with_lines(std::string_view lines,
                                                         std::vector<h2::OutField>& list) const;

 private:
  using Static = h2::OutField::Static;

  [[nodiscard]] static h2::OutField status_field(std::string_view digits) noexcept {
    return digits == "200" ? h2::OutField{":status", "200", Static::both}
                           : h2::OutField{":status", digits, Static::name};
  }

  static constexpr int kResetContent = 205;
  /// Status, server, date, type and length.
  static constexpr std::size_t kFieldsMax = 5;

  Digits status_;
  Digits length_;
  std::array<h2::OutField, kFieldsMax> fields_;
  std::size_t count_ = 1;
};

inline ResponseFields::ResponseFields(int status) noexcept
    : status_(static_cast<std::uint64_t>(status)),
      length_(0),
      fields_{{status_field(status_.view())}} {}

inline ResponseFields::ResponseFields(const Response& response, std::optional<std::uint64_t> length,
                                      std::string_view date) noexcept
    : status_(static_cast<std::uint64_t>(response.status())),
      length_(response.status() == kResetContent ? 0 : length.value_or(0)),
      fields_{{status_field(status_.view()),
               {"server", "eider", Static::both},
               {"date", date, Static::name}}},
      count_(3) {
  const bool is_empty = is_bodiless(response.status());
  if (!is_empty && !response.content_type().empty()) {
    fields_[count_++] = {"content-type", response.content_type(), Static::name};
  }
  // 205 says so by a length (RFC 9110, 15.3.6), 204 and 304 by themselves.
  if (response.status() == kResetContent || (length && !is_empty)) {
    fields_[count_++] = {"content-length", length_.view(), Static::name};
  }
}

inline std::span<const h2::OutField> ResponseFields::with_lines(
    std::string_view lines, std::vector<h2::OutField>& list) const {
  const auto own = std::span(fields_).first(count_);
  if (lines.empty()) {
    return own;
  }
  list.assign(own.begin(), own.end());
  h2::append_lines(list, lines);
  return list;
}

namespace {

constexpr int kOk = 200;
constexpr RequestRefusal kOfHttp1{501, "This resource is available only over HTTP/1.1."};

}  // namespace

void ResponseH2::forget_content() noexcept {
  hold(0);
  if (queue_.is_produced()) {
    stream_.connection().outgoing().note_taken(queue_.waiting_bytes());
  }
  queue_.reset();
  if (response_.body().size() > Buffer::kKeptBytesMax) {
    // Moved out: a std::string that is assigned an empty one keeps its memory.
    (void)std::exchange(response_, Response());
  }
  response_.reset();
}

void ResponseH2::reset() noexcept {
  forget_content();
  trailers_.clear();
  stage_ = Stage::open;
  is_stalled_ = false;
  status_ = 0;
  sent_bytes_ = 0;
  due_ = Instant::max();
}

// Whole responses.

void ResponseH2::send(Response& response) {
  // The request is answered by HTTP, so there is no tunnel any more.
  tunnel_.reset();
  if (server::opens_nothing(stream_.request().head(), response)) {
    stream_.fill_refusal(kNoWebSocket, response);
  }
  const FileContent* const file = content_as<FileContent>(response);
  const std::uint64_t length = file == nullptr ? response.body().size() : file->bytes();
  const bool has_content =
      length != 0 && stream_.request().method() != Method::head && !is_bodiless(response.status());
  stage_ = Stage::complete;
  submit_head(response, length, has_content ? h2::Ends::with_content : h2::Ends::with_head);
  if (has_content && file != nullptr) {
    queue_.begin_file(*file);
  } else if (has_content && response.body_owner() != nullptr) {
    queue_.begin_shared(response.body());
    hold(own_shared_bytes(response, 0));
  } else if (has_content) {
    queue_.begin_memory(response.body());
    // It counts as held until all of it has left: `serve_some` stops at the bound.
    hold(response.body().size());
  }
  // The exchange is left behind Session::send, which has copied what fits by then.
  if (stream_.exchange() != nullptr) {
    stream_.connection().add_answered(stream_);
  }
}

// A body of which all but one byte has left is still all there.
void ResponseH2::hold(std::size_t bytes) noexcept {
  OutgoingH2& outgoing = stream_.connection().outgoing();
  outgoing.note_taken(held_bytes_);
  outgoing.note_held(bytes);
  held_bytes_ = bytes;
}

void ResponseH2::refuse(const RequestRefusal& refusal) {
  stream_.fill_refusal(refusal, response_);
  send(response_);
}

void ResponseH2::keep(Response& from) {
  const std::string_view rest = queue_.rest();
  if (std::string* const owned = from.owned_body(); owned != nullptr) {
    const std::size_t sent = owned->size() - rest.size();
    // What has left already is not sent again: the rest begins behind it.
    response_.set_body(std::move(*owned));
    queue_.move_to(response_.body().substr(sent));
  } else if (auto owner = from.body_owner()) {
    response_.set_shared_body(std::move(owner), from.body());
  } else if (queue_.is_memory()) {
    // It views what the exchange is about to forget, so that what has not left yet is copied.
    response_.set_body(std::string(rest));
    queue_.move_to(response_.body());
    hold(rest.size());
  } else if (!is_in_memory(from)) {
    response_.set_content(from.take_content());
  }
}

void ResponseH2::submit_head(const Response& response, std::optional<std::uint64_t> length,
                             h2::Ends ends) {
  ConnectionH2& connection = stream_.connection();
  server::LoopContext& context = connection.context();
  status_ = response.status();
  const ResponseFields fields(response, length,
                              context.start.at(context.loop.wall_seconds()).date());
  connection.session().respond(stream_.id(), stream_,
                               fields.with_lines(response.field_lines(), connection.loop().fields),
                               ends);
  context.count_request();
  // The connection's end is announced behind this response's head.
  if (response.closes_connection()) {
    connection.shutdown().begin(context.loop.now());
  }
}

void ResponseH2::inform(int status, std::string_view field_lines) {
  if (stage_ != Stage::open) {
    return;
  }
  ConnectionH2& connection = stream_.connection();
  const ResponseFields fields(status);
  connection.session().inform(stream_.id(),
                              fields.with_lines(field_lines, connection.loop().fields));
  connection.want_turn();
}

// What is produced.

void ResponseH2::send_head(const Response& response, std::optional<std::uint64_t> length,
                           server::Follows follows) {
  const bool has_content = follows == server::Follows::content;
  tunnel_.reset();
  if (has_content) {
    queue_.begin_produced();
  }
  submit_head(response, length, has_content ? h2::Ends::with_content : h2::Ends::with_head);
  // The content leaves in this turn with whatever else is said.
  stream_.connection().want_turn();
}

std::size_t ResponseH2::put(std::string_view content) {
  stream_.connection().add_sender(stream_);
  Buffer& produced = queue_.produced();
  produced.append(content);
  stream_.connection().outgoing().note_held(content.size());
  return produced.size();
}

// Not sent at once: a stream that ends meanwhile would take the producer with it that writes.
bool ResponseH2::flush() {
  stream_.connection().add_sender(stream_);
  is_stalled_ = true;
  return false;
}

void ResponseH2::note_sent_on() noexcept {
  is_stalled_ = queue_.waiting_bytes() != 0;
  // The producer goes on only when nothing waits, or it would gather without a bound.
  if (!is_stalled_ && stream_.exchange() != nullptr) {
    stream_.exchange()->go_on();
  }
}

void ResponseH2::end(std::string_view trailer_lines) {
  stage_ = Stage::complete;
  if (queue_.is_produced()) {
    trailers_ = trailer_lines;
    queue_.end();
    stream_.connection().add_sender(stream_);
  }
  // The exchange ends here: the queue keeps what is still to leave.
  stream_.end_exchange();
}

void ResponseH2::cut() {
  stream_.connection().session().reset(stream_.id(), h2::ErrorCode::internal_error);
  stage_ = Stage::complete;
}

// Another protocol.

void ResponseH2::make_tunnel() {
  tunnel_ = std::make_unique<TunnelH2>(stream_.connection(), stream_, queue_);
}

void ResponseH2::upgrade(Response& response) {
  if (tunnel_ != nullptr) {
    begin_tunnel(response);
  } else {
    // Upgrades are HTTP/1.1's (RFC 9113, section 8.6); a client that asked for none gets none.
    stream_.exchange()->refuse_by(kOfHttp1);
  }
}

void ResponseH2::begin_tunnel(Response& response) {
  stage_ = Stage::tunnelling;
  // The queue is open before the protocol is: it may write at once.
  queue_.begin_produced();
  response.set_status(kOk);
  submit_head(response, std::nullopt, h2::Ends::with_content);
  // The request is over for observers once its protocol begins.
  stream_.report(StreamH2::Outcome::answered);
  stream_.connection().add_answered(stream_);  // ahead of what the protocol may write at once
  const auto content = std::get<ContentPtr<Upgrade>>(response.take_content());
  tunnel_->begin(*content);
}

void ResponseH2::uncork() {
  if (is_tunnelling()) {
    tunnel_->uncork();
  }
}

void ResponseH2::on_tunnel_closed() {
  if (!is_tunnelling()) {
    return;
  }
  stage_ = Stage::complete;
  // The client may still be sending when our end has left: it is listened to for a while.
  if (tunnel_->is_end_sent()) {
    stream_.receiver().linger();
  }
}

// What the session asks, from within Session::send: no handler runs here.

h2::Ready ResponseH2::ready(std::size_t bytes_max) noexcept {
  uncork();
  return queue_.ready(bytes_max);
}

bool ResponseH2::put(char* to, std::size_t bytes) noexcept {
  // It is counted before the bytes are copied: a file that fails resets the stream anyway.
  sent_bytes_ += bytes;
  stream_.connection().outgoing().note_sent(bytes);
  if (queue_.is_produced()) {
    stream_.connection().outgoing().note_taken(bytes);
  }
  const bool is_there = queue_.put(to, bytes);
  if (held_bytes_ != 0 && queue_.rest().empty()) {
    hold(0);  // all has left, and the stream ends: others may be served in this very turn
  }
  // Both only set an event or join a list of the loop's: what waits goes on behind the session.
  if (is_stalled_) {
    note_sent_on();
  } else if (tunnel_ != nullptr && bytes != 0 && queue_.waiting_bytes() == 0) {
    tunnel_->note_sent();
  }
  return is_there;
}

// Time.

bool ResponseH2::is_blocked() const noexcept {
  const h2::Session& session = stream_.connection().session();
  return session.send_window(stream_.id()) <= 0 || session.send_window() <= 0 ||
         stream_.connection().line().waiting_bytes() != 0;
}

// A client that has a window and is not served for the sake of others is not slow.
void ResponseH2::check(Instant now) {
  ConnectionH2& connection = stream_.connection();
  const server::LoopLimits& limits = connection.context().limits;
  // A span is measured only while something waits that the client keeps from leaving.
  if (queue_.waiting_bytes() == 0 || !is_blocked()) {
    due_ = Instant::max();
    return;
  }
  if (due_ == Instant::max()) {
    progress_ = sent_bytes_;
    connection_progress_ = connection.outgoing().sent_bytes();
    due_ = now + limits.write;
  } else if (now >= due_) {
    // Where the stream has a window, the connection keeps it waiting: then all that it sends
    // counts.
    const bool is_window_empty = connection.session().send_window(stream_.id()) <= 0;
    const std::uint64_t sent = is_window_empty
                                   ? sent_bytes_ - progress_
                                   : connection.outgoing().sent_bytes() - connection_progress_;
    // The next look begins another span.
    due_ = Instant::max();
    if (sent < limits.written_bytes_least(now)) {
      const bool is_closed = is_window_empty || connection.session().send_window() <= 0;
      if (is_closed && connection.outgoing().note_unread_stream()) {
        connection.session().terminate(h2::ErrorCode::enhance_your_calm);
      }
      connection.session().reset(stream_.id(), h2::ErrorCode::cancel);
      connection.want_turn();
    }
  }
}

// The exchange's questions that are not about the response.

void ResponseH2::on_content_taken() {
  stream_.receiver().on_taken();
}

bool ResponseH2::may_send() const noexcept {
  return stream_.receiver().may_send();
}

void ResponseH2::watch(Instant due) noexcept {
  stream_.receiver().watch(due);
}

void ResponseH2::settle() {
  stream_.connection().want_turn();
}

std::string ResponseH2::address() const {
  return stream_.connection().line().address();
}

std::optional<TlsInfo> ResponseH2::tls() const {
  return stream_.connection().line().tls();
}

}  // namespace eider::detail::http2
