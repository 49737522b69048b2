#include "eider/web/backplane/topic_backplane.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/backplane/topic_batch.h"

namespace eider {

using detail::backplane::BatchMessage;
using detail::backplane::kBatchHeadBytes;

namespace {

/// Maximum size of a batch; further messages get a payload of their own. Batches exist because many
/// small payloads cost the transport most.
constexpr std::size_t kBatchBytes = 64UL * 1024;
/// Pause after a failure.
constexpr auto kPause = std::chrono::milliseconds(250);
constexpr std::string_view kWayOut = "the connection to other processes";
constexpr std::string_view kWayIn = "the connection from other processes";

TopicBackplaneOptions with_log(TopicBackplaneOptions options) {
  if (options.log == nullptr) {
    options.log = stderr_log();
  }
  return options;
}

}  // namespace

/// Publishing a message wakes this event loop as long as this object exists.
class TopicBackplane::Running {
 public:
  explicit Running(TopicBackplane& relay) : relay_(relay) {
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
  TopicBackplane& relay_;
};

/// A batch that is being sent. If the process ends during the wait, it is unknown whether the batch
/// arrived. It then counts as lost, so that `stop` reports a gap and does not send it again.
class TopicBackplane::Underway {
 public:
  Underway(TopicBackplane& relay, const Batch& batch) noexcept : relay_(relay), batch_(batch) {}
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
  TopicBackplane& relay_;
  const Batch& batch_;
  bool is_over_ = false;
};

TopicBackplane::TopicBackplane(Topics& topics, MakeTopicAdapter make, TopicBackplaneOptions options)
    : topics_(topics),
      make_(std::move(make)),
      options_(with_log(std::move(options))),
      origin_(secret_bytes(detail::backplane::kOriginBytes)) {
  topics_.carry_by(
      [self = std::weak_ptr(self_)](std::string_view topic, const WsMessage& message,
                                    const TopicEvent& event) {
        if (const auto relay = self.lock()) {
          (*relay)->carry(topic, message, event);
        }
      },
      self_);
}

TopicBackplaneCounts TopicBackplane::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void TopicBackplane::carry(std::string_view topic, const WsMessage& message,
                           const TopicEvent& event) {
  std::string written = detail::backplane::batch_message(
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

/// Pre: the mutex is locked, so that the event loop continues to exist.
void TopicBackplane::wake() {
  if (loop_ != nullptr && !std::exchange(is_woken_, true)) {
    loop_->post([this] { arrived_.set(); });
  }
}

std::optional<TopicBackplane::Batch> TopicBackplane::take(std::size_t bytes_max) {
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
  batch.payload = detail::backplane::batch_head(origin_, batch.lost != lost_told_) + messages;
  return batch;
}

/// After a failure, waiting messages are discarded, too. Otherwise they would wait as long as the
/// transport is down, and arrive when they are obsolete.
void TopicBackplane::note_sent(const Batch& batch, bool is_sent) {
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

Task<bool> TopicBackplane::send(TopicAdapter& carrier, Batch batch) {
  Underway underway(*this, batch);
  bool is_sent = false;
  try {
    co_await carrier.send(batch.payload);
    is_sent = true;
    log_way(is_way_out_away_, kWayOut, nullptr);
  } catch (const std::exception& failure) {
    // Other processes are informed when the connection is restored.
    log_way(is_way_out_away_, kWayOut, &failure);
  }
  underway.end(is_sent);
  co_return is_sent;
}

Task<> TopicBackplane::send_all(TopicAdapter& carrier) {
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

Task<> TopicBackplane::receive_all(TopicAdapter& carrier) {
  while (true) {
    std::optional<std::string> payload;
    bool has_failed = false;
    try {
      payload = co_await carrier.receive();
      log_way(is_way_in_away_, kWayIn, nullptr);
    } catch (const std::exception& failure) {
      has_failed = true;  // missed messages are reported after the connection is restored
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

void TopicBackplane::log_way(bool& is_away, std::string_view direction,
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

void TopicBackplane::note_missed() {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.missed;
  }
  if (options_.on_missed) {
    options_.on_missed(topics_);
  }
}

void TopicBackplane::hear(std::string_view payload) {
  const auto head = detail::backplane::read_batch_head(payload);
  if (head && head->origin == origin_) {
    return;
  }
  if (head && head->has_gap) {
    note_missed();
  }
  bool is_read = head.has_value();
  std::uint64_t received = 0;
  while (is_read && !payload.empty()) {
    const auto message = detail::backplane::read_batch_message(payload);
    is_read = message.has_value();
    if (is_read) {
      try {
        topics_.publish_here(message->topic, message->message, message->event);
        ++received;
      } catch (const std::invalid_argument&) {
        is_read = false;  // not a valid event
      }
    }
  }
  const std::lock_guard lock(mutex_);
  counts_.received += received;
  counts_.invalid += is_read ? 0 : 1;
}

Task<> TopicBackplane::run() {
  const Running running(*this);
  const std::unique_ptr<TopicAdapter> carrier = make_();
  Scope scope;
  scope.start(send_all(*carrier));
  co_await receive_all(*carrier);
}

Task<> TopicBackplane::stop() {
  const std::unique_ptr<TopicAdapter> carrier = make_();
  auto batch = take(carrier->bytes_max());
  while (batch) {
    if (!co_await send(*carrier, std::move(*batch))) {
      co_return;
    }
    batch = take(carrier->bytes_max());
  }
}

TopicBackplane& add_topic_backplane(App& app, MakeTopicAdapter make,
                                    TopicBackplaneOptions options) {
  return app.add_module<TopicBackplane>(app.topics(), std::move(make), std::move(options));
}

}  // namespace eider
