#include "eider/core/base/span.h"

#include <exception>

namespace eider {

OpenSpan OpenSpan::begin(std::string_view name, SpanKind kind) {
  OpenSpan span;
  const Work* const work = Work::current();
  if (work == nullptr || work->spans == nullptr || !work->place.is_sampled) [[likely]] {
    return span;
  }
  span.open_ = std::make_unique<Open>();
  Open& open = *span.open_;
  open.place = work->place;
  open.place.span = next_span_id();
  open.parent = work->place.span;
  open.kind = kind;
  open.name = name;
  open.state = work->state;
  open.began_ns = unix_nanoseconds();
  open.sink = work->spans;
  return span;
}

void OpenSpan::set(std::string_view name, SpanValue value) {
  if (open_ != nullptr) {
    open_->attributes.push_back({name, std::move(value)});
  }
}

void OpenSpan::end(std::string_view error) noexcept {
  if (const std::unique_ptr<Open> open = std::move(open_)) {
    try {
      open->error = error;
      open->ended_ns = unix_nanoseconds();
      open->sink->take(std::move(*open));
    } catch (...) {
      // There is no memory for a span, so the work continues without one.
    }
  }
}

Span::Span(std::string_view name, SpanKind kind)
    : open_(OpenSpan::begin(name, kind)), thrown_(std::uncaught_exceptions()) {
  if (!open_.is_there()) {
    return;
  }
  const Work& outer = *Work::current();
  auto* const inner = new Work;
  within_ = WorkRef::to_new(inner);
  inner->set_request_id(outer.request_id());
  inner->place = open_.place();
  inner->state = outer.state;
  inner->spans = outer.spans;
  inner->method = outer.method;
  inner->route = outer.route;
  inner->set_outer(outer);
  before_ = WorkRef(&outer);
  WorkKept::enter(within_);
}

Span::~Span() {
  if (!open_.is_there()) {
    return;
  }
  if (Work::current() == within_.get()) {  // false if another coroutine ends it
    // The work may have ended meanwhile, so this may be its last reference.
    WorkKept::enter(std::move(before_));
  }
  open_.end(std::uncaught_exceptions() > thrown_ ? "an exception" : std::string_view(error_));
}

}  // namespace eider
