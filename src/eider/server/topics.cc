#include "eider/server/topics.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/io/runtime/loop.h"
#include "eider/io/ws/ws_session.h"
#include "eider/protocols/http/sse.h"
#include "eider/protocols/http/ws/message_writer.h"
#include "eider/server/topic_index.h"
#include "eider/server/ws_hub.h"

namespace eider {

namespace detail::server {

Published::Published(std::string_view topic, const WsMessage& message, const TopicEvent& event)
    : topic_(topic), payload_bytes_(message.bytes.size()), type_(message.type) {
  ws::MessageWriter().message(frame_, {.type = message.type}, message.bytes);
  if (type_ != ws::MessageType::text) {
    return;
  }
  const SseEvent written{.event = event.name, .data = message.bytes, .id = event.id};
  if (auto done = write_event(event_, written); !done) {
    throw std::invalid_argument(std::string(text(done.error())));
  }
}

TopicIndex::TopicIndex() = default;
TopicIndex::~TopicIndex() = default;

WsHub& TopicIndex::hub(Loop& loop) {
  const std::lock_guard lock(mutex_);
  for (const auto& hub : hubs_) {
    if (&hub->loop() == &loop) {
      return *hub;
    }
  }
  return *hubs_.emplace_back(std::make_unique<WsHub>(loop, *this));
}

TopicIndex::Entry& TopicIndex::join(std::string_view topic, WsHub& hub) {
  const std::lock_guard lock(mutex_);
  auto found = topics_.find(topic);
  if (found == topics_.end()) {
    found = topics_.try_emplace(std::string(topic)).first;
  }
  found->second.hubs.push_back(&hub);
  return found->second;
}

void TopicIndex::leave(std::string_view topic, WsHub& hub) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(topic);
  std::erase(found->second.hubs, &hub);
  // Erase topics without hubs, or names chosen by clients would fill the memory.
  if (found->second.hubs.empty()) {
    topics_.erase(found);
  }
}

// Holds the lock, because the loop of a hub that has left may no longer exist.
bool TopicIndex::post(const SharedMessage& message, const WsHub* except) {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(message->topic());
  if (found == topics_.end()) {
    return true;
  }
  bool has_room = true;
  for (WsHub* hub : found->second.hubs) {
    if (hub == except) {
      continue;
    }
    // One wake-up handles all messages that have arrived by then.
    if (hub->inbox().put(message)) {
      hub->loop().post([hub] { hub->take_inbox(); });
    }
    has_room = has_room && !hub->inbox().is_full();
  }
  return has_room;
}

bool TopicIndex::is_full() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(hubs_, [](const auto& hub) { return hub->inbox().is_full(); });
}

std::size_t TopicIndex::subscribers(std::string_view topic) const {
  const std::lock_guard lock(mutex_);
  const auto found = topics_.find(topic);
  return found == topics_.end() ? 0 : found->second.subscribers.load(std::memory_order_relaxed);
}

std::size_t TopicIndex::size() const {
  const std::lock_guard lock(mutex_);
  return topics_.size();
}

}  // namespace detail::server

Topics::Topics() : index_(std::make_unique<detail::server::TopicIndex>()) {}
Topics::~Topics() = default;
Topics::Topics(Topics&& other) noexcept = default;
Topics& Topics::operator=(Topics&& other) noexcept = default;

void Topics::publish(std::string_view topic, const WsMessage& message, const TopicEvent& event) {
  publish_here(topic, message, event);
  if (index_->carry) {
    index_->carry(topic, message, event);
  }
}

void Topics::publish_here(std::string_view topic, const WsMessage& message,
                          const TopicEvent& event) {
  // Do not frame messages for a topic without subscribers.
  if (subscribers(topic) != 0) {
    (void)index_->post(std::make_shared<const detail::server::Published>(topic, message, event),
                       nullptr);
  }
}

TopicListener::TopicListener(Topics& topics) : hub_(topics.hub(Loop::current())) {}

TopicListener::~TopicListener() {
  hub_.listen_no_more(*this);
}

void TopicListener::listen(std::string_view topic) {
  hub_.listen(*this, topic);
}

detail::base::SharedBytes TopicListener::shared_event() {
  return hub_.share_event();
}

std::size_t Topics::subscribers(std::string_view topic) const {
  return index_->subscribers(topic);
}

std::size_t Topics::size() const {
  return index_->size();
}

void Topics::carry_by(CarryTopic carry, std::weak_ptr<const void> who) {
  if (!index_->carrier.expired()) {
    throw std::logic_error(
        "the topics already have a backplane: call add_topic_backplane only once");
  }
  index_->carry = std::move(carry);
  index_->carrier = std::move(who);
}

void Topics::log_to(std::shared_ptr<LogSink> sink) {
  index_->log = std::move(sink);
}

void Topics::drain(Loop& loop) {
  index_->hub(loop).drain();
}

void Topics::begin(Loop& loop) {
  index_->hub(loop).begin();
}

std::size_t Topics::unfinished(Loop& loop) {
  return index_->hub(loop).orphans();
}

detail::server::WsHub& Topics::hub(Loop& loop) {
  return index_->hub(loop);
}

}  // namespace eider
