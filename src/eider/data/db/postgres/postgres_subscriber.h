// Receives notifications of PostgreSQL (LISTEN) on a shared connection that reconnects
// automatically.
// Layering: must not hide missed notifications; a gap is reported as a message.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// A message of a channel, or a gap.
///
/// channel  of the message
/// payload  text of less than 8,000 bytes
/// missed   for a gap: number of messages that did not fit in the queue; 0: the connection was
///          lost, and the number is unknown
struct PostgresMessage {
  std::string channel{};
  std::string payload{};
  bool is_gap = false;
  std::size_t missed = 0;
};

struct PostgresSubscriberOptions {
  /// Maximum number of messages that wait for a slow reader; further messages are dropped, and
  /// reported as a gap.
  std::size_t messages_max = 4096;
  std::size_t bytes_max = std::size_t{8} * 1024 * 1024;
};

/// Receives notifications on the event loop that created it. One task receives.
///
///     PostgresSubscriber news(db);
///     co_await news.subscribe("news");
///     while (true) {
///       const PostgresMessage message = co_await news.receive();
///       …
///     }
///
/// All subscribers of a Database on one event loop share one connection, which is not part of the
/// pool: a subscriber for each client needs no further connection. After a lost connection, it
/// reconnects and listens again, and each subscriber gets a message with `is_gap` before the next
/// ones. If that message was received before the connection is restored, another one follows; after
/// it, nothing is missed.
class PostgresSubscriber {
 public:
  /// errors  Failure(open), thrown: `database` is not of PostgreSQL
  explicit PostgresSubscriber(const Database& database,
                              const PostgresSubscriberOptions& options = {});
  ~PostgresSubscriber();
  PostgresSubscriber(const PostgresSubscriber&) = delete;
  PostgresSubscriber& operator=(const PostgresSubscriber&) = delete;

  /// Returns when the server listens: everything that is committed later is received. If that fails
  /// within PostgresOptions::wait_time_max, the subscription is still made as soon as there is a
  /// connection.
  ///
  /// channel  a name of 1 to 63 bytes, exactly as in NOTIFY, including quotes, spaces and case
  /// errors   Failure(values), (statement)  the server rejects it, or the name is invalid: not
  ///          subscribed
  ///          Failure(busy)  1,000 channels are used on this event loop
  ///          Failure(lost)  no response in time
  [[nodiscard]] Task<> subscribe(std::string channel);
  /// Stops receiving messages of the channel, except those already in the queue. After the last
  /// subscriber of an event loop, the server is informed.
  [[nodiscard]] Task<> unsubscribe(std::string channel);

  /// Waits for the next message. May be canceled; no message is lost then.
  ///
  /// errors  Failure(values), (statement), thrown once: the server has rejected a channel after its
  ///         `subscribe` had stopped waiting; the channel is not subscribed
  [[nodiscard]] Task<PostgresMessage> receive();

 private:
  class Feed;
  std::unique_ptr<Feed> feed_;
};

/// Notifies all listeners of `channel`: immediately, or if `on` is a Transaction, when it commits.
/// Within one transaction, equal payloads are sent only once.
///
///     co_await notify(transaction, "news", "7");
///
/// channel  as in PostgresSubscriber::subscribe
/// payload  text of less than 8,000 bytes: the key of the new data rather than the data itself
/// errors   Failure(values), thrown by the call: invalid `channel`, or `payload` too long
///          Failure(values)  a zero byte
///          and those of any statement
[[nodiscard]] db::Pending<db::detail::ExecJob> notify(const db::Statements& on,
                                                      std::string_view channel,
                                                      std::string_view payload = {});

}  // namespace eider
