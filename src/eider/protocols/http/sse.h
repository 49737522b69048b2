// Server-sent events, written and read (WHATWG HTML, section 9.2: text/event-stream).
// Layering: must not know connections or time: the caller decides when to reconnect.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"

namespace eider {

inline constexpr std::string_view kTextEventStream = "text/event-stream";

/// One event of an event stream; empty members are omitted.
struct SseEvent {
  /// The type of the event; clients treat an empty one as "message". Must not contain a line break.
  std::string_view event{};
  /// May contain lines, ended by LF, CR or CRLF: the client gets LF.
  std::string_view data{};
  /// The ID that the client sends when it reconnects. Must not contain a line break or NUL.
  std::string_view id{};
  /// The delay before the client reconnects, from now on.
  std::optional<std::chrono::milliseconds> retry{};
  /// For people and proxies; clients ignore it.
  std::string_view comment{};
};

enum class SseError : std::uint8_t { bad_event, bad_id, bad_retry };

/// Returns a sentence without a period.
[[nodiscard]] std::string_view text(SseError error) noexcept;

/// Appends the event. An event without type and data sets the client's ID or retry time, and is not
/// delivered to listeners.
///
/// errors   bad_event, bad_id  a line break or NUL; bad_retry  negative; nothing is written then
/// source   WHATWG HTML, section 9.2.5
[[nodiscard]] Result<void, SseError> write_event(Buffer& out, const SseEvent& event);

/// Appends `text` as comment lines, which clients ignore.
void write_comment(Buffer& out, std::string_view text);

struct SseLimits {
  std::size_t line_bytes_max = 64UL * 1024;
  /// Maximum data of one event, with its line breaks.
  std::size_t data_bytes_max = 1024UL * 1024;
};

enum class SseStatus : std::uint8_t { need_more, event, refused };

/// consumed  bytes to drop from the front of the input: all of it at need_more
struct SseStep {
  SseStatus status;
  std::size_t consumed;
};

/// Parses the events of a stream piece by piece. An incomplete event at the end is dropped.
///
///     while ((step = parser.read(in)).status == SseStatus::event) {
///       … parser.event() … in.remove_prefix(step.consumed);
///     }
class SseParser {
 public:
  explicit SseParser(const SseLimits& limits = {}) noexcept : limits_(limits) {}

  /// Reads to the next event.
  ///
  /// returns  event      see event(), data() and last_event_id()
  ///          need_more  all of `in` is consumed
  ///          refused    a line or an event's data exceeds the limits; each later call returns
  ///                     this, too
  /// source   WHATWG HTML, section 9.2.6
  [[nodiscard]] SseStep read(std::string_view in);

  /// Returns the type of the last event, valid until the next read; "message" by default.
  [[nodiscard]] std::string_view event() const noexcept {
    return event_.empty() ? std::string_view("message") : std::string_view(event_);
  }
  [[nodiscard]] std::string_view data() const noexcept { return data_; }
  /// Returns the ID to send as Last-Event-ID, of the last event.
  [[nodiscard]] std::string_view last_event_id() const noexcept { return last_event_id_; }
  /// Returns whether an incomplete event has been received; comments do not count.
  [[nodiscard]] bool is_within_event() const noexcept {
    return !is_told_ && (!line_.empty() || has_data_ || !event_.empty() || id_ != last_event_id_);
  }
  /// Returns the delay that the stream requested, if any.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

 private:
  enum class State : std::uint8_t { start, line, behind_return, refused };

  [[nodiscard]] std::size_t read_mark(std::string_view in);
  [[nodiscard]] SseStep read_some(std::string_view in);
  [[nodiscard]] SseStep read_line(std::string_view in);
  [[nodiscard]] SseStatus take_line(std::string_view line);
  [[nodiscard]] SseStatus dispatch();
  [[nodiscard]] SseStatus take_field(std::string_view name, std::string_view value);
  [[nodiscard]] SseStatus refuse() noexcept;
  void take_retry(std::string_view value) noexcept;
  void forget_event() noexcept;

  SseLimits limits_;
  State state_ = State::start;
  bool is_told_ = false;  // the current event was returned
  bool has_data_ = false;
  std::string line_;  // the start of an incomplete line
  std::string event_;
  std::string data_;
  std::string id_;
  std::string last_event_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace eider
