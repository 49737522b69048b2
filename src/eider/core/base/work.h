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

/// A place in a trace, as W3C Trace Context has it. All zeros: none.
struct TracePlace {
  std::uint64_t trace_high = 0;
  std::uint64_t trace_low = 0;
  std::uint64_t span = 0;
  bool is_sampled = false;

  [[nodiscard]] bool is_there() const noexcept { return (trace_high | trace_low) != 0; }
};

/// A traceparent field: nothing where it is none, or of another form than this or a later
/// version's.
///
/// source  W3C Trace Context, section 3.2
[[nodiscard]] std::optional<TracePlace> read_traceparent(std::string_view text) noexcept;
/// The same as text: "00-<32 digits>-<16 digits>-01".
[[nodiscard]] std::string traceparent_text(const TracePlace& place);
/// Whether a tracestate may be handed on: up to 512 bytes, all of them printable ASCII.
///
/// source  W3C Trace Context, section 3.3
[[nodiscard]] bool is_tracestate(std::string_view text) noexcept;

/// 32 and 16 hexadecimal digits.
[[nodiscard]] std::string trace_id_text(const TracePlace& place);
[[nodiscard]] std::string span_id_text(std::uint64_t span);

/// As OTLP numbers them.
enum class SpanKind : std::uint8_t { internal = 1, server = 2, client = 3, producer = 4 };

using SpanValue = std::variant<std::string, std::int64_t, double, bool>;
/// name  lives as long as the program
struct SpanAttribute {
  std::string_view name;
  SpanValue value;
};

/// Something that took its time, when it is over.
struct SpanRecord {
  TracePlace place;
  std::uint64_t parent = 0;  // 0: the first of its trace
  SpanKind kind = SpanKind::internal;
  std::string name;
  std::int64_t began_ns = 0;  // since 1970
  std::int64_t ended_ns = 0;
  std::vector<SpanAttribute> attributes;
  std::string error;  // empty: it went well
  std::string state;  // tracestate
};

/// Receives spans, from any thread, and does not block.
class SpanSink {
 public:
  SpanSink() = default;
  SpanSink(const SpanSink&) = delete;
  SpanSink& operator=(const SpanSink&) = delete;
  virtual ~SpanSink() = default;
  virtual void take(SpanRecord span) noexcept = 0;
  /// Whether the spans of a trace that begins here are wanted.
  [[nodiscard]] virtual bool samples(const TracePlace& /*place*/) const noexcept { return true; }
};

/// What a span's name stands in place of where one is made: from a seed of the kernel's, one per
/// thread, never 0. Unique, not secret.
[[nodiscard]] std::uint64_t next_span_id() noexcept;
/// Hexadecimal, the highest first.
[[nodiscard]] std::array<char, 16> id_digits(std::uint64_t id) noexcept;
/// Nanoseconds since 1970 by the system's clock.
[[nodiscard]] std::int64_t unix_nanoseconds() noexcept;

/// A request or a job that is at work. Code that runs for it finds it by `current`, and so does
/// what goes on for it when it has waited, and what it has started (runtime/suspended.h).
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

  // Of the thread's spare ones, so that a request that is followed allocates nothing.
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
  std::uint64_t parent = 0;         // the span that asked for it; 0: nobody's
  std::string state;                // tracestate as it came, to be handed on
  std::shared_ptr<SpanSink> spans;  // null: no span of it is kept
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
  /// Of what keeps it: the last one ends it. work  may be null
  static void release(const Work* work) noexcept;

  std::array<char, 64> request_id_;
  std::uint8_t request_id_size_ = 0;
  mutable std::atomic<std::uint32_t> references_{0};
  mutable IntrusiveList<WaitNote> waits_;
  const Work* outermost_ = nullptr;       // kept by this; null: this one is
  const void* const thread_ = &current_;  // whose it is: each has a place of its own
};

/// Keeps a Work. Copies may go to other threads.
class WorkRef {
 public:
  WorkRef() noexcept = default;
  explicit WorkRef(const Work* work) noexcept : work_(work) {
    if (work_ != nullptr) [[unlikely]] {
      work_->references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Of one that nobody has so far, which needs no locked instruction. Pre: not null
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

/// What is called until its end may enter some work: the thread is then back in the one before.
class WorkKept {
 public:
  WorkKept() noexcept : before_(Work::current_), outer_(std::exchange(innermost_, this)) {}
  WorkKept(const WorkKept&) = delete;
  WorkKept& operator=(const WorkKept&) = delete;
  ~WorkKept() {
    Work::current_ = before_;
    innermost_ = outer_;
  }

  /// Within a WorkKept, on the way to what is done for it. work  kept by somebody else
  static void enter(const Work* work) noexcept { Work::current_ = work; }
  /// The same of work that the innermost WorkKept keeps until its end, or until it enters another.
  /// Where there is none, nobody is followed from now on.
  static void enter(WorkRef work) noexcept;

 private:
  static inline constinit thread_local WorkKept* innermost_ = nullptr;

  const Work* before_;
  WorkKept* outer_;
  WorkRef entered_;
};

/// What a coroutine waits for, told to the work that it is done for until the end of this.
///
///     const WaitNote waits(WaitNote::What::request, "GET http://stock", Loop::current().now());
class WaitNote : private ListNode {
 public:
  enum class What : std::uint8_t { statement, command, request, sleep, thread, client };

  /// None.
  WaitNote() noexcept = default;
  WaitNote(What what, std::string_view text, std::chrono::steady_clock::time_point since) noexcept {
    begin(what, text, since);
  }
  ~WaitNote() { end(); }

  /// text  without anything that is a value or a secret; lives until the end
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
  /// Pre: is_there(), for these.
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

/// "statement", "command", "request", "sleep", "thread", "client"
[[nodiscard]] std::string_view to_text(WaitNote::What what) noexcept;

inline void WorkKept::enter(WorkRef work) noexcept {
  Work::current_ = innermost_ == nullptr ? nullptr : work.get();
  if (innermost_ != nullptr) {
    std::swap(innermost_->entered_, work);
  }
}

/// What is called until its end runs on behalf of that work.
class Within {
 public:
  explicit Within(WorkRef work) noexcept { WorkKept::enter(std::move(work)); }
  /// work  kept by somebody else until the end of this
  explicit Within(const Work* work) noexcept { WorkKept::enter(work); }

 private:
  WorkKept kept_;
};

}  // namespace eider
