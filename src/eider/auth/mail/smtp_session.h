// One blocking connection to a mail server, used by its thread.
// Layering: must not know event loops or tasks.
#pragma once

#include <atomic>
#include <memory>

#include "eider/auth/mail/mail_transport.h"
#include "eider/auth/mail/smtp.h"

namespace eider::detail::mail {

/// Returns whether the URL has a form that SmtpOptions describes.
[[nodiscard]] bool is_smtp_url(std::string_view url) noexcept;
/// Returns whether the host of the URL is this machine.
[[nodiscard]] bool is_loopback_url(std::string_view url) noexcept;

/// Sends messages one after the other over a persistent connection.
class SmtpSession {
 public:
  /// is_stopped  aborts the current message within a second or two
  SmtpSession(const SmtpOptions& options, const std::atomic<bool>& is_stopped);
  ~SmtpSession();
  SmtpSession(const SmtpSession&) = delete;
  SmtpSession& operator=(const SmtpSession&) = delete;

  /// is_abandoned  aborts this message in the same way
  [[nodiscard]] DeliveryResult send(const MailMessage& message,
                                    const std::atomic<bool>& is_abandoned);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eider::detail::mail
