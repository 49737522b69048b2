// Mails that are sent only if the transaction that wrote them is committed.
// Layering: must not send within a request; a worker sends the mails of a table.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "eider/app/app.h"
#include "eider/auth/mail/mail.h"
#include "eider/auth/mail/mail_transport.h"
#include "eider/core/base/log.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/time.h"

namespace eider {

struct OutboxOptions {
  /// smtp(…), mail_files(…), mail_log(), or a TestMailbox.
  std::shared_ptr<MailTransport> transport = {};
  /// Maximum number of mails that this process sends at once.
  unsigned senders = 1;
  /// Maximum number of attempts; then a mail has failed finally, as after a permanent rejection.
  unsigned attempts_max = 12;
  /// Pause before the second attempt; it doubles for each further one, with a random variation of
  /// up to a quarter. With twelve attempts, a mail is tried for nearly five hours.
  Duration first_pause = std::chrono::seconds(10);
  Duration pause_max = std::chrono::hours(2);
  /// Time for which a process reserves a mail. Four fifths of it must be longer than the timeouts
  /// of the transport, otherwise startup fails, because mails could be sent twice.
  Duration lease = std::chrono::minutes(15);
  /// Interval of checks for due mails. While no mail waits, and this process has added none, there
  /// is a check every ten seconds, for mails of other processes.
  Duration interval = std::chrono::milliseconds(500);
  /// Maximum number and bytes of waiting mails; above it, `add` returns 503.
  std::size_t waiting_max = 100'000;
  std::size_t waiting_bytes_max = std::size_t{1} << 30U;
  /// Maximum size of one encoded mail that the server accepts, up to kMailBytesMax. Larger mails
  /// get a 422.
  std::size_t mail_bytes_max = kMailBytesMax;
  /// Time for which finally failed mails are stored for inspection, and their maximum bytes in
  /// total. Above the limit, the oldest are deleted. The limit is needed because users can enter
  /// addresses that a server rejects.
  Duration dead_retention = std::chrono::days(7);
  std::size_t dead_bytes_max = std::size_t{256} << 20U;
  /// Null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// waiting, dead  in the table now, of all processes
/// waiting_bytes, dead_bytes  their sizes
/// sent, retried, failed  by this process so far
struct OutboxCounts {
  std::int64_t waiting = 0;
  std::int64_t waiting_bytes = 0;
  std::int64_t dead = 0;
  std::int64_t dead_bytes = 0;
  std::uint64_t sent = 0;
  std::uint64_t retried = 0;
  std::uint64_t failed = 0;
};

/// The outbox of an app: a module, see `add_outbox` below. Its table, `eider_outbox`, is created if
/// necessary; several processes may share it.
///
/// A mail is sent at least once. If a process ends after sending a mail, but before it stores the
/// server's response, the mail is sent again after the lease. Its Message-ID is the same, so that
/// mailboxes can detect the duplicate. The same happens if the clock jumps ahead by a lease.
/// Otherwise it is sent once.
///
/// Until it is sent, the table contains the whole mail with its secrets. The text of a failed mail
/// stays until the mail is deleted, or is deleted immediately if the mail is_one_time.
class Outbox {
 public:
  static constexpr std::string_view kName = "outbox";
  static constexpr Duration kStopWithin = std::chrono::seconds(15);

  /// Throws a Failure without a transport, and if the lease is too short for it.
  Outbox(Database database, OutboxOptions options);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Stores a mail to be sent; within a transaction, it is sent after the commit.
  ///
  ///     co_await outbox->add(transaction, mail);
  ///
  /// at       a Database or a Transaction
  /// mail     is read before the call returns
  /// returns  the Message-ID
  /// errors   throws a Failure: 422 for an invalid mail (write_message), 503 if too many mails
  ///          wait, and those of the database
  [[nodiscard]] Task<std::string> add(const db::Statements& at, const Mail& mail);

  [[nodiscard]] Task<OutboxCounts> counts() const;
  /// Has dead mails tried again, except those without a text. Returns how many there were.
  [[nodiscard]] Task<std::int64_t> retry_dead();

  // Of the module.
  [[nodiscard]] Task<> start();
  [[nodiscard]] Task<> stop();

 private:
  struct Taken;
  struct Tally;

  void check_room(std::int64_t bytes) const;
  static Task<std::string> insert(const db::Statements& at, MailMessage message, std::int64_t now);
  Task<> work();
  Task<> keep_house();
  Task<> look_after();
  Task<> forget_oldest_dead();
  Task<bool> send_next();
  Task<std::shared_ptr<Taken>> take();
  Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message);
  Task<> note_while_leased(std::shared_ptr<const Taken> taken, DeliveryResult outcome);
  Task<> note(std::shared_ptr<const Taken> taken, std::shared_ptr<const DeliveryResult> outcome);
  void count_out(const Taken& taken) noexcept;
  [[nodiscard]] Task<Tally> tally() const;
  [[nodiscard]] bool may_have_mails() const noexcept;
  Task<> wait(Duration pause);
  Task<bool> ended_within(Duration limit);
  [[nodiscard]] Duration pause_behind(std::int64_t attempts) const;
  void say(LogLevel level, const std::string& line) const;

  const Database database_;
  const OutboxOptions options_;
  Scope scope_;
  Event stopping_;
  // As last counted, and what was added since.
  std::atomic<std::int64_t> waiting_{0};
  std::atomic<std::int64_t> waiting_bytes_{0};
  std::atomic<Instant> added_{Instant()};  // when this process added a mail last
  std::atomic<int> on_their_way_{0};
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> retried_{0};
  std::atomic<std::uint64_t> failed_{0};
};

/// Adds an outbox to an app. Handlers access it with State<Outbox>:
///
///     add_outbox(app, database, {.transport = smtp({.url = own.smtp_url, …})});
Outbox& add_outbox(App& app, Database database, OutboxOptions options);

}  // namespace eider
