#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "eider/auth/mail/mail.h"
#include "eider/auth/mail/mail_text.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/core/kinds/kinds.h"
#include "eider/protocols/http/date.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

namespace {

using detail::mail::EncodedContent;
using detail::mail::FieldWriter;
using detail::mail::is_foldable;

/// Maximum size of a header value.
constexpr std::size_t kValueBytesMax = 4096;
constexpr std::size_t kHeadersMax = 50;
/// 120 bits, 20 characters in base64url: values cannot be guessed, and do not repeat.
constexpr std::size_t kRandomBytes = 15;

/// Returns whether the text has control characters: a line end in a value would begin another
/// header or end the headers (header injection).
bool has_control(std::string_view text) noexcept {
  return std::ranges::any_of(text, [](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value < 0x20 || value == 0x7F;
  });
}

bool begins_with(std::string_view name, std::string_view small_letters) noexcept {
  return equals_ignoring_case(name.substr(0, small_letters.size()), small_letters);
}

/// Returns whether a Mail has a member for this header, or whether the header describes the
/// encoding.
bool is_own_field(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 13> kOwn = {
      "from",        "to",       "cc",          "bcc",    "reply-to",
      "subject",     "date",     "message-id",  "sender", "auto-submitted",
      "return-path", "received", "mime-version"};
  const auto is_it = [name](std::string_view one) { return equals_ignoring_case(name, one); };
  return std::ranges::any_of(kOwn, is_it) || begins_with(name, "content-") ||
         begins_with(name, "resent-");
}

/// Returns whether the header is only for people (RFC 5322, section 3.6.5; RFC 2047, section 5):
/// such headers may contain encoded words.
bool is_text_field(std::string_view name) noexcept {
  return begins_with(name, "x-") || equals_ignoring_case(name, "comments") ||
         equals_ignoring_case(name, "organization") || equals_ignoring_case(name, "thread-topic");
}

/// Returns whether the text is `type/subtype`, with two tokens.
bool is_media_type(std::string_view type) noexcept {
  const std::size_t slash = type.find('/');
  return slash != std::string_view::npos && is_token(type.substr(0, slash)) &&
         is_token(type.substr(slash + 1)) && type.size() <= 127;
}

constexpr const char* kNotFoldable =
    "must be printable ASCII words separated by single spaces, each with at most 997 bytes";

/// Checked before encoding, which would use a multiple of this memory.
std::size_t content_bytes_of(const Mail& mail) noexcept {
  std::size_t bytes = mail.text.size() + mail.html.size();
  for (const MailAttachment& attachment : mail.attachments) {
    bytes += attachment.content.size();
  }
  return bytes;
}

/// Checks every value before the first byte is written.
class Check {
 public:
  std::vector<FieldError> of(const Mail& mail) {
    address("/from", mail.from);
    list("/to", mail.to);
    list("/cc", mail.cc);
    list("/bcc", mail.bcc);
    list("/reply_to", mail.reply_to);
    value("/subject", mail.subject);
    demand(mail.auto_submitted.empty() || is_foldable(mail.auto_submitted), "/auto_submitted",
           kNotFoldable);
    content("/text", mail.text);
    content("/html", mail.html);
    const std::size_t recipients = mail.to.size() + mail.cc.size() + mail.bcc.size();
    demand(recipients != 0, "/to",
           "must have a recipient; /cc or /bcc may have recipients instead");
    demand(recipients <= kMailRecipientsMax, "/to", "must have at most 100 recipients");
    demand(content_bytes_of(mail) <= kMailBytesMax, "", "must have at most 25 MiB");
    demand(mail.headers.size() <= kHeadersMax, "/headers", "must have at most 50 entries");
    headers(mail);
    attachments(mail);
    return std::move(faults_);
  }

 private:
  void demand(bool is_met, const std::string& where, const char* what) {
    if (!is_met) {
      faults_.push_back({where, what});
    }
  }
  void value(const std::string& where, std::string_view text) {
    demand(!has_control(text) && is_utf8(text), where,
           "must be UTF-8 text without line breaks and control characters");
    demand(text.size() <= kValueBytesMax, where, "must have at most 4096 bytes");
  }
  void content(const std::string& where, std::string_view text) {
    demand(!text.contains('\0') && is_utf8(text), where,
           "must be UTF-8 text without NUL characters");
  }
  void address(const std::string& where, const MailAddress& given) {
    demand(IsEmail::check(given.email), where,
           "must be an e-mail address, for example name@example.org");
    value(where, given.name);
  }
  void list(const std::string& where, const std::vector<MailAddress>& all) {
    for (std::size_t index = 0; index < all.size(); ++index) {
      address(where + "/" + std::to_string(index), all[index]);
    }
  }
  void headers(const Mail& mail) {
    for (std::size_t index = 0; index < mail.headers.size(); ++index) {
      const MailHeader& header = mail.headers[index];
      const std::string where = "/headers/" + std::to_string(index);
      demand(is_token(header.name) && header.name.size() <= 60 && !is_own_field(header.name), where,
             "must be a header name that no member of Mail sets");
      demand(is_text_field(header.name) ? !header.value.empty() : is_foldable(header.value), where,
             kNotFoldable);
      value(where, header.value);
    }
  }
  void attachments(const Mail& mail) {
    for (std::size_t index = 0; index < mail.attachments.size(); ++index) {
      const MailAttachment& attachment = mail.attachments[index];
      const std::string where = "/attachments/" + std::to_string(index);
      demand(is_media_type(attachment.type), where,
             "must have a media type, for example application/pdf");
      demand(!attachment.filename.empty(), where, "must have a file name");
      value(where, attachment.filename);
    }
  }

  std::vector<FieldError> faults_;
};

/// Writes the parts in order, each with its boundary.
class ContentWriter {
 public:
  explicit ContentWriter(std::string& out) noexcept : out_(out) {}

  void write(const Mail& mail) {
    if (mail.attachments.empty()) {
      write_texts(mail);
      return;
    }
    const std::string boundary = begin_multipart("mixed");
    begin_part(boundary);
    write_texts(mail);
    for (const MailAttachment& attachment : mail.attachments) {
      begin_part(boundary);
      write_attachment(attachment);
    }
    end_multipart(boundary);
  }

 private:
  void write_texts(const Mail& mail) {
    if (mail.html.empty()) {
      write_text("plain", mail.text);
    } else if (mail.text.empty()) {
      write_text("html", mail.html);
    } else {
      // The last alternative is the preferred one (RFC 2046, section 5.1.4).
      const std::string boundary = begin_multipart("alternative");
      begin_part(boundary);
      write_text("plain", mail.text);
      begin_part(boundary);
      write_text("html", mail.html);
      end_multipart(boundary);
    }
  }

  void write_text(std::string_view subtype, std::string_view text) {
    out_.append("Content-Type: text/").append(subtype).append("; charset=utf-8\r\n");
    write_content(detail::mail::encode_text(text));
  }

  void write_attachment(const MailAttachment& attachment) {
    FieldWriter(out_, "Content-Type").add(attachment.type);
    {
      FieldWriter disposition(out_, "Content-Disposition");
      disposition.add("attachment;");
      detail::mail::add_filename(disposition, attachment.filename);
    }
    write_content(detail::mail::encode_bytes(attachment.content));
  }

  void write_content(const EncodedContent& encoded) {
    out_.append("Content-Transfer-Encoding: ").append(encoded.encoding);
    out_.append("\r\n\r\n").append(encoded.text);
  }

  /// Returns a boundary that no line of the content contains: "=_" does not occur in base64 and
  /// quoted-printable (RFC 2045, section 6.7), and the rest cannot be guessed.
  std::string begin_multipart(std::string_view subtype) {
    std::string boundary = "=_" + to_base64url(secret_bytes(kRandomBytes));
    out_.append("Content-Type: multipart/").append(subtype);
    out_.append(";\r\n boundary=\"").append(boundary).append("\"\r\n\r\n");
    return boundary;
  }
  /// The line end before the boundary belongs to the boundary, not to the content (RFC 2046,
  /// section 5.1.1).
  void begin_part(std::string_view boundary) {
    out_.append("\r\n--").append(boundary).append("\r\n");
  }
  void end_multipart(std::string_view boundary) {
    out_.append("\r\n--").append(boundary).append("--\r\n");
  }

  std::string& out_;
};

/// Adds the name of a mailbox: as atoms, otherwise quoted, or as encoded words if quoting is not
/// possible.
void add_name(FieldWriter& field, std::string_view name) {
  const bool is_simple = std::ranges::all_of(name, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte) ||
           byte == ' ' || byte == '-';
  });
  constexpr std::size_t kQuotedBytesMax = 60;
  if (detail::mail::is_plain_text(name) && !is_simple && name.size() <= kQuotedBytesMax &&
      name.find_first_of("\"\\") == std::string_view::npos) {
    field.add("\"" + std::string(name) + "\"");
  } else if (is_simple || !detail::mail::is_plain_text(name)) {
    field.add_text(name);
  } else {
    field.add_encoded(name);
  }
}

void add_addresses(std::string& out, std::string_view name, const std::vector<MailAddress>& all) {
  if (all.empty()) {
    return;
  }
  FieldWriter field(out, name);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::string_view comma = index + 1 < all.size() ? "," : "";
    if (all[index].name.empty()) {
      field.add(all[index].email + std::string(comma));
    } else {
      add_name(field, all[index].name);
      field.add("<" + all[index].email + ">" + std::string(comma));
    }
  }
}

/// Adds each address once, ignoring case: no server distinguishes mailboxes by case.
void add_recipients(std::vector<std::string>& recipients, const std::vector<MailAddress>& all) {
  for (const MailAddress& one : all) {
    const auto is_it = [&one](std::string_view known) {
      return equals_ignoring_case(known, one.email);
    };
    if (std::ranges::none_of(recipients, is_it)) {
      recipients.push_back(one.email);
    }
  }
}

/// Values for programs are never encoded, so a line may be long.
void add_header(std::string& out, const MailHeader& header) {
  FieldWriter field(out, header.name);
  if (is_text_field(header.name) && (!is_foldable(header.value) || header.value.contains("=?"))) {
    field.add_encoded(header.value);
  } else {
    field.add_words(header.value);
  }
}

/// Formats a date: "Mon, 23 Nov 2026 11:14:22 +0000" (RFC 5322, section 3.3), without the GMT of
/// HTTP.
std::string date_text(std::int64_t unix_seconds) {
  const DateText http = format_date(unix_seconds);
  return std::string(http.data(), http.size() - std::string_view("GMT").size()) + "+0000";
}

}  // namespace

Result<MailMessage> write_message(const Mail& mail, std::int64_t unix_seconds) {
  if (auto faults = Check().of(mail); !faults.empty()) {
    return fail(Error::invalid(std::move(faults)));
  }
  MailMessage message;
  message.sender = mail.from.email;
  message.id = (mail.is_one_time ? "once." : "") + to_base64url(secret_bytes(kRandomBytes)) +
               message.sender.substr(message.sender.rfind('@'));
  add_recipients(message.recipients, mail.to);
  add_recipients(message.recipients, mail.cc);
  add_recipients(message.recipients, mail.bcc);
  std::string& out = message.text;
  FieldWriter(out, "Date").add(date_text(unix_seconds));
  add_addresses(out, "From", {mail.from});
  add_addresses(out, "To", mail.to);
  add_addresses(out, "Cc", mail.cc);
  add_addresses(out, "Reply-To", mail.reply_to);
  FieldWriter(out, "Message-ID").add("<" + message.id + ">");
  FieldWriter(out, "Subject").add_text(mail.subject);
  if (!mail.auto_submitted.empty()) {
    FieldWriter(out, "Auto-Submitted").add_words(mail.auto_submitted);
  }
  for (const MailHeader& header : mail.headers) {
    add_header(out, header);
  }
  out.append("MIME-Version: 1.0\r\n");
  ContentWriter(out).write(mail);
  if (out.size() > kMailBytesMax) {
    return fail(Error::invalid({{"", "must have at most 25 MiB when encoded"}}));
  }
  return message;
}

}  // namespace eider
