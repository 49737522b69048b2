// Something that takes its time, as it is told to the trace of the work that it is done for.
// Must not cost work that nobody follows more than a look at one pointer of the thread's.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/core/base/work.h"

namespace eider {

/// A span that is open, or none where the work that runs is not followed. Nothing is within it.
class OpenSpan {
 public:
  /// None.
  OpenSpan() noexcept = default;
  /// Of the work that runs, from now on.
  [[nodiscard]] static OpenSpan begin(std::string_view name, SpanKind kind);
  OpenSpan(OpenSpan&&) noexcept = default;
  OpenSpan& operator=(OpenSpan&&) noexcept = default;
  /// What was not ended was given up.
  ~OpenSpan() { end("given up"); }

  [[nodiscard]] bool is_there() const noexcept { return open_ != nullptr; }
  /// Where it is in its trace. Pre: is_there().
  [[nodiscard]] const TracePlace& place() const noexcept { return open_->place; }
  [[nodiscard]] const std::string& state() const noexcept { return open_->state; }
  /// name  lives as long as the program
  void set(std::string_view name, SpanValue value);
  /// It is over. error  empty: it went well
  void end(std::string_view error = {}) noexcept;

 private:
  struct Open : SpanRecord {
    std::shared_ptr<SpanSink> sink;
  };
  std::unique_ptr<Open> open_;
};

/// Until its end, what is done is within it: statements, requests, other spans, lines of the log.
/// In a coroutine that waits, too.
///
///     Span span("charge the card");
///     span.set("cents", 1200);
class Span {
 public:
  explicit Span(std::string_view name, SpanKind kind = SpanKind::internal);
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  /// It has failed where an exception ends it.
  ~Span();

  /// name  lives as long as the program, as a literal does
  void set(std::string_view name, SpanValue value) { open_.set(name, std::move(value)); }
  void fail(std::string_view why) { error_ = why; }

 private:
  OpenSpan open_;
  WorkRef before_;
  WorkRef within_;
  std::string error_;
  int thrown_;
};

/// As a state of an app: where the spans of what its `every` calls go.
struct JobSpans {
  std::shared_ptr<SpanSink> sink;
};

}  // namespace eider
