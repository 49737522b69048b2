#include "eider/telemetry/otlp/otlp.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "eider/base/failure.h"
#include "eider/base/text.h"
#include "eider/client/client.h"
#include "eider/json/json.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/sleep.h"
#include "eider/telemetry/otlp/otlp_json.h"

namespace eider {

namespace {

constexpr int kTooMany = 429;
constexpr std::size_t kAnswerBytesMax = std::size_t{64} * 1024;
constexpr Duration kPauseMax = std::chrono::seconds(30);

bool is_busy(int status) noexcept {
  return status == kTooMany || (status >= 502 && status <= 504);
}

/// What a collector that has taken only some says: {"partialSuccess":{"rejectedSpans":"3"}}
std::uint64_t rejected_by(std::string_view answer) {
  const auto value = json::read<json::Value>(answer);
  if (!value) {
    return 0;
  }
  const json::Value* const partial = value->find("partialSuccess");
  const json::Value* const count = partial == nullptr ? nullptr : partial->find("rejectedSpans");
  if (count == nullptr) {
    return 0;
  }
  return count->is_string() ? parse_integer<std::uint64_t>(count->text()).value_or(0) : 0;
}

class Exporter final : public OtlpExport {
 public:
  explicit Exporter(OtlpOptions options) : options_(std::move(options)) {
    resource_ = options_.resource;
    resource_.emplace(resource_.begin(), "service.name", options_.service);
    while (options_.endpoint.ends_with('/')) {
      options_.endpoint.pop_back();
    }
    options_.client.body_bytes_max = kAnswerBytesMax;  // it has little to say
    options_.client.redirects_max = 0;                 // the key is for nobody else
  }

  void take(SpanRecord span) noexcept override {
    try {
      const std::lock_guard lock(mutex_);
      if (queue_.size() < options_.queue_max) {
        queue_.push_back(std::move(span));
        return;
      }
    } catch (...) {
      // No memory: as no room.
    }
    dropped_.fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] bool samples(const TracePlace& place) const noexcept override {
    constexpr double kScale = 0x1.0p-53;
    return static_cast<double>(place.trace_low >> 11U) * kScale < options_.share;
  }

  [[nodiscard]] OtlpCounts counts() const noexcept override {
    return {.sent = sent_.load(std::memory_order_relaxed),
            .dropped = dropped_.load(std::memory_order_relaxed),
            .rejected = rejected_.load(std::memory_order_relaxed)};
  }

  Task<> run() {
    HttpClient client(options_.client);
    Instant metrics_due = Loop::current().now() + options_.metrics_interval;
    while (true) {
      co_await sleep_for(options_.interval);
      auto sending = send_spans(client);
      co_await std::move(sending);
      if (options_.metrics != nullptr && Loop::current().now() >= metrics_due) {
        metrics_due = Loop::current().now() + options_.metrics_interval;
        auto telling = send_metrics(client);
        co_await std::move(telling);
      }
    }
  }

  /// What is left; behind `run`.
  Task<> flush() {
    HttpClient client(options_.client);
    {
      auto sending = with_deadline(send_spans(client), options_.flush_within);
      (void)co_await std::move(sending);
    }
    if (options_.metrics != nullptr) {
      auto telling = with_deadline(send_metrics(client), options_.flush_within);
      (void)co_await std::move(telling);
    }
  }

 private:
  using Batch = std::vector<SpanRecord>;

  /// Spans on their way. Where the task is destroyed meanwhile they go back: `flush` sends them.
  class OnTheWay {
   public:
    OnTheWay(Exporter& exporter, Batch batch) noexcept
        : exporter_(exporter), batch_(std::move(batch)) {}
    OnTheWay(const OnTheWay&) = delete;
    OnTheWay& operator=(const OnTheWay&) = delete;
    ~OnTheWay() {
      for (SpanRecord& span : batch_) {
        exporter_.take(std::move(span));
      }
    }
    [[nodiscard]] std::span<const SpanRecord> spans() const noexcept { return batch_; }
    /// rejected  nothing: the collector has taken none
    void settle(std::optional<std::uint64_t> rejected) noexcept {
      const std::uint64_t count = std::exchange(batch_, {}).size();
      const std::uint64_t refused = std::min(rejected.value_or(0), count);
      (rejected ? exporter_.sent_ : exporter_.dropped_) += count - refused;
      exporter_.rejected_ += refused;
    }

   private:
    Exporter& exporter_;
    Batch batch_;
  };

  Batch take_batch() {
    const std::lock_guard lock(mutex_);
    const std::size_t count = std::min(queue_.size(), options_.spans_per_request_max);
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
    Batch batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    return batch;
  }

  Task<> send_spans(HttpClient& client) {
    while (true) {
      OnTheWay on_the_way(*this, take_batch());
      if (on_the_way.spans().empty()) {
        co_return;
      }
      auto posting =
          post(client, "/v1/traces", detail::otlp::spans_json(resource_, on_the_way.spans()));
      on_the_way.settle(co_await std::move(posting));
    }
  }

  Task<> send_metrics(HttpClient& client) {
    std::string text = detail::otlp::metrics_json(resource_, options_.metrics->read(), began_ns_,
                                                  unix_nanoseconds());
    auto posting = post(client, "/v1/metrics", std::move(text));
    (void)co_await std::move(posting);
  }

  /// returns  how many the collector has refused of what it took; nothing: it has not taken it
  Task<std::optional<std::uint64_t>> post(HttpClient& client, std::string path, std::string text) {
    Duration pause = options_.retry_pause;
    for (unsigned tries = 0;; ++tries) {
      ClientRequest request = client.request(Method::post, options_.endpoint + path);
      for (const auto& [name, value] : options_.headers) {
        request.header(name, value);
      }
      request.body(text, "application/json").timeout(options_.timeout).only_once();
      auto sending = request.send();
      const auto reply = co_await std::move(sending);
      if (reply && reply->is_ok()) {
        co_return rejected_by(reply->body());
      }
      // What came of an answer that is too large or none is not known to be worth another try.
      const bool is_to_be_asked_again =
          reply ? is_busy(reply->status()) : reply.error().fault != ClientFault::too_large;
      if (!is_to_be_asked_again || tries >= options_.retries_max) {
        co_return std::nullopt;
      }
      co_await sleep_for(pause);
      pause = std::min(2 * pause, kPauseMax);
    }
  }

  OtlpOptions options_;
  detail::otlp::Attributes resource_;
  const std::int64_t began_ns_ = unix_nanoseconds();
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> rejected_{0};
  std::mutex mutex_;
  std::deque<SpanRecord> queue_;
};

/// The exporter has the metrics, so they may not have it.
void add_counts(Metrics& metrics, const std::weak_ptr<Exporter>& exporter) {
  const auto add = [&](std::string_view outcome, std::uint64_t OtlpCounts::* count) {
    metrics.counter_of("eider_spans_total", "Spans, by what became of them.",
                       {{"outcome", outcome}}, [exporter, count] {
                         const auto there = exporter.lock();
                         return there == nullptr ? 0 : static_cast<double>(there->counts().*count);
                       });
  };
  add("sent", &OtlpCounts::sent);
  add("dropped", &OtlpCounts::dropped);
  add("rejected", &OtlpCounts::rejected);
}

}  // namespace

std::shared_ptr<OtlpExport> export_otlp(App& app, OtlpOptions options) {
  if (!(options.share >= 0 && options.share <= 1)) {
    throw Failure(Error::internal("export_otlp: a share is from 0 to 1"));
  }
  const TraceOptions traces = options.traces;
  const std::shared_ptr<Metrics> metrics = options.metrics;
  const Duration flush_within = options.flush_within;
  const auto exporter = std::make_shared<Exporter>(std::move(options));
  if (metrics != nullptr) {
    add_counts(*metrics, exporter);
  }
  trace_requests(app, exporter, traces);
  app.background("otlp", [exporter] { return exporter->run(); });
  app.on_stop(
      "otlp", [exporter] { return exporter->flush(); },
      (2 * flush_within) + std::chrono::seconds(1));
  return exporter;
}

}  // namespace eider
