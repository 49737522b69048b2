// Events in Kafka by librdkafka, whose queues wake the event loop through a file descriptor.
//   ./36_kafka --port 8080 --brokers localhost:9092 --topic events
//   curl -d 'a text' localhost:8080/events    # responds when the broker has stored the event
//   curl localhost:8080/events                # the last events that this process has consumed
//   curl localhost:8080/waiting               # events of this event loop without a delivery report
#include <eider/eider.h>
#include <eider/runtime.h>
#include <librdkafka/rdkafka.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace eider;

struct Options {
  std::string brokers = "localhost:9092";
  std::string topic = "events";

  static constexpr OptionText kOptions[] = {
      {"brokers", "Addresses of Kafka brokers, separated by commas", "HOST:PORT,…"},
      {"topic", "Topic to write and to read", "NAME"}};
};

/// Calls `serve` on this event loop when a queue of librdkafka is no longer empty.
class QueueWatch final : public FdWatch {
 public:
  /// serve  must empty the queue: librdkafka writes only when it adds to an empty one
  QueueWatch(rd_kafka_queue_t* queue, std::function<void()> serve)
      : FdWatch(Loop::current()), queue_(queue), serve_(std::move(serve)) {
    if (event_ < 0) {
      throw Failure(Error::unavailable("There is no free file descriptor for Kafka."));
    }
    static constexpr std::uint64_t kOne = 1;  // an eventfd accepts 8 bytes only
    rd_kafka_queue_io_event_enable(queue_, event_, &kOne, sizeof(kOne));
    watch(event_, Readiness::readable);
  }
  ~QueueWatch() {
    rd_kafka_queue_io_event_enable(queue_, -1, nullptr, 0);  // nothing is written after this
    rd_kafka_queue_destroy(queue_);
    stop();
    ::close(event_);
  }

 private:
  void on_ready(Readiness /*what*/) override {
    std::uint64_t count = 0;
    (void)!::read(event_, &count, sizeof(count));  // first: what comes from now on is a new event
    serve_();
  }

  rd_kafka_queue_t* queue_;
  std::function<void()> serve_;
  int event_ = ::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);  // 1: events may be there already
};

using Settings = std::vector<std::pair<const char*, std::string>>;
using KafkaClient = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;
using DeliveryReport = void (*)(rd_kafka_t*, const rd_kafka_message_t*, void*);

KafkaClient make_client(rd_kafka_type_t type, const Settings& settings,
                        DeliveryReport on_delivery) {
  char text[512];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  if (on_delivery != nullptr) {
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
  }
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf, name, value.c_str(), text, sizeof(text)) != RD_KAFKA_CONF_OK) {
      rd_kafka_conf_destroy(conf);
      throw Failure(Error::internal(text));
    }
  }
  rd_kafka_t* made = rd_kafka_new(type, conf, text, sizeof(text));
  if (made == nullptr) {
    rd_kafka_conf_destroy(conf);
    throw Failure(Error::unavailable(text));
  }
  return {made, rd_kafka_destroy};
}

struct Stored {
  std::int32_t partition;
  std::int64_t offset;
};

/// Writes events. Each event loop has one.
class Producer {
 public:
  explicit Producer(const Options& options)
      : topic_(options.topic),
        client_(
            make_client(RD_KAFKA_PRODUCER, {{"bootstrap.servers", options.brokers}}, on_delivery)),
        watch_(rd_kafka_queue_get_main(client_.get()),
               [client = client_.get()] { rd_kafka_poll(client, 0); }) {}
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  ~Producer() {
    // Only events of cancelled requests are left. Their reports free their channels.
    rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
    rd_kafka_flush(client_.get(), 1000);
  }

  /// Returns the number of events for which there is no delivery report yet.
  int waiting() const { return rd_kafka_outq_len(client_.get()); }

  /// Returns the place of the event once the broker has stored it.
  Task<Result<Stored>> send(std::string text) {
    // Shared with librdkafka: the client may disconnect first, which destroys this coroutine.
    auto results = std::make_shared<Channel<Result<Stored>>>(1);
    auto opaque = std::make_unique<Shared>(results);
    const auto error = rd_kafka_producev(
        client_.get(), RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_VALUE(text.data(), text.size()),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(opaque.get()), RD_KAFKA_V_END);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {  // for example: the local queue is full
      co_return fail(Error::unavailable(rd_kafka_err2str(error)));
    }
    (void)opaque.release();  // on_delivery deletes it
    auto result = co_await results->receive();
    co_return std::move(*result);
  }

 private:
  using Shared = std::shared_ptr<Channel<Result<Stored>>>;

  /// Called by rd_kafka_poll, once per event.
  static void on_delivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
    const std::unique_ptr<Shared> results(static_cast<Shared*>(message->_private));
    Result<Stored> result = Stored{.partition = message->partition, .offset = message->offset};
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      result = fail(Error::unavailable(rd_kafka_err2str(message->err)));
    }
    (void)(*results)->try_send(std::move(result));
  }

  std::string topic_;
  KafkaClient client_;
  QueueWatch watch_;
};

class History {
 public:
  void add(std::string text) {
    const std::lock_guard lock(mutex_);
    texts_.push_back(std::move(text));
    if (texts_.size() > kTextsMax) {
      texts_.pop_front();
    }
  }
  std::vector<std::string> texts() const {
    const std::lock_guard lock(mutex_);
    return {texts_.begin(), texts_.end()};
  }

 private:
  static constexpr std::size_t kTextsMax = 100;
  mutable std::mutex mutex_;
  std::deque<std::string> texts_;
};

Task<> wait_for(AsyncEvent& event) {
  co_await event.wait();
}

/// Reads events until it is destroyed at shutdown.
Task<> consume(State<Options> options, State<History> history) {
  const KafkaClient client = make_client(RD_KAFKA_CONSUMER,
                                         {{"bootstrap.servers", options->brokers},
                                          {"group.id", "eider-example"},
                                          {"auto.offset.reset", "earliest"}},
                                         nullptr);
  rd_kafka_poll_set_consumer(client.get());  // all events go to the consumer's queue
  rd_kafka_topic_partition_list_t* topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, options->topic.c_str(), RD_KAFKA_PARTITION_UA);
  const auto error = rd_kafka_subscribe(client.get(), topics);
  rd_kafka_topic_partition_list_destroy(topics);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw Failure(Error::unavailable(rd_kafka_err2str(error)));
  }
  AsyncEvent has_events;
  const QueueWatch watch(rd_kafka_queue_get_consumer(client.get()), [&] { has_events.set(); });
  while (true) {
    while (rd_kafka_message_t* message = rd_kafka_consumer_poll(client.get(), 0)) {
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        history->add({static_cast<const char*>(message->payload), message->len});
      }
      rd_kafka_message_destroy(message);
    }
    // A consumer that does not poll for max.poll.interval.ms (default: 5 minutes) leaves its group.
    auto waiting = wait_for(has_events);
    (void)co_await with_deadline(std::move(waiting), std::chrono::minutes(1));
    has_events.reset();
  }
}

int main(int argc, char** argv) {
  Options own;
  return run_app(OptionSet("kafka").add(own), argc, argv, [&] {
    App app;
    app.state(own);
    app.state<History>();
    app.per_loop([options = own] { return std::make_unique<Producer>(options); });
    app.background("consumer", consume);
    app.post("/events", [](Body body, PerLoop<std::unique_ptr<Producer>> producer) {
      return (*producer)->send(std::string(body.view()));
    });
    app.get("/waiting",
            [](PerLoop<std::unique_ptr<Producer>> producer) { return (*producer)->waiting(); });
    app.get("/events", [](State<History> history) { return Json(history->texts()); });
    return app;
  });
}
