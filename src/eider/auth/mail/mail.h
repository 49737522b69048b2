// A mail as an application writes it, and the message that goes over the wire (RFC 5322, MIME).
// Must not send anything: that is a transport's (mail_transport.h), behind the outbox (outbox.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// A mailbox, with the name of whose it is: `"ann@example.org"`, `{"ann@example.org", "Änn"}`.
///
/// email  what Email takes (kinds/rules.h): ASCII, a domain of other scripts as "xn--…"
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

/// filename  UTF-8, without control bytes
/// content   any bytes
/// type      "application/pdf"
struct MailAttachment {
  std::string filename;
  std::string content;
  std::string type = "application/octet-stream";
};

/// A field of a mail beyond those that Mail has: {"List-Unsubscribe", "<https://…>"}.
///
/// value  what programs read is words of printable ASCII with one blank between, and stands there
///        as it is, folded at blanks and between "<…>,<…>"; that of Comments, Organization,
///        Thread-Topic and X-… is text (UTF-8)
struct MailHeader {
  std::string name;
  std::string value;
};

/// A mail. All text is UTF-8; no value but `text`, `html` and attachments' content may have a
/// control byte in it, such as a line's end.
///
///     Mail{.from = {"no-reply@shop.example", "Shop"},
///          .to = {form->email},
///          .subject = "Your order",
///          .text = "It is on its way.\n",
///          .html = render_view(OrderMail{…})};
///
/// cc, bcc         `bcc` is in no field, and gets it all the same
/// text, html      with both, whoever reads it chooses; lines end with LF or CRLF
/// auto_submitted  has programs that answer by themselves, as in a holiday, stay silent (RFC 3834);
///                 empty for what a person has written
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
  /// Its text lets in whoever has it, as a link to reset a password does: the outbox deletes the
  /// text as soon as the mail is dead, and does not send it again then. Its Message-ID begins with
  /// "once.".
  bool is_one_time = false;
};

inline constexpr std::size_t kMailRecipientsMax = 100;
/// Of all that is in it together, and of the message as it is sent, in which three bytes of an
/// attachment take four.
inline constexpr std::size_t kMailBytesMax = std::size_t{25} << 20U;

/// A mail as it goes over the wire, the same at each attempt.
///
/// id          what stands in Message-ID, without its brackets
/// sender      of the envelope (MAIL FROM)
/// recipients  of the envelope (RCPT TO): to, cc and bcc, each once, in whatever letters
/// text        fields, an empty line and the content, with CRLF; all ASCII, lines of at most 78
///             bytes but where an address or a word of a further field is longer, then 998
struct MailMessage {
  std::string id;
  std::string sender;
  std::vector<std::string> recipients;
  std::string text;
};

/// Writes the message. Its Message-ID and the boundaries between its parts are new each time.
///
/// unix_seconds  for the field Date
/// errors   422  names each value that cannot stand in a mail, by its place: "/to/0", "/subject"
/// source   RFC 5322; RFC 2045, 2046, 2047, 2231; RFC 3834
[[nodiscard]] Result<MailMessage> write_message(const Mail& mail, std::int64_t unix_seconds);

}  // namespace eider
