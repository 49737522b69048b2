#include "eider/ops/telemetry/otlp/otlp.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "eider/client/client.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/sleep.h"
#include "eider/ops/telemetry/log_line.h"
#include "eider/ops/telemetry/otlp/otlp_json.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

using detail::otlp::LogRecord;

constexpr std::size_t kResponseBytesMax = std::size_t{64} * 1024;
constexpr Duration kPauseMax = std::chrono::seconds(30);

bool is_busy(int status) noexcept {
  return status == kTooManyRequests || (status >= 502 && status <= 504);
}

/// Reads the number of rejected items: {"partialSuccess":{"rejectedSpans":"3"}}
std::uint64_t rejected_by(std::string_view response, std::string_view member) {
  const auto value = json::read<json::Value>(response);
  if (!value) {
    return 0;
  }
  const json::Value* const partial = value->find("partialSuccess");
  const json::Value* const count = partial == nullptr ? nullptr : partial->find(member);
  if (count == nullptr) {
    return 0;
  }
  return count->is_string() ? parse_integer<std::uint64_t>(count->text()).value_or(0) : 0;
}

/// Items that wait to be sent, and counters. Thread-safe.
template <class Item>
class Queue {
 public:
  explicit Queue(std::size_t max) noexcept : max_(max) {}

  /// is_urgent  may use another quarter of the queue
  void take(Item item, bool is_urgent = false) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (items_.size() < (is_urgent ? max_ + (max_ / 4) : max_)) {
        items_.push_back(std::move(item));
        return;
      }
    } catch (...) {
      // No memory counts like no room.
    }
    drop();
  }
  void drop() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] OtlpCounts counts() const noexcept {
    return {.sent = sent_.load(std::memory_order_relaxed),
            .dropped = dropped_.load(std::memory_order_relaxed),
            .rejected = rejected_.load(std::memory_order_relaxed)};
  }

  /// Items that are being sent. If the task is destroyed meanwhile, they return to the queue, and
  /// `flush` sends them.
  class Batch {
   public:
    Batch(Queue& queue, std::size_t max) : queue_(queue), items_(queue.take_first(max)) {}
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    ~Batch() {
      for (Item& item : items_) {
        queue_.take(std::move(item));
      }
    }
    [[nodiscard]] std::span<const Item> items() const noexcept { return items_; }
    /// rejected  nothing: the collector has accepted none
    void settle(std::optional<std::uint64_t> rejected) noexcept {
      const std::uint64_t count = std::exchange(items_, {}).size();
      const std::uint64_t refused = std::min(rejected.value_or(0), count);
      (rejected ? queue_.sent_ : queue_.dropped_) += count - refused;
      queue_.rejected_ += refused;
    }

   private:
    Queue& queue_;
    std::vector<Item> items_;
  };

 private:
  std::vector<Item> take_first(std::size_t max) {
    const std::lock_guard lock(mutex_);
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(std::min(items_.size(), max));
    std::vector<Item> first(std::make_move_iterator(items_.begin()), std::make_move_iterator(end));
    items_.erase(items_.begin(), end);
    return first;
  }

  const std::size_t max_;
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> rejected_{0};
  std::mutex mutex_;
  std::deque<Item> items_;
};

class Exporter final : public OtlpExport {
 public:
  explicit Exporter(OtlpOptions options)
      : options_(std::move(options)),
        masked_(options_.redacted),
        spans_(options_.queue_max),
        lines_(options_.queue_max) {
    resource_ = options_.resource;
    resource_.emplace(resource_.begin(), "service.name", options_.service);
    while (options_.endpoint.ends_with('/')) {
      options_.endpoint.pop_back();
    }
    options_.client.body_bytes_max = kResponseBytesMax;  // collectors send short responses
    options_.client.redirects_max = 0;                   // no other server gets the key
  }

  void take(SpanRecord span) noexcept override {
    for (SpanAttribute& attribute : span.attributes) {
      if (auto* const text = std::get_if<std::string>(&attribute.value)) {
        text->resize(std::min(text->size(), kTextBytesMax));
        text->shrink_to_fit();
      }
    }
    spans_.take(std::move(span));
  }

  void take(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
    try {
      LogRecord line{.time_ns = unix_nanoseconds(),
                     .level = level,
                     .message = std::string(message.substr(0, kTextBytesMax)),
                     .fields = {},
                     .place = {}};
      for (const LogField& field : fields) {
        // A search for a request ID must not find data of clients.
        line.fields.emplace_back(
            field.name == kRequestId ? "request_id_" : field.name,
            masked_.hides(field.name) ? SpanValue("***") : sent_value(field.value));
      }
      if (const Work* const work = Work::current()) {
        line.place = work->place;
        if (!work->request_id().empty()) {
          line.fields.emplace_back(kRequestId, std::string(work->request_id()));
        }
      }
      lines_.take(std::move(line), level == LogLevel::error);
    } catch (...) {
      lines_.drop();  // no memory
    }
  }

  [[nodiscard]] bool samples(const TracePlace& place) const noexcept override {
    constexpr double kScale = 0x1.0p-53;
    return static_cast<double>(place.trace_low >> 11U) * kScale < options_.sample_ratio;
  }

  [[nodiscard]] OtlpCounts counts() const noexcept override { return spans_.counts(); }
  [[nodiscard]] OtlpCounts log_counts() const noexcept override { return lines_.counts(); }
  [[nodiscard]] Log with(const Log& log) override;

  // In separate tasks, so that a slow request of one kind does not delay the others.
  Task<> send_spans() { return repeat(options_.interval, &Exporter::send_all_spans); }
  Task<> send_lines() { return repeat(options_.interval, &Exporter::send_all_lines); }
  Task<> send_metrics() { return repeat(options_.metrics_interval, &Exporter::send_all_metrics); }

  /// Sends the remaining data, after these tasks have ended.
  Task<> flush() {
    HttpClient client(options_.client);
    static constexpr std::array<Sending, 3> kEach = {
        &Exporter::send_all_spans, &Exporter::send_all_lines, &Exporter::send_all_metrics};
    for (const Sending sending : kEach) {
      (void)co_await with_deadline((this->*sending)(client), options_.flush_within);
    }
  }

 private:
  /// Maximum size of a text in a line: a client could fill the queue with longer ones.
  static constexpr std::size_t kTextBytesMax = 4096;
  static constexpr std::string_view kRequestId = "request_id";

  static SpanValue sent_value(const LogValue& value) {
    struct Cases {
      SpanValue operator()(std::string_view text) const {
        return std::string(text.substr(0, kTextBytesMax));
      }
      SpanValue operator()(std::int64_t number) const { return number; }
      SpanValue operator()(std::uint64_t number) const {
        // OTLP has no unsigned integers.
        return std::in_range<std::int64_t>(number) ? SpanValue(static_cast<std::int64_t>(number))
                                                   : SpanValue(std::to_string(number));
      }
      SpanValue operator()(double number) const { return number; }
      SpanValue operator()(bool is_true) const { return is_true; }
    };
    return std::visit(Cases{}, value);
  }

  using Sending = Task<> (Exporter::*)(HttpClient&);

  Task<> repeat(Duration interval, Sending sending) {
    HttpClient client(options_.client);
    while (true) {
      co_await sleep_for(interval);
      co_await (this->*sending)(client);
    }
  }

  Task<> send_all_spans(HttpClient& client) {
    return send(client, spans_, "/v1/traces", "rejectedSpans", &detail::otlp::spans_json);
  }

  Task<> send_all_lines(HttpClient& client) {
    return send(client, lines_, "/v1/logs", "rejectedLogRecords", &detail::otlp::logs_json);
  }

  /// Sends the waiting items. Items that arrive meanwhile are left for the next time.
  ///
  /// rejected  member of the collector's response with the number of rejected items
  template <class Item>
  Task<> send(HttpClient& client, Queue<Item>& queue, std::string path, std::string rejected,
              std::string (*to_json)(const detail::otlp::Attributes&, std::span<const Item>)) {
    bool is_more = true;
    while (is_more) {
      typename Queue<Item>::Batch batch(queue, options_.per_request_max);
      if (batch.items().empty()) {
        co_return;
      }
      is_more = batch.items().size() == options_.per_request_max;
      const std::optional<std::string> response =
          co_await post(client, path, to_json(resource_, batch.items()));
      batch.settle(response ? std::optional(rejected_by(*response, rejected)) : std::nullopt);
    }
  }

  Task<> send_all_metrics(HttpClient& client) {
    if (options_.metrics == nullptr) {
      co_return;
    }
    std::string text = detail::otlp::metrics_json(resource_, options_.metrics->read(), began_ns_,
                                                  unix_nanoseconds());
    (void)co_await post(client, "/v1/metrics", std::move(text));
  }

  /// returns  the response of the collector; nothing if it has not accepted the request
  Task<std::optional<std::string>> post(HttpClient& client, std::string path, std::string text) {
    for (unsigned tries = 0;; ++tries) {
      ClientRequest request = client.request(Method::post, options_.endpoint + path);
      for (const auto& [name, value] : options_.headers) {
        request.header(name, value);
      }
      request.body(text, "application/json").timeout(options_.timeout).only_once();
      const auto reply = co_await request.send();
      if (reply && reply->is_ok()) {
        co_return std::string(reply->body());
      }
      // It is unknown whether a request whose response is too large or invalid should be repeated.
      const bool is_to_be_asked_again =
          reply ? is_busy(reply->status()) : reply.error().fault != ClientFault::too_large;
      if (!is_to_be_asked_again || tries >= options_.retries_max) {
        co_return std::nullopt;
      }
      co_await sleep_for(detail::runtime::pause_behind(tries + std::int64_t{1},
                                                       options_.retry_pause,
                                                       std::max(kPauseMax, options_.retry_pause)));
    }
  }

  OtlpOptions options_;
  detail::telemetry::MaskedNames masked_;
  detail::otlp::Attributes resource_;
  const std::int64_t began_ns_ = unix_nanoseconds();
  Queue<SpanRecord> spans_;
  Queue<LogRecord> lines_;
};

/// Also sends the lines of a log to the collector.
class SentLog final : public LogSink {
 public:
  SentLog(std::shared_ptr<LogSink> sink, std::weak_ptr<Exporter> exporter) noexcept
      : sink_(std::move(sink)), exporter_(std::move(exporter)) {}

  void write(LogLevel level, std::string_view line) noexcept override {
    sink_->write(level, line);
    send(level, line, {});
  }
  void write_fields(LogLevel level, std::string_view message,
                    std::span<const LogField> fields) noexcept override {
    sink_->write_fields(level, message, fields);
    send(level, message, fields);
  }
  [[nodiscard]] bool is_enabled(LogLevel level) const noexcept override {
    return sink_->is_enabled(level);
  }
  void set_level(LogLevel level) noexcept override { sink_->set_level(level); }
  [[nodiscard]] LogCounts counts() const noexcept override { return sink_->counts(); }
  void end_thread() noexcept override { sink_->end_thread(); }

 private:
  void send(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
    if (const auto exporter = is_enabled(level) ? exporter_.lock() : nullptr) {
      exporter->take(level, message, fields);
    }
  }

  std::shared_ptr<LogSink> sink_;
  std::weak_ptr<Exporter> exporter_;  // weak, because its metrics may refer to this object
};

Log Exporter::with(const Log& log) {
  return Log(std::make_shared<SentLog>(log.sink(),
                                       std::static_pointer_cast<Exporter>(shared_from_this())));
}

/// Weak, because the exporter owns the metrics.
void add_counts(Metrics& metrics, const std::weak_ptr<Exporter>& exporter) {
  using Counts = OtlpCounts (OtlpExport::*)() const noexcept;
  const auto add = [&](std::string_view name, std::string_view help, Counts counts,
                       std::string_view outcome, std::uint64_t OtlpCounts::* count) {
    metrics.counter_of(name, help, {{"outcome", outcome}}, [exporter, counts, count] {
      const auto there = exporter.lock();
      return there == nullptr ? 0 : static_cast<double>(((*there).*counts)().*count);
    });
  };
  const auto add_each = [&](std::string_view name, std::string_view help, Counts counts) {
    add(name, help, counts, "sent", &OtlpCounts::sent);
    add(name, help, counts, "dropped", &OtlpCounts::dropped);
    add(name, help, counts, "rejected", &OtlpCounts::rejected);
  };
  add_each("eider_spans_total", "Spans, by outcome.", &OtlpExport::counts);
  add_each("eider_log_exported_total", "Exported log lines, by outcome.", &OtlpExport::log_counts);
}

}  // namespace

std::shared_ptr<OtlpExport> export_otlp(App& app, OtlpOptions options) {
  if (!(options.sample_ratio >= 0 && options.sample_ratio <= 1)) {
    throw Failure(Error::internal("export_otlp: A share must be between 0 and 1"));
  }
  const TraceOptions traces = options.traces;
  const std::shared_ptr<Metrics> metrics = options.metrics;
  const Duration flush_within = options.flush_within;
  const auto exporter = std::make_shared<Exporter>(std::move(options));
  if (metrics != nullptr) {
    add_counts(*metrics, exporter);
  }
  trace_requests(app, exporter, traces);
  app.background("otlp spans", [exporter] { return exporter->send_spans(); });
  app.background("otlp lines", [exporter] { return exporter->send_lines(); });
  if (metrics != nullptr) {
    app.background("otlp metrics", [exporter] { return exporter->send_metrics(); });
  }
  app.on_stop(
      "otlp", [exporter] { return exporter->flush(); },
      (3 * flush_within) + std::chrono::seconds(1));
  return exporter;
}

}  // namespace eider
