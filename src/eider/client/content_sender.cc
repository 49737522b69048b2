#include "eider/client/detail/content_sender.h"

#include "eider/http/h1/writer.h"
#include "eider/runtime/deadline.h"

namespace eider::detail {

namespace {

/// At once; then it waits until the socket has taken it.
constexpr std::size_t kSliceBytes = 64UL * 1024;

Task<> consent(H1Connection& connection) {
  co_await connection.until(News::may_send);
}

}  // namespace

Task<> ContentSender::wait_for_consent(Duration limit) {
  connection_.flush();
  auto waiting = with_deadline(consent(connection_), limit);
  co_await std::move(waiting);
}

Task<ContentSent> ContentSender::send() {
  return parts_.content_kind == ContentKind::produced ? send_produced() : send_bytes();
}

Task<ContentSent> ContentSender::send_bytes() {
  std::string_view rest = parts_.content;
  while (!rest.empty()) {
    if (!may_go_on()) {
      co_return ContentSent::cut;
    }
    const std::string_view slice = rest.substr(0, kSliceBytes);
    rest.remove_prefix(slice.size());
    connection_.output().append(slice);
    if (slice.size() == kSliceBytes) {
      connection_.flush();
      co_await connection_.until(News::room);
    }
  }
  co_return ContentSent::all;
}

Task<ContentSent> ContentSender::send_produced() {
  std::uint64_t bytes = 0;
  for (;;) {
    auto producing = parts_.producer();
    const std::string piece = co_await std::move(producing);
    if (!may_go_on()) {
      co_return ContentSent::cut;
    }
    bytes += piece.size();
    if (piece.empty() || bytes > parts_.content_length.value_or(bytes)) {
      co_return end_produced(bytes);
    }
    auto putting = put(piece);
    co_await std::move(putting);
  }
}

Task<> ContentSender::put(std::string_view piece) {
  if (is_chunked()) {
    h1::write_chunk(connection_.output(), piece);
  } else {
    connection_.output().append(piece);
  }
  connection_.flush();
  co_await connection_.until(News::room);
}

ContentSent ContentSender::end_produced(std::uint64_t bytes) {
  if (is_chunked()) {
    connection_.output().append(h1::kLastChunk);
    return ContentSent::all;
  }
  return bytes == *parts_.content_length ? ContentSent::all : ContentSent::wrong_length;
}

}  // namespace eider::detail
