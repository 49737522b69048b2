#include "eider/web/relay/topic_relay.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "eider/app/life/log_stderr.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/relay/topic_batch.h"

namespace eider {

using detail::relay::BatchMessage;
using detail::relay::kBatchHeadBytes;

namespace {

/// Beyond it what waits goes in a payload of its own: many small ones cost the carrier most.
constexpr std::size_t kBatchBytes = 64UL * 1024;
/// Behind a failure.
constexpr auto kPause = std::chrono::milliseconds(250);
constexpr std::string_view kWayOut = "the connection to other processes";
constexpr std::string_view kWayIn = "the connection from other processes";

TopicRelayOptions with_log(TopicRelayOptions options) {
  if (options.log == nullptr) {
    options.log = stderr_log();
  }
  return options;
}

}  // namespace

/// Whoever publishes wakes this loop, as long as it is there.
class TopicRelay::Running {
 public:
  explicit Running(TopicRelay& relay) : relay_(relay) {
    const std::lock_guard lock(relay_.mutex_);
    relay_.loop_ = &Loop::current();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    const std::lock_guard lock(relay_.mutex_);
    relay_.loop_ = nullptr;
    relay_.is_woken_ = false;
  }

 private:
  TopicRelay& relay_;
};

/// A batch that is with the carrier. Where the end of the process cuts the wait, nobody knows
/// whether it has arrived: it counts as lost, so that `stop` tells of a gap, and is not sent once
/// more.
class TopicRelay::Underway {
 public:
  Underway(TopicRelay& relay, const Batch& batch) noexcept : relay_(relay), batch_(batch) {}
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;
  ~Underway() {
    if (!is_over_) {
      const std::lock_guard lock(relay_.mutex_);
      relay_.counts_.lost += batch_.messages;
    }
  }

  void end(bool is_sent) {
    is_over_ = true;
    relay_.note_sent(batch_, is_sent);
  }

 private:
  TopicRelay& relay_;
  const Batch& batch_;
  bool is_over_ = false;
};

TopicRelay::TopicRelay(Topics& topics, MakeTopicCarrier make, TopicRelayOptions options)
    : topics_(topics),
      make_(std::move(make)),
      options_(with_log(std::move(options))),
      origin_(detail::relay::make_origin()) {
  topics_.carry_by(
      [self = std::weak_ptr(self_)](std::string_view topic, const WsMessage& message,
                                    const TopicEvent& event) {
        if (const auto relay = self.lock()) {
          (*relay)->carry(topic, message, event);
        }
      },
      self_);
}

TopicRelayCounts TopicRelay::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void TopicRelay::carry(std::string_view topic, const WsMessage& message, const TopicEvent& event) {
  std::string written = detail::relay::batch_message(
      BatchMessage{.topic = topic, .message = message, .event = event});
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= options_.messages_max || bytes_ + written.size() > options_.bytes_max) {
    ++counts_.lost;
  } else {
    bytes_ += written.size();
    waiting_.push_back(std::move(written));
  }
  wake();
}

/// Pre: the mutex is held, under which the loop stays.
void TopicRelay::wake() {
  if (loop_ != nullptr && !std::exchange(is_woken_, true)) {
    loop_->post([this] { arrived_.set(); });
  }
}

std::optional<TopicRelay::Batch> TopicRelay::take(std::size_t bytes_max) {
  const std::lock_guard lock(mutex_);
  is_woken_ = false;
  Batch batch;
  std::string messages;
  while (!waiting_.empty()) {
    std::string& next = waiting_.front();
    const bool fits = kBatchHeadBytes + next.size() <= bytes_max;
    if (fits && !messages.empty() &&
        kBatchHeadBytes + messages.size() + next.size() > std::min(bytes_max, kBatchBytes)) {
      break;
    }
    if (fits) {
      messages.append(next);
      ++batch.messages;
    } else {
      ++counts_.lost;
    }
    bytes_ -= next.size();
    waiting_.pop_front();
  }
  batch.lost = counts_.lost;
  if (batch.messages == 0 && batch.lost == lost_told_) {
    return std::nullopt;
  }
  batch.payload = detail::relay::batch_head(origin_, batch.lost != lost_told_) + messages;
  return batch;
}

/// Behind a failure all that waits is given up, too: else messages would wait for as long as the
/// carrier is away, and come when nobody wants them any more.
void TopicRelay::note_sent(const Batch& batch, bool is_sent) {
  const std::lock_guard lock(mutex_);
  if (is_sent) {
    counts_.sent += batch.messages;
    lost_told_ = batch.lost;
    return;
  }
  counts_.lost += batch.messages + waiting_.size();
  waiting_.clear();
  bytes_ = 0;
}

Task<bool> TopicRelay::send(TopicCarrier& carrier, Batch batch) {
  Underway underway(*this, batch);
  bool is_sent = false;
  try {
    co_await carrier.send(batch.payload);
    is_sent = true;
    log_way(is_way_out_away_, kWayOut, nullptr);
  } catch (const std::exception& failure) {
    // The others are told as soon as there is a way.
    log_way(is_way_out_away_, kWayOut, &failure);
  }
  underway.end(is_sent);
  co_return is_sent;
}

Task<> TopicRelay::send_all(TopicCarrier& carrier) {
  while (true) {
    auto batch = take(carrier.bytes_max());
    if (!batch) {
      arrived_.reset();
      co_await arrived_.wait();
      continue;
    }
    if (!co_await send(carrier, std::move(*batch))) {
      co_await sleep_for(kPause);
    }
  }
}

Task<> TopicRelay::receive_all(TopicCarrier& carrier) {
  while (true) {
    std::optional<std::string> payload;
    bool has_failed = false;
    try {
      payload = co_await carrier.receive();
      log_way(is_way_in_away_, kWayIn, nullptr);
    } catch (const std::exception& failure) {
      has_failed = true;  // that some were missed it says when it hears again
      log_way(is_way_in_away_, kWayIn, &failure);
    }
    if (has_failed) {
      co_await sleep_for(kPause);
    } else if (payload) {
      hear(*payload);
    } else {
      note_missed();
    }
  }
}

void TopicRelay::log_way(bool& is_away, std::string_view direction,
                         const std::exception* failure) const {
  const bool was_away = std::exchange(is_away, failure != nullptr);
  if (was_away == is_away) {
    return;
  }
  std::string line("topics: ");
  line.append(direction).append(failure == nullptr ? " is restored" : " is lost: ");
  line.append(failure == nullptr ? "" : failure->what());
  options_.log->write(is_away ? LogLevel::warning : LogLevel::info, line);
}

void TopicRelay::note_missed() {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.missed;
  }
  if (options_.when_missed) {
    options_.when_missed(topics_);
  }
}

void TopicRelay::hear(std::string_view payload) {
  const auto head = detail::relay::read_batch_head(payload);
  if (head && head->origin == origin_) {
    return;
  }
  if (head && head->has_gap) {
    note_missed();
  }
  bool is_read = head.has_value();
  std::uint64_t received = 0;
  while (is_read && !payload.empty()) {
    const auto message = detail::relay::read_batch_message(payload);
    is_read = message.has_value();
    if (is_read) {
      try {
        topics_.publish_here(message->topic, message->message, message->event);
        ++received;
      } catch (const std::invalid_argument&) {
        is_read = false;  // an event that none can be
      }
    }
  }
  const std::lock_guard lock(mutex_);
  counts_.received += received;
  counts_.unread += is_read ? 0 : 1;
}

Task<> TopicRelay::run() {
  const Running running(*this);
  const std::unique_ptr<TopicCarrier> carrier = make_();
  Scope scope;
  scope.start(send_all(*carrier));
  co_await receive_all(*carrier);
}

Task<> TopicRelay::stop() {
  const std::unique_ptr<TopicCarrier> carrier = make_();
  auto batch = take(carrier->bytes_max());
  while (batch) {
    if (!co_await send(*carrier, std::move(*batch))) {
      co_return;
    }
    batch = take(carrier->bytes_max());
  }
}

TopicRelay& relay_topics(App& app, MakeTopicCarrier make, TopicRelayOptions options) {
  return app.add_module<TopicRelay>(app.topics(), std::move(make), std::move(options));
}

}  // namespace eider
