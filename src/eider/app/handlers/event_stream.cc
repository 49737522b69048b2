#include "eider/app/handlers/event_stream.h"

#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/timer.h"

namespace eider {

namespace {

/// If the handler has sent nothing after this time, a comment informs the client that it is
/// connected.
constexpr Duration kOpeningSilence = std::chrono::milliseconds(100);

/// Returns a random time to reconnect, so that not all clients reconnect at once after a shutdown.
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

  /// Returns an empty buffer, to be filled and written.
  [[nodiscard]] Buffer& text() noexcept {
    text_.clear();
    return text_;
  }
  void write() { write(text_, BodyWriter::Ending::whole); }
  /// ending  with `cut`, the rest of the last event follows in the next call
  void write(const Buffer& text, BodyWriter::Ending ending) {
    has_begun_ = true;
    last_written_ = loop_.now();
    ending_ = ending;
    out_.note_ending(ending);
    out_.put(text.view());
    out_.flush();
  }
  [[nodiscard]] BodyWriter::WriteAwaiter written() noexcept {
    return BodyWriter::WriteAwaiter(out_.room());
  }

 private:
  // Events do not move the timer: when it expires, it checks how long the silence has been.
  void expire() override {
    const Instant due = last_written_ + silence_;
    if (has_begun_ && due > loop_.now()) {
      loop_.arm(*this, due);
      return;
    }
    // A client that does not read needs no heartbeat, and its buffer has no room for one. Within an
    // event, a comment would become a part of its data.
    if (out_.room().is_set() && ending_ == BodyWriter::Ending::whole) {
      write_comment(text(), "");
      write();
    }
    loop_.arm(*this, loop_.now() + silence_);
  }

  BodyWriter& out_;
  Loop& loop_;
  Duration silence_ = kHeartbeat;
  BodyWriter::Ending ending_ = BodyWriter::Ending::whole;
  bool has_begun_ = false;
  Instant last_written_;  // initially the time of construction
  std::string last_event_id_;
  Buffer text_;
};

/// Implements EventStream::subscribe: owns the stream and the events that are collected for it.
class FollowedTopic {
 public:
  static Task<> follow(EventStream events, Topics& topics, std::string topic,
                       SubscribeOptions options) {
    TopicSubscription news(topics, options);
    news.listen(topic);
    co_await follow(*events.state_, news);
  }
  static Task<> follow_news(EventStream events, TopicSubscription& news) {
    co_await follow(*events.state_, news);
  }

 private:
  static Task<> follow(EventStream::State& state, TopicSubscription& news) {
    // Limits how many of the waiting events are copied for this client at a time.
    constexpr std::size_t kTakenBytesMax = 16UL * 1024;
    constexpr std::size_t kKeptBytesMax = 1024;
    Buffer events;
    while (true) {
      co_await news.coming().wait();
      events.clear();
      const BodyWriter::Ending ending = news.take(events, kTakenBytesMax);
      if (events.size() == 0) {
        co_return;
      }
      state.write(events, ending);
      events.reset(kKeptBytesMax);  // the client may take long to read it
      co_await state.written();
    }
  }
};

/// Waiting events, in memory that all subscribers of the topic share.
class TopicSubscription::Gathered final : public detail::runtime::WaitingOutput {
 public:
  explicit Gathered(TopicSubscription& news, detail::runtime::OutputBudget& budget) noexcept
      : WaitingOutput(budget), budget_(budget), news_(news) {}
  ~Gathered() { drop(); }
  Gathered(const Gathered&) = delete;
  Gathered& operator=(const Gathered&) = delete;

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  void add(const detail::base::SharedBytes& event) {
    bytes_ += event.bytes.size();
    if (first_ == pieces_.size() || !pieces_.back().try_extend(event)) {
      pieces_.push_back(event);
      budget_.add_shared(event.owner.get(), event.memory_bytes);
    }
    count();
  }
  BodyWriter::Ending take(Buffer& events, std::size_t bytes_max) {
    while (first_ != pieces_.size() && events.size() < bytes_max) {
      std::string_view& piece = pieces_[first_].bytes;
      const std::string_view part = piece.substr(0, bytes_max - events.size());
      events.append(part);
      piece.remove_prefix(part.size());
      if (piece.empty()) {
        drop_first();
      }
    }
    bytes_ -= events.size();
    taken_ += events.size();
    count();
    // An event has an empty line only at its end.
    const bool is_cut = first_ != pieces_.size() && !events.view().ends_with("\n\n");
    return is_cut ? BodyWriter::Ending::cut : BodyWriter::Ending::whole;
  }

 private:
  [[nodiscard]] detail::runtime::OutputFlow flow() const noexcept override {
    return {.given = taken_};
  }
  void give_up() noexcept override {
    drop();
    note_freed();
    news_.end_behind_gap();
  }
  void drop_first() noexcept {
    budget_.drop_shared(pieces_[first_].owner.get());
    pieces_[first_++] = {};
    if (first_ == pieces_.size()) {
      pieces_.clear();
      first_ = 0;
    }
  }
  void drop() noexcept {
    while (first_ != pieces_.size()) {
      drop_first();
    }
    bytes_ = 0;
  }
  void count() { set(pieces_.capacity() * sizeof(detail::base::SharedBytes), bytes_); }

  detail::runtime::OutputBudget& budget_;
  TopicSubscription& news_;
  std::vector<detail::base::SharedBytes> pieces_;  // those before `first_` have been taken
  std::size_t first_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t taken_ = 0;
};

TopicSubscription::TopicSubscription(Topics& topics, SubscribeOptions options)
    : TopicListener(topics),
      options_(options),
      gathered_(
          std::make_unique<Gathered>(*this, detail::runtime::output_budget_of(Loop::current()))) {}

TopicSubscription::~TopicSubscription() = default;

void TopicSubscription::take(Buffer& events) {
  take(events, std::numeric_limits<std::size_t>::max());
}

BodyWriter::Ending TopicSubscription::take(Buffer& events, std::size_t bytes_max) {
  const BodyWriter::Ending ending = gathered_->take(events, bytes_max);
  if (!is_over_ && gathered_->bytes() == 0) {
    coming_.reset();
  }
  return ending;
}

void TopicSubscription::on_over() {
  is_over_ = true;
  coming_.set();
}

void TopicSubscription::on_published(std::string_view event) {
  const std::size_t gathered = gathered_->bytes();
  const bool has_room = gathered == 0 || gathered + event.size() <= options_.backpressure_bytes_max;
  if (is_over_) {
    return;
  }
  // With SlowConsumer::disconnect, a missed event ends the stream: the client reconnects and so
  // notices.
  if (!has_room) {
    on_gap();
    return;
  }
  gathered_->add(shared_event());
  coming_.set();
}

void TopicSubscription::on_gap() {
  if (options_.slow_consumer == SlowConsumer::disconnect) {
    end_behind_gap();
  }
}

void TopicSubscription::end_behind_gap() noexcept {
  is_over_ = true;
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

Task<> EventStream::subscribe(Topics& topics, std::string topic, SubscribeOptions options) {
  return FollowedTopic::follow(std::move(*this), topics, std::move(topic), options);
}

Task<> EventStream::subscribe(TopicSubscription& news) {
  return FollowedTopic::follow_news(std::move(*this), news);
}

const std::string& EventStream::last_event_id() const noexcept {
  return state_->last_event_id();
}

void EventStream::set_heartbeat(Duration silence) {
  state_->set_heartbeat(silence);
}

// Caches and proxies must not delay events; nginx needs its own header for that.
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
  describe_streamed_response(operation, kTextEventStream, data);
}

}  // namespace detail::app

}  // namespace eider
