// Sends mails over SMTP (RFC 5321), with libcurl on its own threads.
// Layering: must not send a password or a mail unencrypted to another machine unless configured to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "eider/auth/mail/mail_transport.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// Encryption with `smtp://`; `smtps://` is always encrypted.
///
/// remote_only  as `required`, except for a server on this machine (localhost, 127.0.0.0/8, [::1]),
///              which is used as with `never`
/// required     STARTTLS (RFC 3207), otherwise the mail is not sent
enum class SmtpStartTls : std::uint8_t { remote_only, required, never };

struct SmtpOptions {
  /// "smtps://mail.example.org" (port 465), "smtp://mail.example.org:587".
  std::string url = {};
  /// User for AUTH PLAIN or LOGIN; empty: no authentication.
  std::string user = {};
  std::string password = {};
  SmtpStartTls start_tls = SmtpStartTls::remote_only;
  /// CA certificates (PEM) to verify the server's certificate; empty: those of the system.
  std::string ca_file = {};
  /// Name of this machine for the server (EHLO); empty: its host name.
  std::string ehlo_name = {};
  Duration connect_within = std::chrono::seconds(15);
  /// Time limit for one mail, from connecting to its last byte.
  Duration send_within = std::chrono::seconds(60);
  /// Timeout of the server's response after the message: some servers scan for viruses first, and a
  /// shorter timeout would send the mail twice (RFC 5321, 4.5.3.2.6 requires ten minutes).
  Duration reply_within = std::chrono::minutes(10);
  /// Number of concurrent transfers, each with its own thread and connection, which is reused.
  unsigned connections = 1;
};

/// Sends mails to an SMTP server. A mail is `rejected` if the server rejected its sender, a
/// recipient or its content with a 5xx. After a network failure or a 4xx, the outcome is
/// `retry_later`. The same applies to errors that an administrator must fix: a wrong password or
/// certificate, or a `user` for a server without AUTH. It also applies to a sender that is rejected
/// without authentication (530, 5.7.x).
///
/// Throws a Failure for an invalid URL, one with a user, path or query, and if no thread can be
/// started.
[[nodiscard]] std::shared_ptr<MailTransport> smtp(SmtpOptions options);

}  // namespace eider
