// Streams of generated clients: server-sent events and JSON lines.
// Layering: must not reconnect by itself: the caller decides about events that were missed in
// between.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/client/client_response.h"
#include "eider/core/base/result.h"
#include "eider/core/json/read.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/sse.h"

namespace eider {

/// Limits of streams. The limit for silence is ClientOptions::between_bytes.
struct ApiStreamLimits {
  /// Maximum size of one event or line.
  std::size_t item_bytes_max = std::size_t{1024} * 1024;
  /// Time limit for an event or a line, from its first byte.
  Duration item_within = std::chrono::seconds(30);
};

/// event  "message" by default
/// id     the last ID, to be sent as Last-Event-ID
template <class T>
struct ApiEvent {
  std::string event;
  T data;
  std::string id;
};

namespace detail::client {

/// Returns a 502 for a response that does not match the document; its cause has the reason.
[[nodiscard]] Error not_as_told(const Error& fault);

template <class T>
[[nodiscard]] Result<T> read_told(std::string_view text) {
  Result<T> value = json::read<T>(text, {.unknown_members = json::UnknownMembers::kIgnore});
  if (!value) {
    value = fail(not_as_told(value.error()));
  }
  return value;
}

/// Splits a stream into lines, regardless of how its bytes are cut. Omits lines that contain only
/// spaces; the last line needs no line end.
class ItemLines {
 public:
  enum class Status : std::uint8_t { need_more, line, too_long };
  struct Step {
    Status status;
    std::size_t consumed;
  };

  explicit ItemLines(std::size_t line_bytes_max) noexcept : line_bytes_max_(line_bytes_max) {}

  /// Reads to the end of the next line.
  ///
  /// returns  need_more  all of `in` is consumed
  ///          line       line() returns it, until the next call
  [[nodiscard]] Step read(std::string_view in);
  /// Called after the end of the stream. Returns whether there is another line.
  [[nodiscard]] bool take_last();
  [[nodiscard]] bool is_within_line() const noexcept { return !is_told_ && !line_.empty(); }
  [[nodiscard]] std::string_view line() const noexcept { return line_; }

 private:
  std::size_t line_bytes_max_;
  std::string line_;
  bool is_told_ = false;  // line() was returned already
};

/// Reads the body of a response item by item.
class ItemStream {
 public:
  ItemStream(ClientStream stream, const ApiStreamLimits& limits)
      : stream_(std::move(stream)), limits_(limits) {}
  ItemStream(const ItemStream&) = delete;
  ItemStream& operator=(const ItemStream&) = delete;
  virtual ~ItemStream() = default;

  /// returns  whether there is another item; false: the end, also for later calls
  /// errors   502, 504: nothing more follows, also for later calls
  [[nodiscard]] Task<Result<bool>> next();

 protected:
  enum class Step : std::uint8_t { need_more, item, too_large };

  /// Reads from the front of `in`; all of it if it returns need_more.
  [[nodiscard]] virtual Step read(std::string_view& in) = 0;
  /// Called after the end of the body. Returns whether that has completed an item.
  [[nodiscard]] virtual bool take_last() { return false; }
  [[nodiscard]] virtual bool is_within_item() const = 0;

 private:
  /// returns  some bytes of the body; empty: the end
  [[nodiscard]] Task<Result<std::string_view>> more();
  void end(std::optional<Error> fault);

  std::optional<ClientStream> stream_;  // none after the end
  ApiStreamLimits limits_;
  std::string_view unread_;     // valid until the next read from the stream
  std::optional<Instant> due_;  // of an incomplete item
  std::optional<Error> fault_;
};

class EventItems final : public ItemStream {
 public:
  EventItems(ClientStream stream, const ApiStreamLimits& limits)
      : ItemStream(std::move(stream), limits),
        parser_(
            {.line_bytes_max = limits.item_bytes_max, .data_bytes_max = limits.item_bytes_max}) {}

  [[nodiscard]] const SseParser& parser() const noexcept { return parser_; }

 private:
  [[nodiscard]] Step read(std::string_view& in) override;
  [[nodiscard]] bool is_within_item() const override { return parser_.is_within_event(); }

  SseParser parser_;
};

class LineItems final : public ItemStream {
 public:
  LineItems(ClientStream stream, const ApiStreamLimits& limits)
      : ItemStream(std::move(stream), limits), lines_(limits.item_bytes_max) {}

  [[nodiscard]] std::string_view line() const noexcept { return lines_.line(); }

 private:
  [[nodiscard]] Step read(std::string_view& in) override;
  [[nodiscard]] bool take_last() override { return lines_.take_last(); }
  [[nodiscard]] bool is_within_item() const override { return lines_.is_within_line(); }

  ItemLines lines_;
};

}  // namespace detail::client

/// Server-sent events whose data is a T, as JSON; or as plain text if T is std::string.
///
///     auto ticks = co_await client.ticks();
///     while (true) {
///       auto next = co_await ticks->next();
///       if (!next || !*next) break;              // an error, or the end
///       use((*next)->data);
///     }
///
/// Destroying it ends the request. Destroy a task that waits for the next event before.
template <class T>
class ApiEvents {
 public:
  ApiEvents(ClientStream stream, const ApiStreamLimits& limits)
      : items_(std::make_unique<detail::client::EventItems>(std::move(stream), limits)) {}

  /// Waits for the next event. Only one task may wait. To limit the wait:
  /// with_deadline(events.next(), 5s), which loses no event.
  ///
  /// returns  the next event; nothing: the end, also for later calls
  /// errors   504  silence, or an event that arrived too slowly; nothing more follows
  ///          502  the connection is lost, or the event too large; nothing more follows
  ///          502  "does not match its OpenAPI document": the data is not a T; the next call
  ///               continues after it
  [[nodiscard]] Task<Result<std::optional<ApiEvent<T>>>> next() { return take(*items_); }
  /// Returns the ID to send as Last-Event-ID if the call is repeated: of the last event.
  [[nodiscard]] std::string_view last_event_id() const noexcept {
    return items_->parser().last_event_id();
  }
  /// Returns the delay before a repeated call that the server requested, if any.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept {
    return items_->parser().retry();
  }

 private:
  static Task<Result<std::optional<ApiEvent<T>>>> take(detail::client::EventItems& items) {
    const Result<bool> came = co_await items.next();
    if (!came) {
      co_return fail(came.error());
    }
    std::optional<ApiEvent<T>> event;
    if (*came) {
      Result<T> data = data_of(items.parser().data());
      if (!data) {
        co_return fail(std::move(data.error()));
      }
      event.emplace(std::string(items.parser().event()), std::move(*data),
                    std::string(items.parser().last_event_id()));
    }
    co_return std::move(event);
  }
  static Result<T> data_of(std::string_view data) {
    if constexpr (std::same_as<T, std::string>) {
      return std::string(data);
    } else {
      return detail::client::read_told<T>(data);
    }
  }

  std::unique_ptr<detail::client::EventItems> items_;  // what waits refers to it
};

/// A stream of JSON lines, each a T; like ApiEvents.
template <class T>
class ApiLines {
 public:
  ApiLines(ClientStream stream, const ApiStreamLimits& limits)
      : items_(std::make_unique<detail::client::LineItems>(std::move(stream), limits)) {}

  /// Waits for the next line.
  ///
  /// returns  the value of the next line; nothing: the end, also for later calls
  /// errors   as for ApiEvents
  [[nodiscard]] Task<Result<std::optional<T>>> next() { return take(*items_); }

 private:
  static Task<Result<std::optional<T>>> take(detail::client::LineItems& items) {
    const Result<bool> came = co_await items.next();
    if (!came) {
      co_return fail(came.error());
    }
    std::optional<T> line;
    if (*came) {
      Result<T> value = detail::client::read_told<T>(items.line());
      if (!value) {
        co_return fail(std::move(value.error()));
      }
      line.emplace(std::move(*value));
    }
    co_return std::move(line);
  }

  std::unique_ptr<detail::client::LineItems> items_;
};

}  // namespace eider
