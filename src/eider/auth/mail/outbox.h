// Mails that are sent only if the transaction that wrote them is committed.
// Layering: must not send within a request; a job sends each mail.
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
#include "eider/core/base/no_dangling.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/time.h"
#include "eider/web/jobs/jobs.h"

namespace eider {

struct OutboxOptions {
  /// smtp(…), mail_files(…), mail_log(), or a TestMailbox.
  std::shared_ptr<MailTransport> transport = {};
  /// Maximum number of mails that this process sends at once, unless JobsOptions::queues has the
  /// queue "mail".
  unsigned senders = 1;
  /// Maximum number of attempts; then a mail has failed finally, as after a permanent rejection.
  unsigned attempts_max = 12;
  /// Pause before the second attempt; it doubles for each further one, with a random variation of
  /// up to a quarter. With twelve attempts, a mail is tried for nearly five hours.
  Duration first_pause = std::chrono::seconds(10);
  Duration pause_max = std::chrono::hours(2);
  /// Maximum number and bytes of waiting mails; above it, `add` returns 503.
  std::size_t waiting_max = 100'000;
  std::size_t waiting_bytes_max = std::size_t{1} << 30U;
  /// Maximum size of one encoded mail that the server accepts, up to kMailBytesMax. Larger mails
  /// get a 422.
  std::size_t mail_bytes_max = kMailBytesMax;
  /// Maximum bytes of finally failed mails, which are stored for JobsOptions::failed_for. Above the
  /// limit, the oldest are deleted. The limit is needed because users can enter addresses that a
  /// server rejects.
  std::size_t dead_bytes_max = std::size_t{256} << 20U;
  /// Log of the outbox; null: standard error. Failed attempts are in the log of the jobs.
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

/// The outbox of an app: a module, see `add_outbox` below. Each mail is a job of the type "mail" in
/// the queue "mail", and its text is a row of the table `eider_outbox`, which is created if
/// necessary. Lists and pages of jobs show a mail's Message-ID, but neither text nor recipients.
///
/// A mail is sent at least once. If a process ends after sending a mail, but before it deletes the
/// row, the mail is sent again. Its Message-ID is the same, so that mailboxes can detect the
/// duplicate. The same happens if the database cannot be reached for a lease of the jobs, and if
/// the attempt is cut off before the mail server's reply to the message. Otherwise it is sent once.
///
/// Until it is sent, the table contains the whole mail with its secrets. The text of a failed mail
/// is deleted within 10 minutes after the mail is deleted, or if the mail is_one_time, after it has
/// failed (mail.h).
class Outbox {
 public:
  static constexpr std::string_view kName = "outbox";

  /// Throws a Failure without a transport.
  ///
  /// jobs  outlives it; its work has not started
  Outbox(Jobs& jobs, OutboxOptions options);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Stores a mail to be sent; within a transaction, it is sent after the commit.
  ///
  ///     co_await outbox->add(transaction, mail);
  ///
  /// at       the Database of the jobs, or a Transaction of it
  /// mail     is read before the call returns
  /// returns  the Message-ID
  /// errors   throws a Failure: 422 for an invalid mail (write_message), 503 if too many mails
  ///          wait, and those of the database
  [[nodiscard]] Task<std::string> add(const db::Statements& at, const Mail& mail);

  [[nodiscard]] Task<OutboxCounts> counts() const;
  /// Retries dead mails, except those without a text. Returns their number.
  [[nodiscard]] Task<std::int64_t> retry_dead();

  // For the module.
  [[nodiscard]] Task<> start();
  /// Counts the waiting mails, and deletes failed ones above the limit.
  [[nodiscard]] Task<> look_after();

 private:
  struct Queued;
  struct Tally;

  void check_room(std::int64_t bytes) const;
  Task<std::string> insert(const db::Statements& at, MailMessage message) const;
  Task<> write(const db::Statements& at, const MailMessage& message) const;
  Task<> deliver(JobContext& context);
  Task<DeliveryResult> send(Queued& queued) const;
  Task<> delete_sent(std::int64_t job) const;
  void count_out(std::int64_t bytes) noexcept;
  [[nodiscard]] Task<Tally> tally() const;

  Jobs& jobs_;
  const OutboxOptions options_;
  // Last counts, plus additions since then.
  std::atomic<std::int64_t> waiting_{0};
  std::atomic<std::int64_t> waiting_bytes_{0};
  std::atomic<bool> is_changed_{true};  // since the last count
  Instant counted_{};
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> retried_{0};
  std::atomic<std::uint64_t> failed_{0};
};

/// Adds an outbox to an app, whose mails are jobs. Handlers access it with State<Outbox>:
///
///     Jobs& jobs = add_jobs(app, database);
///     add_outbox(app, jobs, {.transport = smtp({.url = own.smtp_url, …})});
EIDER_NO_DANGLING Outbox& add_outbox(App& app, Jobs& jobs, OutboxOptions options);

}  // namespace eider
