// Who hears what: the topics that an application's WebSockets subscribe to, over all its loops.
// Must not keep messages: who is not subscribed when one is published does not get it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "eider/base/log.h"
#include "eider/server/websocket.h"

namespace eider {

class Loop;

namespace detail {
class WsHub;
class TopicIndex;
}  // namespace detail

/// One for each application. May be called from any thread.
///
/// Messages that one thread publishes arrive in their order, each at most once per connection. A
/// message leaves in the turn of the loop in which it is published, or reaches another loop.
///
/// Pre: outlives the server's connections. The loops may be gone before it.
class Topics {
 public:
  Topics();
  ~Topics();
  Topics(Topics&& other) noexcept;
  Topics& operator=(Topics&& other) noexcept;

  /// To all who are subscribed now.
  void publish(std::string_view topic, std::string_view text) {
    publish(topic, {ws::MessageType::text, text});
  }
  void publish(std::string_view topic, const WsMessage& message);

  /// How many connections are subscribed, on all loops.
  [[nodiscard]] std::size_t subscribers(std::string_view topic) const;
  /// How many topics have a subscriber.
  [[nodiscard]] std::size_t size() const;

  /// Where handlers that throw are told of; null for nowhere. Pre: no connection is open.
  void log_to(std::shared_ptr<LogSink> sink);

  /// Handlers on this loop that go on behind the end of their connection. On its thread.
  [[nodiscard]] std::size_t unfinished(Loop& loop);
  /// The part of this that belongs to one loop. For the server.
  [[nodiscard]] detail::WsHub& hub(Loop& loop);

 private:
  std::unique_ptr<detail::TopicIndex> index_;
};

}  // namespace eider
