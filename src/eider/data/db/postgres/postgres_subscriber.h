// What others publish by NOTIFY, on a connection that the loop shares and that comes back by
// itself. Must not pretend that nothing was missed: a gap is told as a message.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// What comes from a channel, or what did not.
///
/// channel  of the message
/// payload  text of less than 8,000 bytes
/// missed   of a gap: messages that the queue had no room for; 0: the connection was lost, and
///          nobody knows how many
struct PostgresMessage {
  std::string channel{};
  std::string payload{};
  bool is_gap = false;
  std::size_t missed = 0;
};

struct PostgresSubscriberOptions {
  /// What waits for a slow reader; what comes behind is left out, and told as a gap.
  std::size_t messages_max = 4096;
  std::size_t bytes_max = std::size_t{8} * 1024 * 1024;
};

/// On the loop that made it. One task receives.
///
///     PostgresSubscriber news(db);
///     co_await news.subscribe("news");
///     while (true) {
///       const PostgresMessage message = co_await news.receive();
///       …
///     }
///
/// All subscribers of a Database on one loop share one connection, which is none of the pool's: a
/// subscriber for each client of an application costs no connection. Behind a lost connection it
/// connects and listens again, and each subscriber gets a message with `is_gap` ahead of what comes
/// then; where the one of the loss was received already another one comes when all is listened to
/// again: behind it nothing is missed.
class PostgresSubscriber {
 public:
  /// errors  Failure(open), thrown: `database` is none of PostgreSQL
  explicit PostgresSubscriber(const Database& database,
                              const PostgresSubscriberOptions& options = {});
  ~PostgresSubscriber();
  PostgresSubscriber(const PostgresSubscriber&) = delete;
  PostgresSubscriber& operator=(const PostgresSubscriber&) = delete;

  /// Comes back when the server listens: all that is committed from then on comes. Where it could
  /// not be asked within PostgresOptions::wait_time_max, it is asked as soon as there is a
  /// connection, all the same.
  ///
  /// channel  a name of 1 to 63 bytes, exactly as it is notified: quotes, spaces and capitals count
  /// errors   Failure(values), (statement)  the server refuses it, or it is no such name: forgotten
  ///          Failure(busy)  1,000 channels are listened to on this loop
  ///          Failure(lost)  no answer came in time
  [[nodiscard]] Task<> subscribe(std::string channel);
  /// Nothing of it comes from then on, save what waits to be received. Behind the last subscriber
  /// of a loop the server is told.
  [[nodiscard]] Task<> unsubscribe(std::string channel);

  /// Waits for the next message. May be cancelled; nothing is lost by that.
  ///
  /// errors  Failure(values), (statement), thrown once: the server has refused a channel when
  /// nobody
  ///         waited for its answer any more; it is forgotten
  [[nodiscard]] Task<PostgresMessage> receive();

 private:
  class Feed;
  std::unique_ptr<Feed> feed_;
};

/// Tells all that listen to `channel`: at once, or where `on` is a Transaction, when that commits
/// and never otherwise. What is told twice with the same payload in one transaction is heard once.
///
///     co_await notify(transaction, "news", "7");
///
/// channel  as in PostgresSubscriber::subscribe
/// payload  text of less than 8,000 bytes: the key of what is new, rather than all of it
/// errors   Failure(values), thrown by the call: they are too long
///          Failure(values)  one has a zero byte in it
///          and those of any statement
[[nodiscard]] db::Pending<db::detail::ExecJob> notify(const db::Statements& on,
                                                      std::string_view channel,
                                                      std::string_view payload = {});

}  // namespace eider
