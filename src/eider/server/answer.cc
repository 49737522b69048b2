#include "eider/server/detail/answer.h"

#include <string>

#include "eider/server/content.h"

namespace eider::detail {

namespace {

/// Pieces of this size are copied into the cork and sent while they are still in the cache.
constexpr std::size_t kPieceBytes = 128UL * 1024;

constexpr int kResetContent = 205;

// What the socket refuses has to be copied; what it takes is not kept.
void send_large_view(Stream& stream, std::string_view body) {
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, kPieceBytes);
    body.remove_prefix(piece.size());
    stream.output().append(piece);
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

// RFC 9110, 15.3.5 and 15.4.5: no content and no length. 15.3.6: a length of zero.
void write_bodiless(Stream& stream, h1::ResponseHead head) {
  head.framing = head.status == kResetContent ? h1::Framing::sized : h1::Framing::none;
  head.content_length = 0;
  head.content_type = {};
  h1::write_head(stream.output(), head);
}

}  // namespace

Sent write_unusual_answer(Stream& stream, Method method, Response& response,
                          h1::Persistence persistence, const h1::HeadStart& start) {
  const std::string_view body = response.body();
  const auto* file = dynamic_cast<const FileContent*>(response.content());
  const h1::ResponseHead head{.status = response.status(),
                              .framing = h1::Framing::sized,
                              .persistence = persistence,
                              .content_length = file == nullptr ? body.size() : file->bytes(),
                              .content_type = response.content_type(),
                              .start = &start,
                              .field_lines = response.field_lines()};
  if (is_bodiless(head.status)) {
    write_bodiless(stream, head);
    return Sent::corked;
  }
  h1::write_head(stream.output(), head);
  if (method == Method::head) {
    return Sent::corked;
  }
  if (file != nullptr) {
    send_file(stream, *file);
    return Sent::partly;
  }
  if (body.size() < kLargeBodyBytes) {
    stream.output().append(body);
    return Sent::corked;
  }
  send_large(stream, response);
  return Sent::partly;
}

}  // namespace eider::detail
