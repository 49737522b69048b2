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
  /// For an interim response.
  explicit ResponseFields(int status) noexcept;
  /// length  of the body, if known
  ResponseFields(const Response& response, std::optional<std::uint64_t> length,
                 std::string_view date) noexcept;
  ResponseFields(const ResponseFields&) = delete;  // its fields point into it
  ResponseFields& operator=(const ResponseFields&) = delete;

  /// Returns all fields, followed by those in `lines`.
  ///
  /// list     memory for the combined list, if there are lines
  /// returns  valid as long as this and `list` are unchanged
  [[nodiscard]] std::span<const h2::OutField> with_lines(std::string_view lines,
                                                         std::vector<h2::OutField>& list) const;

 private:
  using Static = h2::OutField::Static;

  [[nodiscard]] static h2::OutField status_field(std::string_view digits) noexcept {
    return digits == "200" ? h2::OutField{":status", "200", Static::both}
                           : h2::OutField{":status", digits, Static::name};
  }

  static constexpr int kResetContent = 205;
  /// Status, Server, Date, Content-Type and Content-Length.
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
  // 205 needs a length of zero (RFC 9110, 15.3.6); 204 and 304 imply it.
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
    // Exchanged, because assigning an empty std::string does not free its memory.
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

// Complete responses.

void ResponseH2::send(Response& response) {
  // The request gets an HTTP response, so there is no tunnel any more.
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
    // It counts as held until all of it was sent: `serve_some` stops at the limit.
    hold(response.body().size());
  }
}

// A body uses its full memory until the last byte was sent.
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
    // Bytes that were sent already are skipped.
    response_.set_body(std::move(*owned));
    queue_.move_to(response_.body().substr(sent));
  } else if (auto owner = from.body_owner()) {
    response_.set_shared_body(std::move(owner), from.body());
  } else if (queue_.is_memory()) {
    // It refers to memory of the exchange, which will be reset, so copy the unsent rest.
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
  // The GOAWAY follows the headers of this response.
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

// Produced responses.

void ResponseH2::send_head(const Response& response, std::optional<std::uint64_t> length,
                           server::Follows follows) {
  const bool has_content = follows == server::Follows::content;
  tunnel_.reset();
  if (has_content) {
    queue_.begin_produced();
  }
  submit_head(response, length, has_content ? h2::Ends::with_content : h2::Ends::with_head);
  // The body is sent in this turn, together with other output.
  stream_.connection().want_turn();
}

std::size_t ResponseH2::put(std::string_view content) {
  stream_.connection().add_sender(stream_);
  Buffer& produced = queue_.produced();
  produced.append(content);
  stream_.connection().outgoing().note_held(content.size());
  return produced.size();
}

// Does not send at once: a stream that ends in the send would destroy the producer that calls this.
bool ResponseH2::flush() {
  stream_.connection().add_sender(stream_);
  is_stalled_ = true;
  return false;
}

void ResponseH2::note_sent_on() noexcept {
  is_stalled_ = queue_.waiting_bytes() != 0;
  // The producer continues only when nothing waits, or output would accumulate without limit.
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
}

void ResponseH2::cut() {
  stream_.connection().session().reset(stream_.id(), h2::ErrorCode::internal_error);
  stage_ = Stage::complete;
}

// Tunnels.

void ResponseH2::make_tunnel() {
  tunnel_ = std::make_unique<TunnelH2>(stream_.connection(), stream_, queue_);
}

void ResponseH2::upgrade(Response&) {
  if (tunnel_ != nullptr) {
    stage_ = Stage::tunnelling;
  } else {
    // Upgrade exists only in HTTP/1.1 (RFC 9113, section 8.6), and this client did not request a
    // tunnel.
    stream_.exchange()->refuse_by(kOfHttp1);
  }
}

void ResponseH2::begin_tunnel(Response& response) {
  // Open the queue before the protocol, which may write at once.
  queue_.begin_produced();
  response.set_status(kOk);
  submit_head(response, std::nullopt, h2::Ends::with_content);
  // For observers, the request ends when its protocol starts.
  stream_.report(StreamH2::Outcome::answered);
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
  // The client may still send after our end; its input is read for a while.
  if (tunnel_->is_end_sent()) {
    stream_.receiver().linger();
  }
}

// Calls from the session, within Session::send: no handler runs here.

h2::Ready ResponseH2::ready(std::size_t bytes_max) noexcept {
  uncork();
  return queue_.ready(bytes_max);
}

bool ResponseH2::put(char* to, std::size_t bytes) noexcept {
  // Count before copying: a file that fails resets the stream anyway.
  sent_bytes_ += bytes;
  stream_.connection().outgoing().note_sent(bytes);
  if (queue_.is_produced()) {
    stream_.connection().outgoing().note_taken(bytes);
  }
  const bool is_there = queue_.put(to, bytes);
  if (held_bytes_ != 0 && queue_.rest().empty()) {
    hold(0);  // all was sent, and the stream ends: other requests may be served in this turn
  }
  // Both only set an event or add to a list of the loop; the waiting code continues after the
  // session.
  if (is_stalled_) {
    note_sent_on();
  } else if (tunnel_ != nullptr && bytes != 0 && queue_.waiting_bytes() == 0) {
    tunnel_->note_sent();
  }
  return is_there;
}

// Deadlines.

bool ResponseH2::is_blocked() const noexcept {
  const h2::Session& session = stream_.connection().session();
  return session.send_window(stream_.id()) <= 0 || session.send_window() <= 0 ||
         stream_.connection().line().waiting_bytes() != 0;
}

// A client is not slow if it has a window but other streams are served first.
void ResponseH2::check(Instant now) {
  ConnectionH2& connection = stream_.connection();
  const server::LoopLimits& limits = connection.context().limits;
  // The rate is measured only while output waits because of the client.
  if (queue_.waiting_bytes() == 0 || !is_blocked()) {
    due_ = Instant::max();
    return;
  }
  if (due_ == Instant::max()) {
    progress_ = sent_bytes_;
    connection_progress_ = connection.outgoing().sent_bytes();
    due_ = now + limits.write;
  } else if (now >= due_) {
    // If the stream has a window, the connection is the bottleneck: then everything that it sends
    // counts.
    const bool is_window_empty = connection.session().send_window(stream_.id()) <= 0;
    const std::uint64_t sent = is_window_empty
                                   ? sent_bytes_ - progress_
                                   : connection.outgoing().sent_bytes() - connection_progress_;
    // The next check starts another interval.
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

// Calls from the exchange that are not about the response.

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
  stream_.finish_exchange();
  stream_.connection().want_turn();
}

std::string ResponseH2::address() const {
  return stream_.connection().line().address();
}

std::optional<TlsInfo> ResponseH2::tls() const {
  return stream_.connection().line().tls();
}

}  // namespace eider::detail::http2
