#include "eider/client/h2_stream.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/digits.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::client {

namespace {

using h2::OutField;

/// The maximum of sent bytes at the front of the buffer.
constexpr std::size_t kSentBytesMax = 64UL * 1024;
constexpr std::string_view kGone = "The server is shutting down and did not process the request.";

/// RFC 9113, section 8.3.1.
void append_place(std::vector<OutField>& fields, const OutHead& head) {
  using enum OutField::Static;
  fields.push_back({":scheme", head.scheme, both});
  fields.push_back({":authority", head.authority, name});
  fields.push_back({":path", head.target, name});
}

void append_head(std::vector<OutField>& fields, const OutHead& head) {
  using enum OutField::Static;
  fields.push_back({":method", to_text(head.method), both});
  append_place(fields, head);
  h2::append_lines(fields, head.lines);
  if (head.takes_trailers) {
    fields.push_back({"te", "trailers", both});
  }
  if (head.expects_continue) {
    fields.push_back({"expect", "100-continue", both});
  }
}

std::string reset_text(h2::ErrorCode code) {
  return "The server aborted its response (RST_STREAM, code " +
         std::to_string(static_cast<std::uint32_t>(code)) + ").";
}

/// Returns the length of the body: 0 after HEAD, regardless of Content-Length.
std::optional<std::uint64_t> length_of(const h2::ReplyHead& head) noexcept {
  return head.ends == h2::Ends::with_head ? std::optional<std::uint64_t>(0) : head.content_length;
}

}  // namespace

H2Stream::H2Stream(H2Connection& of)
    : ClientExchange(of.line_->stream().loop()), connection_(of), begun_(loop().now()) {}

H2Stream::~H2Stream() {
  connection_.leave(*this);
  if (is_open()) {
    reset(is_done() ? h2::ErrorCode::no_error : h2::ErrorCode::cancel);
  }
}

// Request.

void H2Stream::send_head(const OutHead& head) {
  if (!begin_request()) {
    return;
  }
  const auto length = head.announced_length();
  const Digits digits(length.value_or(0));
  std::vector<OutField>& fields = connection_.fields_;
  append_head(fields, head);
  if (length) {
    fields.push_back({"content-length", digits.view(), OutField::Static::name});
  }
  const bool has_content = head.content != OutContent::none && length != 0U;
  submit(has_content ? h2::Ends::with_content : h2::Ends::with_head);
}

void H2Stream::ask_for(std::string_view protocol, const OutHead& head) {
  using enum OutField::Static;
  if (!begin_request()) {
    return;
  }
  std::vector<OutField>& fields = connection_.fields_;
  fields.push_back({":method", "CONNECT", name});
  fields.push_back({":protocol", protocol, name});
  append_place(fields, head);
  h2::append_lines(fields, head.lines);
  submit(h2::Ends::with_content);
}

bool H2Stream::begin_request() {
  --connection_.unbegun_;
  has_begun_ = true;
  // The server may have disconnected since the stream was created.
  if (connection_.session_.room() == 0 || !connection_.is_of_use()) {
    fail_unprocessed(Processed::no, kGone);
    return false;
  }
  connection_.fields_.clear();
  return true;
}

void H2Stream::submit(h2::Ends ends) {
  id_ = connection_.session_.request(*this, connection_.fields_, ends);
  ++connection_.requests_;
  begun_ = loop().now();
  connection_.watch_silence();
  connection_.pump();
}

void H2Stream::send_content(std::string_view piece, Piece which) {
  if (!is_open()) {
    return;
  }
  if (content_sent_ >= kSentBytesMax) {  // otherwise a buffer that is never empty would grow
    content_.consume(std::exchange(content_sent_, 0));
  }
  content_.append(piece);
  is_content_whole_ = which == Piece::last;
  // The session reads the body within `pump`.
  connection_.session_.resume(id_);
  connection_.pump();
}

void H2Stream::end_content(std::string_view trailer_lines) {
  trailers_ = trailer_lines;
  send_content({}, Piece::last);
}

void H2Stream::flush() {
  if (connection_.line_->stream().is_open()) {
    connection_.line_->stream().flush();
  }
}

h2::Ready H2Stream::ready(std::size_t bytes_max) noexcept {
  const std::size_t bytes = std::min(bytes_max, waiting().size());
  return {.bytes = bytes, .is_last = is_content_whole_ && bytes == waiting().size()};
}

void H2Stream::put(char* to, std::size_t bytes) noexcept {
  content_sent_ += waiting().copy(to, bytes);
  if (waiting().empty()) {
    forget(content_);
    content_sent_ = 0;
    tell();
  }
}

// Response.

void H2Stream::on_interim(const h2::ReplyHead& head) {
  note_heard();
  take_interim({2, 0}, head.status, head.fields);
}

void H2Stream::on_head(const h2::ReplyHead& head) {
  note_heard();
  take_head({2, 0}, head.status, head.fields, head.bytes, length_of(head));
}

void H2Stream::on_data(std::string_view bytes) {
  // Evaluate this first: taking the data may fail the exchange.
  const bool is_whole = terms().gathering == Gathering::whole;
  if (phase() == Phase::body) {
    take_data(bytes);
  }
  // Credit a collected body at once; pieces are credited when they are taken.
  if (is_whole && is_open()) {
    connection_.session_.consume(id_, bytes.size());
  }
}

void H2Stream::on_taken(std::size_t bytes) {
  if (is_open() && bytes != 0) {
    connection_.session_.consume(id_, bytes);
    connection_.pump();
  }
}

void H2Stream::on_end(std::string_view trailer_lines) {
  if (phase() == Phase::body) {
    end_response(trailer_lines);
  }
}

void H2Stream::on_closed(const h2::StreamEnd& end) {
  // The session has removed the stream, so it must not be reset from here on.
  id_ = 0;
  if (phase() != Phase::head && phase() != Phase::body) {
    return;
  }
  connection_.declines_h2_ |= end.code == h2::ErrorCode::http_1_1_required;
  switch (end.fate) {
    case h2::StreamFate::whole:
      return lose("The server ended the stream without a response.");
    case h2::StreamFate::reset:
      return end.code == h2::ErrorCode::http_1_1_required
                 ? fail_unprocessed(Processed::no, "The server requires HTTP/1.1.")
                 : lose(reset_text(end.code));
    case h2::StreamFate::refused:
      return fail_unprocessed(Processed::refused, "The server is overloaded (REFUSED_STREAM).");
    case h2::StreamFate::unseen:
      return fail_unprocessed(Processed::no, kGone);
    case h2::StreamFate::malformed:
      return fail_with(ClientFault::bad_response, end.text);
    case h2::StreamFate::too_large:
      return fail_with(ClientFault::too_large, end.text);
  }
}

void H2Stream::on_lost(ClientFault fault, std::string_view text) {
  id_ = 0;
  if (phase() == Phase::head || phase() == Phase::body) {
    fail_with(fault, text);
  }
}

// The end.

void H2Stream::reset(h2::ErrorCode why) noexcept {
  connection_.session_.reset(std::exchange(id_, 0), why);
  connection_.pump();
}

void H2Stream::drop(ClientFault why) noexcept {
  if (why == ClientFault::timed_out) {
    // A server that is late and silent gets no more requests on this connection.
    connection_.note_late(begun_);
  }
  if (is_open()) {
    reset(h2::ErrorCode::cancel);
  }
}

}  // namespace eider::detail::client
