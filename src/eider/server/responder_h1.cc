#include "eider/server/responder_h1.h"

#include <string>

#include "eider/protocols/http/status.h"

namespace eider::detail::server {

namespace {

/// Pieces of this size are copied into the cork and sent while they are still in the cache.
constexpr std::size_t kPieceBytes = 128UL * 1024;

// What the socket refuses has to be copied; what it takes is not kept.
void send_large_view(Stream& stream, std::string_view body) {
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, kPieceBytes);
    body.remove_prefix(piece.size());
    stream.output().append(piece);
    // The socket refuses for now: the rest is copied once instead of piece by piece.
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

Sent ResponderH1::send_any(Method method, Response& response, h1::Persistence persistence) {
  const std::string_view body = response.body();
  const FileContent* const file = content_as<FileContent>(response);
  const h1::ResponseHead head{.status = response.status(),
                              .framing = h1::Framing::sized,
                              .persistence = persistence,
                              .content_length = file == nullptr ? body.size() : file->bytes(),
                              .content_type = response.content_type(),
                              .field_lines = response.field_lines()};
  if (is_bodiless(head.status)) {
    send_bodiless(head);
    return Sent::corked;
  }
  send_head(head);
  if (method == Method::head) {
    return Sent::corked;
  }
  if (file != nullptr) {
    send_file(stream_, *file);
    return Sent::partly;
  }
  if (body.size() < kLargeBodyBytes) {
    stream_.output().append(body);
    return Sent::corked;
  }
  send_large(stream_, response);
  return Sent::partly;
}

// Files and bodies that are kept anyway take no memory of their own while they wait.
void ResponderH1::note_large(const Plan& plan, const Response& response) {
  const bool is_shared = response.body_owner() != nullptr;
  const bool is_kept_anyway = content_as<FileContent>(response) != nullptr ||
                              (is_shared && own_shared_bytes(response, 1) == 0);
  if (plan.endpoint != nullptr && stream_.waiting_bytes() != 0 && !is_kept_anyway) {
    context_.large_endpoints.insert(plan.endpoint);
  }
}

void ResponderH1::send_bodiless(h1::ResponseHead head) {
  head.framing = bodiless_framing(head.status);
  head.content_length = 0;
  head.content_type = {};
  send_head(head);
}

void ResponderH1::refuse(const RequestRefusal& refusal, const Plan& plan, Request& request,
                         Response& response) {
  refuse_request(context_.service, refusal, plan, request, response);
  (void)send_any(request.method(), response, h1::Persistence::close);
}

void ResponderH1::send_head(h1::ResponseHead head) {
  head.start = &start();
  h1::write_head(stream_.output(), head);
}

void ResponderH1::send_interim(const RequestHead& head, int status, std::string_view field_lines) {
  // RFC 9110, 15.2: a client of HTTP/1.0 is sent no interim response, which it would take for the
  // answer.
  if (head.minor_version == 0) {
    return;
  }
  std::string text("HTTP/1.1 ");
  text.append(std::to_string(status)).append(" ").append(reason_phrase(status)).append("\r\n");
  text.append(field_lines).append("\r\n");
  stream_.output().append(text);
}

}  // namespace eider::detail::server
