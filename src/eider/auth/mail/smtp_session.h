// One blocking connection to a mail server, used by its thread.
// Layering: must not know event loops or tasks.
#pragma once

#include <atomic>
#include <memory>

#include "eider/auth/mail/mail_transport.h"
#include "eider/auth/mail/smtp.h"

namespace eider::detail::mail {

/// Whether the URL is one of those that SmtpOptions tells of.
[[nodiscard]] bool is_smtp_url(std::string_view url) noexcept;
/// Whether its host is this machine.
[[nodiscard]] bool is_loopback_url(std::string_view url) noexcept;

/// Sends one message after the other, over a connection that is kept.
class SmtpSession {
 public:
  /// is_stopped  gives up what is on its way, within a second or two
  SmtpSession(const SmtpOptions& options, const std::atomic<bool>& is_stopped);
  ~SmtpSession();
  SmtpSession(const SmtpSession&) = delete;
  SmtpSession& operator=(const SmtpSession&) = delete;

  /// is_abandoned  cuts off this message in the same way
  [[nodiscard]] DeliveryResult send(const MailMessage& message,
                                    const std::atomic<bool>& is_abandoned);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eider::detail::mail
