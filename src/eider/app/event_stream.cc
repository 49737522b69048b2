#include "eider/app/event_stream.h"

#include <random>
#include <stdexcept>

#include "eider/runtime/loop.h"
#include "eider/runtime/timer.h"

namespace eider {

namespace {

/// A handler that has nothing to say yet: the client is then told that it is connected.
constexpr Duration kOpeningSilence = std::chrono::milliseconds(100);

/// Where the server ends, so that all who listen do not come back in one instant.
std::chrono::milliseconds random_pause() {
  thread_local std::minstd_rand random(std::random_device{}());
  return std::chrono::milliseconds(std::uniform_int_distribution(500, 5000)(random));
}

}  // namespace

class EventStream::State final : private Timer {
 public:
  State(BodyWriter& out, std::string last_event_id)
      : out_(out),
        loop_(Loop::current()),
        last_written_(loop_.now()),
        last_event_id_(std::move(last_event_id)) {
    loop_.arm(*this, loop_.now() + kOpeningSilence);
  }

  [[nodiscard]] const std::string& last_event_id() const noexcept { return last_event_id_; }

  void set_heartbeat(Duration silence) {
    silence_ = silence;
    disarm();
    if (silence_ > Duration::zero()) {
      loop_.arm(*this, last_written_ + silence_);
    }
  }

  /// An emptied buffer, to be filled and written.
  [[nodiscard]] Buffer& text() noexcept {
    text_.clear();
    return text_;
  }
  void write() { write(text_); }
  void write(const Buffer& text) {
    has_begun_ = true;
    last_written_ = loop_.now();
    out_.put(text.view());
    out_.flush();
  }
  [[nodiscard]] BodyWriter::WriteAwaiter written() noexcept {
    return BodyWriter::WriteAwaiter(out_.room());
  }

 private:
  // The timer is not moved by each event: it looks when it is due how long the silence has been.
  void expire() override {
    const Instant due = last_written_ + silence_;
    if (has_begun_ && due > loop_.now()) {
      loop_.arm(*this, due);
      return;
    }
    // A client that takes nothing needs no sign of life, and has no room for it.
    if (out_.room().is_set()) {
      write_comment(text(), "");
      write();
    }
    loop_.arm(*this, loop_.now() + silence_);
  }

  BodyWriter& out_;
  Loop& loop_;
  Duration silence_ = kHeartbeat;
  bool has_begun_ = false;
  Instant last_written_;  // at first, when it was made
  std::string last_event_id_;
  Buffer text_;
};

/// How an event stream follows: it owns the stream, and what is gathered for it.
class FollowedTopic {
 public:
  static Task<> follow(EventStream events, Topics& topics, std::string topic,
                       FollowOptions options) {
    TopicNews news(topics, options);
    news.listen(topic);
    auto following = follow(*events.state_, news);
    co_await std::move(following);
  }
  static Task<> follow_news(EventStream events, TopicNews& news) {
    auto following = follow(*events.state_, news);
    co_await std::move(following);
  }

 private:
  static Task<> follow(EventStream::State& state, TopicNews& news) {
    Buffer events;
    while (true) {
      co_await news.coming().wait();
      events.clear();
      news.take(events);
      if (events.size() == 0) {
        co_return;
      }
      state.write(events);
      co_await state.written();
    }
  }
};

// Swapped, not copied: what is published while the client takes these is gathered in the other one.
void TopicNews::take(Buffer& events) {
  std::swap(events_, events);
  if (!is_over_) {
    coming_.reset();
  }
}

void TopicNews::on_over() {
  is_over_ = true;
  coming_.set();
}

void TopicNews::on_published(std::string_view event) {
  const bool has_room =
      events_.size() == 0 || events_.size() + event.size() <= options_.backpressure_bytes_max;
  if (is_over_) {
    return;
  }
  // With WhenSlow::disconnect a gap ends the stream: its client begins another one, and knows.
  if (!has_room) {
    has_missed_ = options_.when_slow == WhenSlow::disconnect;
    is_over_ = has_missed_;
    return;
  }
  events_.append(event);
  coming_.set();
}

EventStream::EventStream(BodyWriter& out, std::string last_event_id)
    : state_(std::make_unique<State>(out, std::move(last_event_id))) {}
EventStream::EventStream(EventStream&&) noexcept = default;
EventStream& EventStream::operator=(EventStream&&) noexcept = default;
EventStream::~EventStream() = default;

BodyWriter::WriteAwaiter EventStream::send(const SseEvent& event) {
  if (auto written = write_event(state_->text(), event); !written) {
    throw std::invalid_argument(std::string(text(written.error())));
  }
  state_->write();
  return state_->written();
}

BodyWriter::WriteAwaiter EventStream::comment(std::string_view text) {
  write_comment(state_->text(), text);
  state_->write();
  return state_->written();
}

Task<> EventStream::follow(Topics& topics, std::string topic, FollowOptions options) {
  return FollowedTopic::follow(std::move(*this), topics, std::move(topic), options);
}

Task<> EventStream::follow(TopicNews& news) {
  return FollowedTopic::follow_news(std::move(*this), news);
}

const std::string& EventStream::last_event_id() const noexcept {
  return state_->last_event_id();
}

void EventStream::set_heartbeat(Duration silence) {
  state_->set_heartbeat(silence);
}

// Neither caches nor proxies may hold events back; nginx asks for a field of its own.
void Extract<EventStream>::prepare(Response& response) {
  response.set_static_type(EventStream::kContentType);
  response.add_header("Cache-Control", "no-store");
  response.add_header("X-Accel-Buffering", "no");
}

std::string Extract<EventStream>::last_words() {
  return "retry: " + std::to_string(random_pause().count()) + "\n\n";
}

EventStream Extract<EventStream>::make(BodyWriter& out, const Request& request) {
  return {out, detail::app::last_event_id_of(request)};
}

namespace detail::app {

std::string last_event_id_of(const Request& request) {
  return std::string(request.header("Last-Event-ID").value_or(""));
}

void describe_event_stream(Operation& operation, const reflect::Type* data) {
  operation.take_header("Last-Event-ID", nullptr, false);
  describe_streamed_answer(operation, kTextEventStream, data);
}

}  // namespace detail::app

}  // namespace eider
