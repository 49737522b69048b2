// Mails by SMTP (RFC 5321), by libcurl on threads of its own.
// Must not send a password or a mail in the clear to another machine unless it is told to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "eider/auth/mail/mail_transport.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// What `smtp://` does about encryption; `smtps://` is encrypted from its first byte.
///
/// remote_only  as `required`, but for a server on this machine (localhost, 127.0.0.0/8, [::1]),
///              with which it is `never`
/// required     STARTTLS (RFC 3207), or the mail is not sent
enum class SmtpStartTls : std::uint8_t { remote_only, required, never };

struct SmtpOptions {
  /// "smtps://mail.example.org" (port 465), "smtp://mail.example.org:587".
  std::string url = {};
  /// For AUTH PLAIN or LOGIN; empty: none is asked for.
  std::string user = {};
  std::string password = {};
  SmtpStartTls start_tls = SmtpStartTls::remote_only;
  /// Certificates (PEM) by which the server's is checked; empty: the system's.
  std::string ca_file = {};
  /// By which this machine names itself (EHLO); empty: its host name.
  std::string own_name = {};
  Duration connect_within = std::chrono::seconds(15);
  /// Of one mail, from the connection to its last byte.
  Duration within = std::chrono::seconds(60);
  /// For the server's word on it behind that: some look for viruses first, and who does not wait
  /// for them sends the mail twice (RFC 5321, 4.5.3.2.6 wants ten minutes).
  Duration answer_within = std::chrono::minutes(10);
  /// So many mails at once, each on a thread and a connection of its own, which is kept for the
  /// next ones.
  unsigned connections = 1;
};

/// A server by SMTP. A mail is `never` where the server has refused its sender, one of its
/// recipients or its content by a 5xx; one that the network or a 4xx has stopped is `later`, and so
/// is one that meets what somebody is to mend: a wrong password or certificate, a `user` where the
/// server offers no AUTH, a sender that is refused for want of a login (530, 5.7.x).
///
/// Throws a Failure for another URL, one with a user, path or query in it, and where there is no
/// thread to be had.
[[nodiscard]] std::shared_ptr<MailTransport> smtp(SmtpOptions options);

}  // namespace eider
