// The topics that WebSockets and event streams subscribe to, over all loops.
// Must not keep messages: what is not subscribed when one is published does not get it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/shared_log.h"
#include "eider/io/ws/websocket.h"

namespace eider {

class Loop;

namespace detail::server {
class WsHub;
class TopicIndex;
struct WsTopic;
}  // namespace detail::server

/// What an event stream tells of a message beside its text. WebSockets have no place for it.
struct TopicEvent {
  /// Which kind; the client takes an empty one for "message". No line end in it.
  std::string_view name{};
  /// What the client names when it reconnects. No line end and no NUL in it.
  std::string_view id{};
};

/// What carries messages to other processes. From any thread; must not wait, nor publish.
using CarryTopic =
    std::function<void(std::string_view topic, const WsMessage& message, const TopicEvent& event)>;

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

  /// To all that are subscribed now. Event streams are told what is text, and nothing of binary
  /// messages. Throws std::invalid_argument for a name or an id that an event cannot have.
  void publish(std::string_view topic, std::string_view text, const TopicEvent& event = {}) {
    publish(topic, WsMessage{ws::MessageType::text, text}, event);
  }
  void publish(std::string_view topic, const WsMessage& message, const TopicEvent& event = {});
  /// The same of a message that comes from another process: it is not carried.
  void publish_here(std::string_view topic, const WsMessage& message, const TopicEvent& event = {});

  /// Told of all that is published in this process, by WebSockets too (relay/topic_relay.h). Throws
  /// std::logic_error where somebody else is, who is still there. Pre: no connection is open.
  ///
  /// who  is there for as long as what this refers to
  void carry_by(CarryTopic carry, std::weak_ptr<const void> who);

  /// How many connections and event streams are subscribed, on all loops.
  [[nodiscard]] std::size_t subscribers(std::string_view topic) const;
  /// How many topics have a subscriber.
  [[nodiscard]] std::size_t size() const;

  /// Where handlers that throw are told of; null for nowhere. Pre: no connection is open.
  void log_to(std::shared_ptr<LogSink> sink);

  /// What listens on this loop is over, and so is what begins to, until `begin`. On its thread.
  void drain(Loop& loop);
  void begin(Loop& loop);
  /// Handlers on this loop that go on behind the end of their connection. On its thread.
  [[nodiscard]] std::size_t unfinished(Loop& loop);
  /// The part of this that belongs to one loop. For the server.
  [[nodiscard]] detail::server::WsHub& hub(Loop& loop);

 private:
  std::unique_ptr<detail::server::TopicIndex> index_;
};

/// Hears what is published as the text of an event stream, on the loop that runs when it is made.
/// All of it belongs to that loop's thread.
class TopicListener {
 public:
  /// topics  outlives it
  explicit TopicListener(Topics& topics);
  virtual ~TopicListener();
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;

  /// From now on; once, however often it is called.
  void listen(std::string_view topic);

 protected:
  /// One event as it is written (http/sse.h), valid during the call. Must not publish, nor listen.
  virtual void on_published(std::string_view event) = 0;
  /// For on_published: the same event in memory that all listeners of its topic share.
  [[nodiscard]] detail::base::SharedBytes shared_event();
  /// Something that was published was lost: this loop did not keep up with the others.
  virtual void on_gap() {}
  /// The server ends, and nothing more is heard; perhaps told again.
  virtual void on_over() = 0;

 private:
  friend class detail::server::WsHub;

  detail::server::WsHub& hub_;
  std::vector<detail::server::WsTopic*> topics_;
};

}  // namespace eider
