// Topics: publish and subscribe for WebSockets and event streams, over all event loops.
// Layering: must not store messages: only existing subscribers receive them.
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

/// The name and ID of a message in an event stream. WebSockets do not have them.
struct TopicEvent {
  /// The type of the event; clients treat an empty name as "message". Must not contain a line
  /// break.
  std::string_view name{};
  /// The ID that the client sends when it reconnects. Must not contain a line break or NUL.
  std::string_view id{};
};

/// Sends messages to other processes. Called on any thread; must not wait or publish.
using CarryTopic =
    std::function<void(std::string_view topic, const WsMessage& message, const TopicEvent& event)>;

/// The topics of one application. Thread-safe.
///
/// Messages that one thread publishes arrive in order, each at most once per connection. A message
/// is sent in the turn of the event loop in which it is published, or reaches another event loop.
///
/// Pre: outlives the server's connections. The event loops may end earlier.
class Topics {
 public:
  Topics();
  ~Topics();
  Topics(Topics&& other) noexcept;
  Topics& operator=(Topics&& other) noexcept;

  /// Publishes a message to all current subscribers. Event streams get text messages only. Throws
  /// std::invalid_argument for an invalid name or ID of an event.
  void publish(std::string_view topic, std::string_view text, const TopicEvent& event = {}) {
    publish(topic, WsMessage{ws::MessageType::text, text}, event);
  }
  void publish(std::string_view topic, const WsMessage& message, const TopicEvent& event = {});
  /// Publishes a message from another process: it is not sent to other processes.
  void publish_here(std::string_view topic, const WsMessage& message, const TopicEvent& event = {});

  /// Sets the function that sends all messages of this process, including those of WebSockets, to
  /// other processes (backplane/topic_backplane.h). Throws std::logic_error if there is such a
  /// function already. Pre: no connection is open.
  ///
  /// who  exists as long as the objects that `carry` refers to
  void carry_by(CarryTopic carry, std::weak_ptr<const void> who);

  /// Returns the number of subscribed connections and event streams, on all event loops.
  [[nodiscard]] std::size_t subscribers(std::string_view topic) const;
  /// Returns the number of topics with subscribers.
  [[nodiscard]] std::size_t size() const;

  /// Sets the log for exceptions of handlers; null for none. Pre: no connection is open.
  void log_to(std::shared_ptr<LogSink> sink);

  /// Ends all subscriptions of this event loop, and later ones, until `begin`. Pre: on its thread.
  void drain(Loop& loop);
  void begin(Loop& loop);
  /// Returns the number of handlers on this event loop that continue after the end of their
  /// connection. Pre: on its thread.
  [[nodiscard]] std::size_t unfinished(Loop& loop);
  /// Returns the part of this that belongs to one loop. For the server.
  [[nodiscard]] detail::server::WsHub& hub(Loop& loop);

 private:
  std::unique_ptr<detail::server::TopicIndex> index_;
};

/// Receives published messages as the text of an event stream, on the event loop that creates it.
/// All of it belongs to that loop's thread.
class TopicListener {
 public:
  /// topics  must outlive this
  explicit TopicListener(Topics& topics);
  virtual ~TopicListener();
  TopicListener(const TopicListener&) = delete;
  TopicListener& operator=(const TopicListener&) = delete;

  /// Subscribes to a topic, once, however often it is called.
  void listen(std::string_view topic);

 protected:
  /// Called with one event as it is sent (http/sse.h), valid during the call. Must not publish or
  /// subscribe.
  virtual void on_published(std::string_view event) = 0;
  /// For on_published: the same event in memory that all listeners of its topic share.
  [[nodiscard]] detail::base::SharedBytes shared_event();
  /// Called if messages were lost, because this event loop did not keep up with the others.
  virtual void on_gap() {}
  /// Called when the server stops; no more messages follow. May be called twice.
  virtual void on_over() = 0;

 private:
  friend class detail::server::WsHub;

  detail::server::WsHub& hub_;
  std::vector<detail::server::WsTopic*> topics_;
};

}  // namespace eider
