#include <string>

#include "eider/protocols/http/status.h"
#include "eider/server/connection.h"
#include "eider/server/h1.h"

namespace eider::detail::server {

namespace {

/// Pieces of this size are copied into the cork and sent while they are still in the CPU cache.
constexpr std::size_t kPieceBytes = 128UL * 1024;

// Only the part that the socket does not accept is copied.
void send_large_view(Stream& stream, std::string_view body) {
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, kPieceBytes);
    body.remove_prefix(piece.size());
    stream.output().append(piece);
    // The socket is full: copy the rest once, instead of piece by piece.
    if (!stream.flush()) {
      break;
    }
  }
  if (!body.empty()) {
    stream.send_owned(std::string(body));
  }
}

void send_large(Stream& stream, Response& response) {
  if (std::string* owned = response.owned_body(); owned != nullptr) {
    stream.send_owned(std::move(*owned));
  } else if (auto owner = response.body_owner()) {
    stream.send_shared(std::move(owner), response.body(), own_shared_bytes(response, 1));
  } else {
    send_large_view(stream, response.body());
  }
}

void send_file(Stream& stream, const FileContent& content) {
  for (const FileContent::Piece& piece : content.pieces()) {
    stream.output().append(piece.before);
    stream.send_file(content.file(), piece.offset, piece.bytes);
  }
  stream.output().append(content.tail());
}

}  // namespace

std::uint64_t content_bytes(Method method, const Response& response) noexcept {
  if (method == Method::head || is_bodiless(response.status())) {
    return 0;
  }
  const FileContent* const file = content_as<FileContent>(response);
  return file == nullptr ? response.body().size() : file->bytes();
}

Sent H1::send_any(const RequestPlan& plan, Method method, Response& response, h1::Persistence how) {
  const std::string_view body = response.body();
  const FileContent* const file = content_as<FileContent>(response);
  h1::ResponseHead head{.status = response.status(),
                        .framing = h1::Framing::sized,
                        .persistence = how,
                        .content_length = file == nullptr ? body.size() : file->bytes(),
                        .content_type = response.content_type(),
                        .field_lines = response.field_lines()};
  if (is_bodiless(head.status)) {
    head.framing = bodiless_framing(head.status);
    head.content_length = 0;
    head.content_type = {};
  }
  send_head(head);
  if (is_bodiless(head.status) || method == Method::head) {
    return Sent::corked;
  }
  if (file == nullptr && body.size() < kLargeBodyBytes) {
    stream().output().append(body);
    return Sent::corked;
  }
  if (file != nullptr) {
    send_file(stream(), *file);
  } else {
    send_large(stream(), response);
  }
  note_large(plan, response);
  return Sent::partly;
}

// Remembers that this handler's responses are large and have to wait for their clients. Files, and
// bodies that other owners keep, use no additional memory while they wait.
void H1::note_large(const RequestPlan& plan, const Response& response) {
  const bool is_shared = response.body_owner() != nullptr;
  const bool is_kept_anyway = content_as<FileContent>(response) != nullptr ||
                              (is_shared && own_shared_bytes(response, 1) == 0);
  if (plan.endpoint != nullptr && stream().waiting_bytes() != 0 && !is_kept_anyway) {
    context().large_endpoints.insert(plan.endpoint);
  }
}

void H1::send_head(h1::ResponseHead head) {
  head.start = &head_start();
  h1::write_head(stream().output(), head);
}

void H1::send_interim(const RequestHead& head, int status, std::string_view field_lines) {
  // RFC 9110, 15.2: an HTTP/1.0 client must not get an interim response, because it would take it
  // for the final one.
  if (head.minor_version == 0) {
    return;
  }
  std::string text("HTTP/1.1 ");
  text.append(std::to_string(status)).append(" ").append(reason_phrase(status)).append("\r\n");
  text.append(field_lines).append("\r\n");
  stream().output().append(text);
}

}  // namespace eider::detail::server
