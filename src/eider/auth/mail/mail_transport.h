// What takes messages away: the interface, and transports for development and tests.
// Must not retry: that is the outbox's (outbox.h).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/mail/mail.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// What became of a message. `later`: it may be tried again, as after a 4xx or where the network
/// has failed. `never`: it was refused for good, as by a 5xx.
enum class MailVerdict : std::uint8_t { sent, later, never };

/// reason  for the log, one line of printable ASCII: "550 5.1.1 no such user"
struct MailOutcome {
  MailVerdict verdict = MailVerdict::sent;
  std::string reason = {};
};

class MailTransport {
 public:
  virtual ~MailTransport() = default;
  /// Called on the loop, and must not block it. What it throws is `later`. For one message it may
  /// be called again where it was not seen what became of it.
  [[nodiscard]] virtual Task<MailOutcome> send(std::shared_ptr<const MailMessage> message) = 0;
  /// How long one message takes at most, where the transport has a deadline: an outbox keeps what
  /// it has taken for longer than that.
  [[nodiscard]] virtual Duration takes_at_most() const noexcept { return Duration::zero(); }
  /// At the end of the process: what is on its way is given up within a second or two.
  virtual void stop() noexcept {}
};

/// Writes each into a file `<id>.eml` of that directory, which is made where it is not there, for
/// its owner alone (0600): for development, to be opened by any mail program. Throws a Failure
/// where it cannot be made.
[[nodiscard]] std::shared_ptr<MailTransport> mail_files(std::string directory);

/// Writes each to the log, with its text, its links, and its secrets: on your own machine alone.
[[nodiscard]] std::shared_ptr<MailTransport> logged_mails();
[[nodiscard]] std::shared_ptr<MailTransport> logged_mails(std::shared_ptr<LogSink> sink);

/// Keeps them: for tests.
///
///     const auto mails = std::make_shared<KeptMails>();
///     outbox(app, database, {.transport = mails});
///     …
///     client.advance(1s);
///     EXPECT_EQ(mails->all().at(0).recipients, std::vector<std::string>{"ann@example.org"});
class KeptMails final : public MailTransport {
 public:
  [[nodiscard]] Task<MailOutcome> send(std::shared_ptr<const MailMessage> message) override;
  /// Those that were sent, the oldest first.
  [[nodiscard]] std::vector<MailMessage> all() const;
  [[nodiscard]] std::size_t size() const { return all().size(); }
  /// The last one to that address, in whatever letters. Throws a Failure where there is none.
  [[nodiscard]] MailMessage last_to(std::string_view email) const;
  /// What comes of the next ones, each of which is not kept unless it is `sent`.
  void answer_next(std::vector<MailOutcome> outcomes);

 private:
  mutable std::mutex mutex_;
  std::vector<MailMessage> kept_;
  std::vector<MailOutcome> next_;
};

/// The value of a field of a message, unfolded, encoded words decoded; empty where it has none.
/// For tests, of what write_message has written: it does not read other programs' mails.
[[nodiscard]] std::string field_of(const MailMessage& message, std::string_view name);
/// Its first part of text/plain, or of another type, decoded, with LF. For tests likewise.
[[nodiscard]] std::string text_of(const MailMessage& message, std::string_view type = "text/plain");

}  // namespace eider
