// Mails that are sent if, and only if, the transaction that wrote them is committed.
// Must not send from within a request: what waits is a table that a worker works off.
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
  /// smtp(…), mail_files(…), logged_mails(), or a KeptMails.
  std::shared_ptr<MailTransport> transport = {};
  /// How many are on their way at once from this process.
  unsigned senders = 1;
  /// Attempts in all; then a mail is dead, as one that was refused for good is at once.
  unsigned attempts_max = 12;
  /// Ahead of the second attempt, twice as long ahead of each further one, each a quarter more or
  /// less at random. With twelve attempts a mail is tried for nearly five hours.
  Duration first_pause = std::chrono::seconds(10);
  Duration pause_max = std::chrono::hours(2);
  /// For how long a process that has taken a mail has it for itself. Four fifths of it are longer
  /// than the transport's own deadlines, or the outbox does not begin: a mail would be sent twice.
  Duration lease = std::chrono::minutes(15);
  /// How often the table is asked for what is due.
  Duration interval = std::chrono::milliseconds(500);
  /// Of mails that wait, and of their bytes; beyond it `add` is a 503.
  std::size_t waiting_max = 100'000;
  std::size_t waiting_bytes_max = std::size_t{1} << 30U;
  /// Of one mail as it is sent, up to kMailBytesMax: what the server takes. Beyond it a 422.
  std::size_t mail_bytes_max = kMailBytesMax;
  /// For how long dead ones are kept to be looked at, and of how many bytes together: beyond it the
  /// oldest go. Strangers choose addresses that a server refuses.
  Duration dead_for = std::chrono::days(7);
  std::size_t dead_bytes_max = std::size_t{256} << 20U;
  /// Null: standard error.
  std::shared_ptr<LogSink> log = {};
};

/// waiting, dead  in the table now, whoever has put them there
/// waiting_bytes, dead_bytes  of these
/// sent, retried, died  by this process so far
struct OutboxCounts {
  std::int64_t waiting = 0;
  std::int64_t waiting_bytes = 0;
  std::int64_t dead = 0;
  std::int64_t dead_bytes = 0;
  std::uint64_t sent = 0;
  std::uint64_t retried = 0;
  std::uint64_t died = 0;
};

/// A module, of which there is one for an app (see `outbox` below). Its table, `eider_outbox`, is
/// made where it is not there; several processes may share it.
///
/// A mail is sent at least once: a process that ends between a mail's last byte and its own note of
/// the server's word has it sent again when the lease is over, with the same Message-ID, by which
/// mailboxes know it; so has a clock that jumps ahead by a lease. Otherwise it is sent once.
///
/// Until it is sent, the table has the whole mail, and so the secrets in it. The text of a dead
/// mail stays until the mail is forgotten, or is deleted at once if the mail is_one_time.
class Outbox {
 public:
  static constexpr std::string_view kName = "outbox";
  static constexpr Duration kStopWithin = std::chrono::seconds(15);

  /// Throws a Failure without a transport, and where the lease is too short for it.
  Outbox(Database database, OutboxOptions options);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Writes it down to be sent. Within a transaction it goes when that is committed.
  ///
  ///     co_await outbox->add(transaction, mail);
  ///
  /// at       a Database or a Transaction
  /// mail     is read before the call returns
  /// returns  the Message-ID
  /// errors   throws a Failure: 422 for what cannot stand in a mail (write_message), 503 where too
  ///          many wait, and those of the database
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
  Task<MailOutcome> send(std::shared_ptr<const MailMessage> message);
  Task<> note_while_leased(std::shared_ptr<const Taken> taken, MailOutcome outcome);
  Task<> note(std::shared_ptr<const Taken> taken, std::shared_ptr<const MailOutcome> outcome);
  void count_out(const Taken& taken) noexcept;
  [[nodiscard]] Task<Tally> tally() const;
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
  std::atomic<int> on_their_way_{0};
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> retried_{0};
  std::atomic<std::uint64_t> died_{0};
};

/// Gives an app its outbox, which handlers take as State<Outbox>:
///
///     outbox(app, database, {.transport = smtp({.url = own.smtp_url, …})});
Outbox& outbox(App& app, Database database, OutboxOptions options);

}  // namespace eider
