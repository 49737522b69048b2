// The interface that sends mails, and transports for development and tests.
// Layering: must not retry; the outbox does (outbox.h).
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

/// The outcome of a message. `retry_later`: try again, for example after a 4xx or a network
/// failure. `rejected`: permanently, for example with a 5xx.
enum class DeliveryStatus : std::uint8_t { sent, retry_later, rejected };

/// reason  for the log, one line of printable ASCII: "550 5.1.1 no such user"
struct DeliveryResult {
  DeliveryStatus status = DeliveryStatus::sent;
  std::string reason = {};
};

class MailTransport {
 public:
  virtual ~MailTransport() = default;
  /// Sends a message. Called on the event loop, which it must not block. An exception means
  /// `retry_later`. It may be called again for a message whose outcome is unknown.
  [[nodiscard]] virtual Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message) = 0;
  /// Returns the maximum duration for one message, if the transport has timeouts: the outbox waits
  /// for longer.
  [[nodiscard]] virtual Duration time_limit() const noexcept { return Duration::zero(); }
};

/// Writes each mail to a file `<id>.eml` in that directory, readable only by its owner (0600): for
/// development; any mail program can open it. Creates the directory. Throws a Failure if that
/// fails.
[[nodiscard]] std::shared_ptr<MailTransport> mail_files(std::string directory);

/// Writes each mail to the log, with its text, links and secrets: only for development.
[[nodiscard]] std::shared_ptr<MailTransport> mail_log();
[[nodiscard]] std::shared_ptr<MailTransport> mail_log(std::shared_ptr<LogSink> sink);

/// Stores mails in memory: for tests.
///
///     const auto mails = std::make_shared<TestMailbox>();
///     add_outbox(app, jobs, {.transport = mails});
///     …
///     client.advance(1s);
///     EXPECT_EQ(mails->all().at(0).recipients, std::vector<std::string>{"ann@example.org"});
class TestMailbox final : public MailTransport {
 public:
  [[nodiscard]] Task<DeliveryResult> send(std::shared_ptr<const MailMessage> message) override;
  /// Returns the sent mails, the oldest first.
  [[nodiscard]] std::vector<MailMessage> all() const;
  [[nodiscard]] std::size_t size() const { return all().size(); }
  /// Returns the last mail to that address, ignoring case. Throws a Failure without such a mail.
  [[nodiscard]] MailMessage last_to(std::string_view email) const;
  /// Sets the outcomes of the next mails; only those with `sent` are stored.
  void respond_next(std::vector<DeliveryResult> outcomes);

 private:
  mutable std::mutex mutex_;
  std::vector<MailMessage> kept_;
  std::vector<DeliveryResult> next_;
};

/// Returns the value of a header of a message, unfolded and decoded; empty if it is missing. For
/// tests, only for messages of write_message.
[[nodiscard]] std::string field_of(const MailMessage& message, std::string_view name);
/// Returns the first part with this type, decoded, with LF. For tests.
[[nodiscard]] std::string text_of(const MailMessage& message, std::string_view type = "text/plain");

}  // namespace eider
