// A mail as an application writes it, and the encoded message (RFC 5322, MIME).
// Layering: must not send anything; transports do (mail_transport.h), after the outbox (outbox.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// A mailbox with an optional name: `"ann@example.org"`, `{"ann@example.org", "Änn"}`.
///
/// email  as for Email (kinds/rules.h): ASCII; international domains as "xn--…"
/// name   UTF-8, or empty
struct MailAddress {
  // NOLINTBEGIN(google-explicit-constructor): an address alone is a mailbox, too
  MailAddress(const char* its_email) : email(its_email) {}
  MailAddress(std::string its_email) : email(std::move(its_email)) {}
  // NOLINTEND(google-explicit-constructor)
  MailAddress(std::string its_email, std::string its_name)
      : email(std::move(its_email)), name(std::move(its_name)) {}

  std::string email;
  std::string name;
};

/// filename  UTF-8, without control characters
/// content   any bytes
/// type      "application/pdf"
struct MailAttachment {
  std::string filename;
  std::string content;
  std::string type = "application/octet-stream";
};

/// A header that Mail has no member for: {"List-Unsubscribe", "<https://…>"}.
///
/// value  headers for programs: words of printable ASCII separated by single spaces, written
///        unchanged, folded at spaces and between "<…>,<…>"; Comments, Organization, Thread-Topic
///        and X-…: UTF-8 text
struct MailHeader {
  std::string name;
  std::string value;
};

/// A mail. All text is UTF-8; only `text`, `html` and the content of attachments may contain
/// control characters such as line breaks.
///
///     Mail{.from = {"no-reply@shop.example", "Shop"},
///          .to = {form->email},
///          .subject = "Your order",
///          .text = "It is on its way.\n",
///          .html = render_view(OrderMail{…})};
///
/// cc, bcc         recipients in `bcc` are not listed in the message
/// text, html      with both, the mail program chooses; lines end with LF or CRLF
/// auto_submitted  suppresses automatic replies such as vacation notices (RFC 3834); empty for
///                 mails written by a person
struct Mail {
  MailAddress from = "";
  std::vector<MailAddress> to = {};
  std::vector<MailAddress> cc = {};
  std::vector<MailAddress> bcc = {};
  std::vector<MailAddress> reply_to = {};
  std::string subject = {};
  std::string text = {};
  std::string html = {};
  std::vector<MailAttachment> attachments = {};
  std::string auto_submitted = "auto-generated";
  std::vector<MailHeader> headers = {};
  /// The text grants access, for example with a link to reset a password: if the mail fails
  /// finally, the outbox deletes the text and does not send it again. It deletes the text at once
  /// after a failed attempt, and within 10 minutes if the attempt timed out, its process crashed,
  /// or the mail was discarded. Its Message-ID starts with "once.".
  bool is_one_time = false;
};

inline constexpr std::size_t kMailRecipientsMax = 100;
/// Maximum size of all parts together, and of the encoded message, in which three bytes of an
/// attachment become four.
inline constexpr std::size_t kMailBytesMax = std::size_t{25} << 20U;

/// An encoded mail, the same at each attempt.
///
/// id          Message-ID without brackets
/// sender      of the envelope (MAIL FROM)
/// recipients  of the envelope (RCPT TO): `to`, `cc` and `bcc`, without duplicates
/// text        headers, an empty line and the body, with CRLF; all ASCII, lines of at most 78
///             bytes, or 998 if an address or a word of a custom header is longer
struct MailMessage {
  std::string id;
  std::string sender;
  std::vector<std::string> recipients;
  std::string text;
};

/// Encodes the message. Its Message-ID and the boundaries between its parts are new each time.
///
/// unix_seconds  for the header Date
/// errors   422 names each invalid value by its pointer: "/to/0", "/subject"
/// source   RFC 5322; RFC 2045, 2046, 2047, 2231; RFC 3834
[[nodiscard]] Result<MailMessage> write_message(const Mail& mail, std::int64_t unix_seconds);

}  // namespace eider
