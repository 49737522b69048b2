#include "eider/client/detail/content_sender.h"

#include "eider/runtime/deadline.h"

namespace eider::detail {

namespace {

/// At once; then it waits until the socket has taken it.
constexpr std::size_t kSliceBytes = 64UL * 1024;

Task<> consent(ClientExchange& exchange) {
  co_await exchange.until(News::may_send);
}

}  // namespace

Task<> ContentSender::wait_for_consent(Duration limit) {
  exchange_.flush();
  auto waiting = with_deadline(consent(exchange_), limit);
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
    exchange_.send_content(slice, rest.empty() ? Piece::last : Piece::inner);
    if (slice.size() == kSliceBytes) {
      exchange_.flush();
      co_await exchange_.until(News::room);
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
    if (bytes > parts_.content_length.value_or(bytes)) {
      co_return ContentSent::wrong_length;
    }
    if (piece.empty()) {
      co_return end_produced(bytes);
    }
    exchange_.send_content(piece, Piece::inner);
    exchange_.flush();
    co_await exchange_.until(News::room);
  }
}

ContentSent ContentSender::end_produced(std::uint64_t bytes) {
  if (bytes != parts_.content_length.value_or(bytes)) {
    return ContentSent::wrong_length;
  }
  exchange_.send_content({}, Piece::last);
  return ContentSent::all;
}

}  // namespace eider::detail
