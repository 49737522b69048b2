// The request or job for which code runs: its name and its place in a trace.
// Layering: must not cost more than one look at a pointer of the thread if nothing is traced.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "eider/core/base/intrusive_list.h"

namespace eider {

class WaitNote;

/// A place in a trace, as in W3C Trace Context. All zeros: none.
struct TracePlace {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;
  bool is_sampled = false;

  [[nodiscard]] bool is_there() const noexcept { return (trace_high | trace_low) != 0; }
};

/// Reads a traceparent header. Returns nothing if it is invalid. Accepts this version and later
/// ones.
///
/// source  W3C Trace Context, section 3.2
[[nodiscard]] std::optional<TracePlace> read_traceparent(std::string_view text) noexcept;
/// Returns the header value: "00-<32 digits>-<16 digits>-01".
[[nodiscard]] std::string traceparent_text(const TracePlace& place);
/// Returns whether a tracestate may be forwarded: up to 512 bytes of printable ASCII.
///
/// source  W3C Trace Context, section 3.3
[[nodiscard]] bool is_tracestate(std::string_view text) noexcept;

/// Return 32 and 16 hexadecimal digits.
[[nodiscard]] std::string trace_id_text(const TracePlace& place);
[[nodiscard]] std::string span_id_text(std::uint64_t span);

/// The values are those of OTLP.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3, producer = 4 };

using SpanValue = std::variant<std::string, std::int64_t, double, bool>;
/// name  lives as long as the program
struct SpanAttribute {
  std::string_view name;
  SpanValue value;
};

/// A finished span.
struct SpanRecord {
  TracePlace place;
  std::uint64_t parent = 0;  // 0: it is the root of its trace
  SpanKind kind = SpanKind::internal;
  std::string name;
  std::int64_t began_ns = 0;  // nanoseconds since 1970
  std::int64_t ended_ns = 0;
  std::vector<SpanAttribute> attributes;
  std::string error;  // empty: success
  std::string state;  // the tracestate header
};

/// Receives spans, from any thread, and does not block.
class SpanSink {
 public:
  SpanSink() = default;
  SpanSink(const SpanSink&) = delete;
  SpanSink& operator=(const SpanSink&) = delete;
  virtual ~SpanSink() = default;
  virtual void take(SpanRecord span) noexcept = 0;
  /// Returns whether to record the spans of a trace that starts here.
  [[nodiscard]] virtual bool samples(const TracePlace& /*place*/) const noexcept { return true; }
};

/// Returns a new span ID. It is unique, not secret, and never 0. Each thread has a generator with a
/// seed from the kernel.
[[nodiscard]] std::uint64_t next_span_id() noexcept;
/// Returns hexadecimal digits, the most significant first.
[[nodiscard]] std::array<char, 16> id_digits(std::uint64_t id) noexcept;
/// Returns nanoseconds since 1970 from the system clock.
[[nodiscard]] std::int64_t unix_nanoseconds() noexcept;

/// A request or a job that is being processed. Its code finds it with `current`, also after it was
/// suspended and in tasks that it has started (runtime/suspended.h).
///
/// Created by the code that traces requests; does not change after application code has run in it.
class Work {
 public:
  Work() = default;
  ~Work() { release(outermost_); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// Returns the work of this thread; null: not traced.
  [[nodiscard]] static const Work* current() noexcept { return current_; }

  // Reuses freed objects of the thread, so that a traced request allocates nothing.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* work) noexcept;

  /// Sets the request ID; it is cut after 64 bytes.
  void set_request_id(std::string_view text) noexcept {
    request_id_size_ = static_cast<std::uint8_t>(text.copy(request_id_.data(), request_id_.size()));
  }
  [[nodiscard]] std::string_view request_id() const noexcept {
    return {request_id_.data(), request_id_size_};
  }

  TracePlace place;
  std::uint64_t parent = 0;         // the span that made this request; 0: none
  std::string state;                // the tracestate as received, for forwarding
  std::shared_ptr<SpanSink> spans;  // null: its spans are not recorded
  /// The method and the route of a request; both live as long as the server.
  std::string_view method;
  std::string_view route;

  /// Sets the work that contains this one, and reports to it what this one waits for.
  void set_outer(const Work& outer) noexcept;
  /// Returns what this work waits for. Pre: on the thread that created it.
  [[nodiscard]] const IntrusiveList<WaitNote>& waits() const noexcept { return waits_; }

 private:
  friend class WorkRef;
  friend class WorkKept;
  friend class WaitNote;

  static inline constinit thread_local const Work* current_ = nullptr;

  [[nodiscard]] const Work& outermost() const noexcept {
    return outermost_ == nullptr ? *this : *outermost_;
  }
  /// Drops a reference; the last one deletes the work. work  may be null
  static void release(const Work* work) noexcept;

  std::array<char, 64> request_id_;
  std::uint8_t request_id_size_ = 0;
  mutable std::atomic<std::uint32_t> references_{0};
  mutable IntrusiveList<WaitNote> waits_;
  const Work* outermost_ = nullptr;       // referenced; null: this work itself
  const void* const thread_ = &current_;  // identifies the thread
};

/// A reference to a Work. Copies may be used on other threads.
class WorkRef {
 public:
  WorkRef() noexcept = default;
  explicit WorkRef(const Work* work) noexcept : work_(work) {
    if (work_ != nullptr) [[unlikely]] {
      work_->references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// References a work that has no reference yet, which needs no locked instruction. Pre: not null
  [[nodiscard]] static WorkRef to_new(const Work* work) noexcept {
    work->references_.store(1, std::memory_order_relaxed);
    WorkRef made;
    made.work_ = work;
    return made;
  }
  WorkRef(const WorkRef& other) noexcept : WorkRef(other.work_) {}
  WorkRef(WorkRef&& other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
  WorkRef& operator=(WorkRef other) noexcept {
    std::swap(work_, other.work_);
    return *this;
  }
  ~WorkRef() {
    if (work_ != nullptr) [[unlikely]] {
      Work::release(work_);
    }
  }
  [[nodiscard]] const Work* get() const noexcept { return work_; }

 private:
  const Work* work_ = nullptr;
};

/// Restores the thread's current work at its end, if code entered another work meanwhile.
class WorkKept {
 public:
  WorkKept() noexcept : before_(Work::current_), outer_(std::exchange(innermost_, this)) {}
  WorkKept(const WorkKept&) = delete;
  WorkKept& operator=(const WorkKept&) = delete;
  ~WorkKept() {
    Work::current_ = before_;
    innermost_ = outer_;
  }

  /// Enters a work within the lifetime of a WorkKept. work  kept alive by the caller
  static void enter(const Work* work) noexcept { Work::current_ = work; }
  /// Enters a work that the innermost WorkKept keeps alive until its end, or until it enters
  /// another. If there is no WorkKept, the thread has no current work afterwards.
  static void enter(WorkRef work) noexcept;

 private:
  static inline constinit thread_local WorkKept* innermost_ = nullptr;

  const Work* before_;
  WorkKept* outer_;
  WorkRef entered_;
};

/// Records for the current work what its coroutine waits for, as long as this object lives.
///
///     const WaitNote waits(WaitNote::What::request, "GET http://stock", Loop::current().now());
class WaitNote : private ListNode {
 public:
  enum class What : std::uint8_t { statement, command, request, sleep, thread, client };

  /// Records nothing.
  WaitNote() noexcept = default;
  WaitNote(What what, std::string_view text, std::chrono::steady_clock::time_point since) noexcept {
    begin(what, text, since);
  }
  ~WaitNote() { end(); }

  /// text  must not contain values or secrets, and must live until the end
  void begin(What what, std::string_view text,
             std::chrono::steady_clock::time_point since) noexcept {
    if (Work::current() != nullptr) [[unlikely]] {
      tell(what, text, since);
    }
  }
  void end() noexcept {
    if (is_linked()) [[unlikely]] {
      unlink();
      work_ = WorkRef();
    }
  }

  [[nodiscard]] bool is_there() const noexcept { return is_linked(); }
  /// Pre: is_there(), for these four.
  [[nodiscard]] const Work* work() const noexcept { return work_.get(); }
  [[nodiscard]] What what() const noexcept { return what_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] std::chrono::steady_clock::time_point since() const noexcept { return since_; }

 private:
  friend class IntrusiveList<WaitNote>;

  void tell(What what, std::string_view text, std::chrono::steady_clock::time_point since) noexcept;

  What what_ = What::client;
  std::string_view text_;
  std::chrono::steady_clock::time_point since_;
  WorkRef work_;
};

/// Returns "statement", "command", "request", "sleep", "thread" or "client".
[[nodiscard]] std::string_view to_text(WaitNote::What what) noexcept;

inline void WorkKept::enter(WorkRef work) noexcept {
  Work::current_ = innermost_ == nullptr ? nullptr : work.get();
  if (innermost_ != nullptr) {
    std::swap(innermost_->entered_, work);
  }
}

/// Makes a work the current one of the thread as long as this object lives.
class Within {
 public:
  explicit Within(WorkRef work) noexcept { WorkKept::enter(std::move(work)); }
  /// work  kept alive by the caller as long as this object lives
  explicit Within(const Work* work) noexcept { WorkKept::enter(work); }

 private:
  WorkKept kept_;
};

}  // namespace eider
