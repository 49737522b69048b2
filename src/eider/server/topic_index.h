// The event loops with subscribers of each topic, shared by the hubs of an app.
// Layering: must not be used for a message from an event loop to itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/server/ws_published.h"

namespace eider {

class Loop;

namespace detail::server {

class WsHub;

struct TopicHash {
  using is_transparent = void;
  [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept {
    return std::hash<std::string_view>()(name);
  }
};
/// By name, found without creating a std::string; elements do not move.
template <class T>
using TopicMap = std::unordered_map<std::string, T, TopicHash, std::equal_to<>>;

class TopicIndex {
 public:
  struct Entry {
    std::vector<WsHub*> hubs;  // each with at least one subscriber
    std::atomic<std::size_t> subscribers{0};
  };

  TopicIndex();
  ~TopicIndex();
  TopicIndex(const TopicIndex&) = delete;
  TopicIndex& operator=(const TopicIndex&) = delete;

  /// Returns the loop's hub, which is created at the first call.
  [[nodiscard]] WsHub& hub(Loop& loop);

  /// Registers the hub with its first subscriber of this topic. The entry exists until `leave`.
  [[nodiscard]] Entry& join(std::string_view topic, WsHub& hub);
  /// Removes the hub after its last subscriber.
  void leave(std::string_view topic, WsHub& hub) noexcept;

  /// Posts the message to all hubs with subscribers of its topic except `except`, which may be
  /// null.
  ///
  /// returns  false if the inbox of one of them is full
  bool post(const SharedMessage& message, const WsHub* except);
  /// Returns whether the inbox of one of the hubs is full.
  [[nodiscard]] bool is_full() const;

  [[nodiscard]] std::size_t subscribers(std::string_view topic) const;
  [[nodiscard]] std::size_t size() const;

  std::shared_ptr<LogSink> log;  // both set before the first connection
  CarryTopic carry;
  std::weak_ptr<const void> carrier;

 private:
  mutable std::mutex mutex_;
  TopicMap<Entry> topics_;
  std::vector<std::unique_ptr<WsHub>> hubs_;
};

}  // namespace detail::server
}  // namespace eider
