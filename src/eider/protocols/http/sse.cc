#include "eider/protocols/http/sse.h"

#include <algorithm>
#include <string>

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kLineEnds = "\r\n";
constexpr std::string_view kLineEndsAndNul("\r\n\0", 3);
/// The digits of a retry time that clients can process: over a thousand years.
constexpr std::size_t kRetryDigitsMax = 14;

/// The text up to its first line end, and the text after that.
struct FirstLine {
  std::string_view line;
  std::optional<std::string_view> rest;
};

FirstLine first_line(std::string_view text) noexcept {
  const std::size_t end = text.find_first_of(kLineEnds);
  if (end == std::string_view::npos) {
    return {text, std::nullopt};
  }
  const std::size_t end_bytes = text.substr(end).starts_with("\r\n") ? 2 : 1;
  return {text.substr(0, end), text.substr(end + end_bytes)};
}

void write_field(Buffer& out, std::string_view name, std::string_view value) {
  out.append(name);
  out.append(value.empty() ? ":" : ": ");
  out.append(value);
  out.append('\n');
}

void write_lines(Buffer& out, std::string_view name, std::string_view text) {
  std::optional<std::string_view> rest = text;
  while (rest.has_value()) {
    const FirstLine first = first_line(*rest);
    write_field(out, name, first.line);
    rest = first.rest;
  }
}

Result<void, SseError> check(const SseEvent& event) {
  if (event.event.find_first_of(kLineEndsAndNul) != std::string_view::npos) {
    return fail(SseError::bad_event);
  }
  if (event.id.find_first_of(kLineEndsAndNul) != std::string_view::npos) {
    return fail(SseError::bad_id);
  }
  if (event.retry.has_value() && event.retry->count() < 0) {
    return fail(SseError::bad_retry);
  }
  return {};
}

}  // namespace

std::string_view text(SseError error) noexcept {
  switch (error) {
    case SseError::bad_event:
      return "the name of an event contains a line break or NUL";
    case SseError::bad_id:
      return "the id of an event contains a line break or NUL";
    case SseError::bad_retry:
      return "the retry time of an event is negative";
  }
  return "";
}

void write_comment(Buffer& out, std::string_view text) {
  write_lines(out, "", text);
}

Result<void, SseError> write_event(Buffer& out, const SseEvent& event) {
  // Everything is checked before writing, so that an error leaves the buffer unchanged.
  if (auto checked = check(event); !checked) {
    return checked;
  }
  if (!event.comment.empty()) {
    write_comment(out, event.comment);
  }
  if (event.retry.has_value()) {
    write_field(out, "retry", std::to_string(event.retry->count()));
  }
  if (!event.id.empty()) {
    write_field(out, "id", event.id);
  }
  if (!event.event.empty()) {
    write_field(out, "event", event.event);
  }
  // An empty event with a name still needs a data line: clients dispatch nothing without one.
  if (!event.event.empty() || !event.data.empty()) {
    write_lines(out, "data", event.data);
  }
  out.append('\n');
  return {};
}

SseStatus SseParser::refuse() noexcept {
  state_ = State::refused;
  return SseStatus::refused;
}

void SseParser::forget_event() noexcept {
  is_told_ = false;
  has_data_ = false;
  event_.clear();
  data_.clear();
}

/// Ignores one leading U+FEFF, which may arrive in pieces.
///
/// returns  the number of bytes that belong to it, or may belong to it
std::size_t SseParser::read_mark(std::string_view in) {
  const std::string_view missing = kByteOrderMark.substr(line_.size());
  const std::size_t size = std::min(missing.size(), in.size());
  if (in.substr(0, size) != missing.substr(0, size)) {
    state_ = State::line;  // the bytes so far are the start of the first line
    return 0;
  }
  line_.append(in.substr(0, size));
  if (line_.size() == kByteOrderMark.size()) {
    line_.clear();
    state_ = State::line;
  }
  return size;
}

SseStep SseParser::read(std::string_view in) {
  // The event that was returned last was valid until this call.
  if (is_told_) {
    forget_event();
  }
  std::size_t at = 0;
  while (at < in.size() && state_ != State::refused) {
    const SseStep step = read_some(in.substr(at));
    at += step.consumed;
    if (step.status == SseStatus::event) {
      return {step.status, at};
    }
  }
  return {state_ == State::refused ? SseStatus::refused : SseStatus::need_more, at};
}

SseStep SseParser::read_some(std::string_view in) {
  switch (state_) {
    case State::start:
      return {SseStatus::need_more, read_mark(in)};
    case State::behind_return:
      // A CR has already ended its line; an LF after it belongs to the same line end.
      state_ = State::line;
      return {SseStatus::need_more, in.front() == '\n' ? 1U : 0U};
    case State::line:
      return read_line(in);
    case State::refused:
      break;
  }
  return {SseStatus::refused, 0};
}

SseStep SseParser::read_line(std::string_view in) {
  const std::size_t size = std::min(in.find_first_of(kLineEnds), in.size());
  if (line_.size() + size > limits_.line_bytes_max) {
    return {refuse(), 0};
  }
  if (size == in.size()) {
    line_.append(in);
    return {SseStatus::need_more, size};
  }
  state_ = in[size] == '\r' ? State::behind_return : State::line;
  std::string_view line = in.substr(0, size);
  if (!line_.empty()) {
    line = line_.append(line);
  }
  const SseStatus status = take_line(line);
  line_.clear();
  return {status, size + 1};
}

SseStatus SseParser::take_line(std::string_view line) {
  if (line.empty()) {
    return dispatch();
  }
  const std::size_t colon = std::min(line.find(':'), line.size());
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  return take_field(line.substr(0, colon), value);
}

/// Ends a block. Without data it is not an event, but its ID counts.
SseStatus SseParser::dispatch() {
  last_event_id_ = id_;
  if (!has_data_) {
    forget_event();
    return SseStatus::need_more;
  }
  is_told_ = true;
  return SseStatus::event;
}

SseStatus SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    const std::string_view between = has_data_ ? "\n" : "";
    if (data_.size() + between.size() + value.size() > limits_.data_bytes_max) {
      return refuse();
    }
    data_.append(between).append(value);
    has_data_ = true;
  } else if (name == "event") {
    event_ = value;
  } else if (name == "id" && !value.contains('\0')) {
    id_ = value;
  } else if (name == "retry") {
    take_retry(value);
  }
  return SseStatus::need_more;
}

/// If the value has other characters than digits, the field is ignored.
void SseParser::take_retry(std::string_view value) noexcept {
  const std::optional<std::uint64_t> count = parse_uint64(value);
  if (count.has_value() && value.size() <= kRetryDigitsMax) {
    retry_ = std::chrono::milliseconds(*count);
  }
}

}  // namespace eider
