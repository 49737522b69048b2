// A span of a trace: an operation with a duration, recorded for the current request or job.
// Layering: must not cost more than one look at a pointer of the thread if nothing is traced.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "eider/core/base/work.h"

namespace eider {

/// An open span, or none if the current work is not traced. Other work is not nested in it.
class OpenSpan {
 public:
  /// Creates no span.
  OpenSpan() noexcept = default;
  /// Starts a span of the current work.
  [[nodiscard]] static OpenSpan begin(std::string_view name, SpanKind kind);
  OpenSpan(OpenSpan&&) noexcept = default;
  OpenSpan& operator=(OpenSpan&&) noexcept = default;
  /// A span that was not ended was canceled.
  ~OpenSpan() { end("canceled"); }

  [[nodiscard]] bool is_there() const noexcept { return open_ != nullptr; }
  /// Returns its place in the trace. Pre: is_there().
  [[nodiscard]] const TracePlace& place() const noexcept { return open_->place; }
  [[nodiscard]] const std::string& state() const noexcept { return open_->state; }
  /// name  lives as long as the program
  void set(std::string_view name, SpanValue value);
  /// Ends the span. error  empty: success
  void end(std::string_view error = {}) noexcept;

 private:
  struct Open : SpanRecord {
    std::shared_ptr<SpanSink> sink;
  };
  std::unique_ptr<Open> open_;
};

/// A span of a trace. Until its end, all work belongs to it: statements, requests, other spans, log
/// lines; also in a coroutine that waits.
///
///     Span span("charge the card");
///     span.set("cents", 1200);
class Span {
 public:
  explicit Span(std::string_view name, SpanKind kind = SpanKind::internal);
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  /// Marks the span as failed if an exception ends it.
  ~Span();

  /// name  must live as long as the program, like a literal
  void set(std::string_view name, SpanValue value) { open_.set(name, std::move(value)); }
  void fail(std::string_view why) { error_ = why; }

 private:
  OpenSpan open_;
  WorkRef before_;
  WorkRef within_;
  std::string error_;
  int thrown_;
};

/// A state of an app: the sink for spans of its jobs and of functions of `every`; null: none.
struct JobSpans {
  std::shared_ptr<SpanSink> sink;
};

}  // namespace eider
