// Server-sent events, written and read (WHATWG HTML, section 9.2: text/event-stream).
// Must not know connections, and keeps no time: when to connect again is for others.
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

/// One block of an event stream; what is empty is left out.
struct SseEvent {
  /// Which kind; the client takes an empty one for "message". No line end in it.
  std::string_view event{};
  /// May have lines, ended by LF, CR or CRLF: the client sees LF.
  std::string_view data{};
  /// What the client names when it reconnects. No line end and no NUL in it.
  std::string_view id{};
  /// How long the client waits before it reconnects, from now on.
  std::optional<std::chrono::milliseconds> retry{};
  /// For people and proxies; clients pass over it.
  std::string_view comment{};
};

enum class SseError : std::uint8_t { bad_event, bad_id, bad_retry };

/// One plain sentence without a full stop.
[[nodiscard]] std::string_view text(SseError error) noexcept;

/// Appends the event. One with neither kind nor data tells the client its id or its retry time, and
/// reaches no listener.
///
/// errors   bad_event, bad_id  a line end or NUL in it; bad_retry  negative; nothing is written
/// then source   WHATWG HTML, section 9.2.5
[[nodiscard]] Result<void, SseError> write_event(Buffer& out, const SseEvent& event);

/// Appends `text` as lines that clients pass over, and no end of an event.
void write_comment(Buffer& out, std::string_view text);

struct SseLimits {
  std::size_t line_bytes_max = 64UL * 1024;
  /// Data of one event, its line ends included.
  std::size_t data_bytes_max = 1024UL * 1024;
};

enum class SseStatus : std::uint8_t { need_more, event, refused };

/// consumed  bytes to drop from the front of the input: all of it at need_more
struct SseStep {
  SseStatus status;
  std::size_t consumed;
};

/// The events of a stream, however its bytes are cut. What the stream ends within is no event.
///
///     while ((step = parser.read(in)).status == SseStatus::event) {
///       … parser.event() … in.remove_prefix(step.consumed);
///     }
class SseParser {
 public:
  explicit SseParser(const SseLimits& limits = {}) noexcept : limits_(limits) {}

  /// Reads to the next event.
  ///
  /// returns  event      event(), data() and last_event_id() say what
  ///          need_more  all of `in` is consumed
  ///          refused    a line or an event's data is larger than the limits; so is every later
  ///          call
  /// source   WHATWG HTML, section 9.2.6
  [[nodiscard]] SseStep read(std::string_view in);

  /// Of the event just read, valid until the next read; "message" unless the stream says another.
  [[nodiscard]] std::string_view event() const noexcept {
    return event_.empty() ? std::string_view("message") : std::string_view(event_);
  }
  [[nodiscard]] std::string_view data() const noexcept { return data_; }
  /// What to send as Last-Event-ID: as of the event last read.
  [[nodiscard]] std::string_view last_event_id() const noexcept { return last_event_id_; }
  /// Whether some of an event has come that is not read to its end; a comment between two is none.
  [[nodiscard]] bool is_within_event() const noexcept {
    return !is_told_ && (!line_.empty() || has_data_ || !event_.empty() || id_ != last_event_id_);
  }
  /// What the stream asked for, if it did.
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
  bool is_told_ = false;  // the event in hand was given out
  bool has_data_ = false;
  std::string line_;  // the beginning of a cut line
  std::string event_;
  std::string data_;
  std::string id_;
  std::string last_event_id_;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace eider
