// Messages of other threads on their way to one loop's topics, bounded in bytes.
// Must not know subscriptions.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/server/ws_published.h"

namespace eider::detail::server {

class HubInbox {
 public:
  /// Beyond this publishers that can be held back are.
  static constexpr std::size_t kFullBytes = 8UL * 1024 * 1024;
  /// Beyond this messages are lost: their topics have a gap.
  static constexpr std::size_t kBytesMax = 2 * kFullBytes;

  struct Content {
    std::vector<SharedMessage> messages;
    std::vector<std::string> gaps;  // topics of which messages were lost
  };

  // From any thread.

  /// returns  whether there was nothing before: the loop is to be woken
  [[nodiscard]] bool put(const SharedMessage& message) {
    const std::lock_guard lock(mutex_);
    const bool was_empty = content_.messages.empty() && content_.gaps.empty();
    if (bytes_ + message->memory_bytes() <= kBytesMax || content_.messages.empty()) {
      bytes_ += message->memory_bytes();
      content_.messages.push_back(message);
    } else if (gaps_.emplace(message->topic()).second) {
      content_.gaps.emplace_back(message->topic());
    }
    return was_empty;
  }
  [[nodiscard]] bool is_full() const {
    const std::lock_guard lock(mutex_);
    return bytes_ > kFullBytes;
  }

  /// All of it. On the loop's thread.
  [[nodiscard]] Content take() {
    const std::lock_guard lock(mutex_);
    bytes_ = 0;
    gaps_.clear();
    return std::exchange(content_, {});
  }

 private:
  mutable std::mutex mutex_;
  Content content_;
  std::set<std::string, std::less<>> gaps_;
  std::size_t bytes_ = 0;
};

}  // namespace eider::detail::server
