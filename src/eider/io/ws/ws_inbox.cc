#include "eider/io/ws/ws_inbox.h"

#include <cstring>

namespace eider::ws::detail {

namespace {

/// A larger buffer is freed when it becomes empty.
constexpr std::size_t kKeptMessageBytesMax = 32UL * 1024;

}  // namespace

void WsInbox::add(const WsMessage& message) {
  // The mark precedes its bytes in the same buffer.
  const Mark mark{message.bytes.size(), message.type};
  char* at = arriving_.reserve(sizeof(mark) + message.bytes.size());
  std::memcpy(at, &mark, sizeof(mark));
  arriving_.commit(sizeof(mark));
  arriving_.append(message.bytes);
  ++messages_;
  bytes_ += message.bytes.size();
}

std::optional<WsMessage> WsInbox::take() {
  if (messages_ == 0) {
    return std::nullopt;
  }
  // The last message is no longer viewed when the next is taken.
  if (at_ == taken_.size()) {
    taken_.reset(kKeptMessageBytesMax);
    taken_.swap(arriving_);
    at_ = 0;
  }
  Mark mark{};
  std::memcpy(&mark, taken_.data() + at_, sizeof(mark));
  at_ += sizeof(mark);
  const WsMessage message{mark.type, taken_.view().substr(at_, mark.bytes)};
  at_ += mark.bytes;
  --messages_;
  bytes_ -= mark.bytes;
  return message;
}

void WsInbox::clear() noexcept {
  taken_.reset(kKeptMessageBytesMax);
  arriving_.reset(kKeptMessageBytesMax);
  at_ = 0;
  messages_ = 0;
  bytes_ = 0;
}

}  // namespace eider::ws::detail
