#include "eider/client/h1_connection.h"

#include <string>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/h1/writer.h"

namespace eider::detail::client {

namespace {

using h1::ChunkedStatus;
using h1::HeadStatus;

/// Returns whether the flaw is an exceeded limit.
bool is_size(h1::ResponseFlaw flaw) noexcept {
  using enum h1::ResponseFlaw;
  return flaw == head_too_large || flaw == too_many_fields || flaw == content_length_too_large ||
         flaw == chunk_extension_too_large || flaw == trailers_too_large;
}

ClientFault fault_of(h1::ResponseFlaw flaw) noexcept {
  return is_size(flaw) ? ClientFault::too_large : ClientFault::bad_response;
}

/// Returns the length of the body, if known.
std::optional<std::uint64_t> length_of(const h1::ReplyHead& head) noexcept {
  switch (head.body) {
    case h1::ReplyBody::none:
    case h1::ReplyBody::sized:
      return head.content_length;
    case h1::ReplyBody::chunked:
    case h1::ReplyBody::until_close:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

H1Connection::H1Connection(h1::ResponseReader& reader, std::unique_ptr<TcpStream> line)
    : ClientExchange(line->stream().loop()), line_(std::move(line)), reader_(reader) {
  line_->hand_over(*this);
}

H1Connection::~H1Connection() = default;

void H1Connection::on_begin() {
  ensure(is_idle(), "a request on a connection that is not idle");
  forget(pending_);
  search_.reset();
}

void H1Connection::finish() noexcept {
  forget_response();
  // Reuse the connection only if request and response are complete, and no other bytes have
  // arrived.
  if (is_done() && keeps_alive_ && !is_spoilt_ && !owes_content_ && stream().is_open()) {
    set_phase(Phase::idle);
    // Reading may have been paused for the last response.
    stream().resume_reading();
  } else {
    stream().close();
  }
}

// Request.

void H1Connection::send_head(const OutHead& head) {
  is_chunked_ = head.content == OutContent::streamed;
  owes_content_ = head.content != OutContent::none && head.announced_length() != 0U;
  write_head(stream().output(), head);
}

void H1Connection::send_content(std::string_view piece, Piece which) {
  if (!stream().is_open()) {
    return;
  }
  if (!is_chunked_) {
    stream().output().append(piece);
  } else if (!piece.empty()) {
    h1::write_chunk(stream().output(), piece);
  }
  if (which == Piece::last) {
    end_content({});
  }
}

void H1Connection::end_content(std::string_view trailer_lines) {
  if (!stream().is_open()) {
    return;
  }
  owes_content_ = false;
  if (is_chunked_) {
    Buffer& out = stream().output();
    out.append("0\r\n");
    out.append(trailer_lines);
    out.append("\r\n");
  }
}

void H1Connection::flush() {
  if (stream().is_open()) {
    stream().flush();
  }
}

// Events of the stream.

void H1Connection::on_bytes(std::string_view bytes) {
  if (phase() == Phase::idle) {  // an unsolicited response could be an attack on the next request
    stream().close();
    return;
  }
  if (phase() == Phase::done) {
    // Bytes after the response make the connection unusable, but not the response.
    is_spoilt_ = true;
    return;
  }
  note_heard();
  if (phase() == Phase::head) {
    bytes = read_heads(bytes);
  }
  if (phase() == Phase::body) {
    read_body(bytes);
  }
}

void H1Connection::on_end() {
  // In every phase, the connection cannot be used again.
  is_spoilt_ = true;
  switch (phase()) {
    case Phase::idle:
      stream().close();
      return;
    case Phase::head:
      return lose(has_heard() ? "The server closed the connection within the response headers."
                              : "The server closed the connection without a response.");
    case Phase::body:
      return body_.may_end()
                 ? end_response({})
                 : lose("The server closed the connection before the response was complete.");
    case Phase::done:
    case Phase::failed:
      return;
  }
}

void H1Connection::on_broken(NetError error) {
  is_spoilt_ = true;
  if (phase() == Phase::head || phase() == Phase::body) {
    lose(std::string("The connection was lost: ").append(text(error)).append("."));
  }
}

// Response headers.

/// Reads response headers up to the final ones.
///
/// returns  the bytes after them, valid until the next `begin`
std::string_view H1Connection::read_heads(std::string_view in) {
  if (!pending_.empty()) {
    pending_.append(in);
    in = pending_.view();
    if (!search_.is_worth_reading(in, {.head_bytes_max = terms().head.head_bytes_max})) {
      return {};
    }
  }
  while (phase() == Phase::head) {
    switch (reader_.read(in, terms().asked, terms().head)) {
      case HeadStatus::need_more:
        keep_pending(in);
        return {};
      case HeadStatus::refused:
        fail_with(fault_of(reader_.flaw()), h1::flaw_info(reader_.flaw()).text);
        return {};
      case HeadStatus::complete:
        in.remove_prefix(reader_.head_bytes());
        // Use these headers before reading the next ones, because the fields belong to the reader.
        read_head(reader_.head());
    }
  }
  return in;
}

/// rest  the incomplete headers; a view of pending_, unless that is empty
void H1Connection::keep_pending(std::string_view rest) {
  if (pending_.empty()) {
    pending_.append(rest);
  } else {
    pending_.consume(pending_.size() - rest.size());
  }
  search_.reset();
  static_cast<void>(
      search_.is_worth_reading(pending_.view(), {.head_bytes_max = terms().head.head_bytes_max}));
}

void H1Connection::read_head(const h1::ReplyHead& head) {
  if (head.is_interim()) {
    return take_interim({1, head.minor_version}, head.status, head.fields);
  }
  if (head.status == 101) {
    return fail_with(ClientFault::bad_response,
                     "The server switched to a protocol that was not requested.");
  }
  keeps_alive_ = head.keeps_alive;
  // Set up the body reader before passing on the headers, which may fail the exchange.
  body_ = h1::ResponseBodyReader(head);
  take_head({1, head.minor_version}, head.status, head.fields, head.bytes, length_of(head));
}

// Response body.

void H1Connection::read_body(std::string_view in) {
  while (phase() == Phase::body) {
    const h1::ReplyStep step = body_.read(in);
    in.remove_prefix(step.consumed);
    switch (step.status) {
      case ChunkedStatus::need_more:
        return;
      case ChunkedStatus::data:
        take_data(step.data);
        break;
      case ChunkedStatus::done:
        is_spoilt_ |= !in.empty();  // bytes after a response do not belong to any request
        return end_response(body_.trailer_lines());
      case ChunkedStatus::refused:
        return fail_with(fault_of(body_.flaw()), h1::flaw_info(body_.flaw()).text);
    }
  }
}

void H1Connection::on_ahead(std::size_t bytes) {
  if (bytes >= kAheadBytesMax) {
    stream().pause_reading();
  }
}

void H1Connection::on_taken(std::size_t) {
  if (stream().is_open()) {
    stream().resume_reading();
  }
}

void H1Connection::drop(ClientFault) noexcept {
  stream().close();
}

}  // namespace eider::detail::client
