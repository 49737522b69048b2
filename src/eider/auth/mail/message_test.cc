// Encoded messages: their contents, and values that are rejected.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/mail/mail.h"
#include "eider/auth/mail/mail_text.h"
#include "eider/auth/mail/mail_transport.h"
#include "eider/auth/mail/smtp_session.h"

namespace eider {
namespace {

constexpr std::int64_t kNow = 784111777;  // 1994-11-06 08:49:37

Mail simple_mail() {
  return {.from = {"no-reply@shop.example", "Shop"},
          .to = {{"ann@example.org", "Ann Ä"}},
          .subject = "Your order",
          .text = "It is on its way.\n"};
}

MailMessage written(const Mail& mail) {
  auto message = write_message(mail, kNow);
  EXPECT_TRUE(message.has_value());
  return message ? *message : MailMessage();
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return lines;
}

/// Expects ASCII, only CRLF, and lines of at most 78 bytes.
void expect_fit_for_wire(const MailMessage& message) {
  EXPECT_TRUE(message.text.ends_with("\r\n"));
  for (const std::string& line : lines_of(message.text)) {
    EXPECT_LE(line.size(), detail::mail::kLineBytes) << line;
    EXPECT_TRUE(std::ranges::all_of(line, [](char byte) {
      return (byte >= 0x20 && byte < 0x7F) || byte == '\t';
    })) << line;
  }
}

TEST(MailMessage, HasItsFieldsInOneLineEach) {
  const MailMessage message = written(simple_mail());
  EXPECT_EQ(message.text,
            "Date: Sun, 06 Nov 1994 08:49:37 +0000\r\n"
            "From: Shop <no-reply@shop.example>\r\n"
            "To: =?UTF-8?B?QW5uIMOE?= <ann@example.org>\r\n"
            "Message-ID: <" +
                message.id +
                ">\r\n"
                "Subject: Your order\r\n"
                "Auto-Submitted: auto-generated\r\n"
                "MIME-Version: 1.0\r\n"
                "Content-Type: text/plain; charset=utf-8\r\n"
                "Content-Transfer-Encoding: 7bit\r\n"
                "\r\n"
                "It is on its way.\r\n");
  EXPECT_EQ(message.sender, "no-reply@shop.example");
  EXPECT_TRUE(message.id.ends_with("@shop.example"));
  EXPECT_NE(message.id, written(simple_mail()).id);
}

TEST(MailMessage, RecipientsAreEachThereOnceAndHiddenOnesInNoField) {
  Mail mail = simple_mail();
  mail.cc = {"bob@example.org", "ann@example.org", "Ann@EXAMPLE.org"};
  mail.bcc = {"eve@example.org", "BOB@example.ORG"};
  const MailMessage message = written(mail);
  EXPECT_EQ(message.recipients,
            (std::vector<std::string>{"ann@example.org", "bob@example.org", "eve@example.org"}));
  EXPECT_FALSE(message.text.contains("eve@"));
}

TEST(MailMessage, NoValueBeginsAFieldOfItsOwn) {
  const std::vector<std::string> hostile = {"a\r\nBcc: eve@example.org",
                                            "a\nBcc: eve@example.org",
                                            "a\rb",
                                            std::string("a\0b", 3),
                                            "a\x7F",
                                            "a\tb",
                                            "\xC3",
                                            "\xFF\xFE"};
  for (const std::string& text : hostile) {
    const auto refused = [](Mail mail) { return !write_message(mail, kNow).has_value(); };
    Mail mail = simple_mail();
    mail.subject = text;
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.from.name = text;
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.to.front().email = text + "@example.org";
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.reply_to = {{"ann@example.org", text}};
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.headers = {{"X-Shop", text}};
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.headers = {{text, "x"}};
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.auto_submitted = text;
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.attachments = {{.filename = text, .content = "x"}};
    EXPECT_TRUE(refused(mail)) << text;
    mail = simple_mail();
    mail.attachments = {{.filename = "x", .content = "x", .type = "text/" + text}};
    EXPECT_TRUE(refused(mail)) << text;
  }
}

TEST(MailMessage, SaysWhichValuesAreWrong) {
  Mail mail = simple_mail();
  mail.to.emplace_back("nobody");
  mail.subject = "a\nb";
  mail.headers = {{"Content-Type", "text/html"}, {"bcc", "eve@example.org"}};
  const auto refused = write_message(mail, kNow);
  ASSERT_FALSE(refused.has_value());
  std::vector<std::string> places;
  for (const FieldError& field : refused.error().fields()) {
    places.push_back(field.pointer);
  }
  EXPECT_EQ(places, (std::vector<std::string>{"/to/1", "/subject", "/headers/0", "/headers/1"}));
}

TEST(MailMessage, WhatProgramsReadIsFoldedAndNeverEncoded) {
  const std::string url = "<https://shop.example/leave?who=" + std::string(150, 'x') + "&why=a,b>";
  std::string ids;
  for (int index = 0; index < 12; ++index) {
    ids += (index == 0 ? "<" : " <") + std::to_string(index) + "." + std::string(40, 'm') + "@x>";
  }
  Mail mail = simple_mail();
  mail.to = {"ann@example.org"};
  mail.headers = {{"List-Unsubscribe", "<mailto:leave@shop.example>," + url},
                  {"In-Reply-To", "<" + std::string(200, 'i') + "@shop.example>"},
                  {"References", ids},
                  {"X-Data", "{\"key\":\"" + std::string(100, 'v') + "\"}"},
                  {"Feedback-ID", "=?UTF-8?B?eA==?="}};
  const MailMessage message = written(mail);
  const std::string head = message.text.substr(0, message.text.find("\r\n\r\n"));
  EXPECT_EQ(head.find("=?"), head.find("=?UTF-8?B?eA==?=")) << head;  // except the given one
  EXPECT_EQ(field_of(message, "List-Unsubscribe"), "<mailto:leave@shop.example>, " + url);
  EXPECT_EQ(field_of(message, "In-Reply-To"), mail.headers[1].value);
  EXPECT_EQ(field_of(message, "References"), ids);
  EXPECT_EQ(field_of(message, "X-Data"), mail.headers[3].value);
  for (const std::string& line : lines_of(head)) {
    EXPECT_LE(line.size(), 998U) << line;
    EXPECT_TRUE(line.size() <= detail::mail::kLineBytes || !line.substr(1).contains(' ')) << line;
  }
}

TEST(MailMessage, WhatCannotBeFoldedIsRefused) {
  const auto refused = [](const char* name, std::string value) {
    Mail mail = simple_mail();
    mail.headers = {{name, std::move(value)}};
    return !write_message(mail, kNow).has_value();
  };
  for (const char* const name : {"List-Unsubscribe", "References", "In-Reply-To", "List-Id"}) {
    EXPECT_FALSE(refused(name, std::string(997, 'x'))) << name;
    for (const std::string& value :
         {std::string(), std::string(998, 'x'), std::string("<https://exämple.org>"),
          std::string(" <a@b>"), std::string("<a@b> "), std::string("<a@b>  <c@d>")}) {
      EXPECT_TRUE(refused(name, value)) << name << " " << value;
    }
  }
  EXPECT_TRUE(refused("Resent-Cc", "eve@example.org"));
  Mail mail = simple_mail();
  mail.auto_submitted = "auto-generierte Änderung";
  EXPECT_FALSE(write_message(mail, kNow).has_value());
}

TEST(MailMessage, WhatPeopleReadIsTextInFurtherFieldsToo) {
  Mail mail = simple_mail();
  mail.headers = {{"X-Shop", "Köln  am Rhein"}, {"Comments", "=?UTF-8?B?eA==?="}};
  const MailMessage message = written(mail);
  expect_fit_for_wire(message);
  EXPECT_EQ(field_of(message, "X-Shop"), "Köln  am Rhein");
  EXPECT_EQ(field_of(message, "Comments"), "=?UTF-8?B?eA==?=");
}

TEST(MailMessage, NobodyAndTooManyAreNoRecipients) {
  Mail mail = simple_mail();
  mail.to.clear();
  EXPECT_FALSE(write_message(mail, kNow).has_value());
  mail.bcc.assign(kMailRecipientsMax, MailAddress("ann@example.org"));
  EXPECT_TRUE(write_message(mail, kNow).has_value());
  mail.cc = {"ann@example.org"};
  EXPECT_FALSE(write_message(mail, kNow).has_value());
}

TEST(MailMessage, SubjectsAreFoldedAndComeBackAsTheyWere) {
  const std::vector<std::string> subjects = {
      "",
      "a",
      "Änderung",
      "=?UTF-8?B?eA==?=",
      " leading",
      "trailing ",
      "two  blanks",
      std::string(500, 'x'),
      "many words " + std::string(55, 'y') + " and " + std::string(55, 'z') + " and so on again",
      "日本語の件名はとても長いので何行にもなりますが、文字は途中で切れません。本当に、切れません"
      "。",
      "🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆🦆",
  };
  for (const std::string& subject : subjects) {
    Mail mail = simple_mail();
    mail.subject = subject;
    const MailMessage message = written(mail);
    expect_fit_for_wire(message);
    EXPECT_EQ(field_of(message, "Subject"), subject);
  }
}

TEST(MailMessage, ContentIsWrittenInTheShortestWayAndComesBack) {
  struct Case {
    std::string text;
    std::string_view encoding;
  };
  const std::string long_line(300, 'x');
  const std::vector<Case> cases = {
      {"plain\n", "7bit"},
      {".\n..\nFrom here\n", "7bit"},
      {long_line + "\n", "quoted-printable"},
      {"a = b " + long_line + " \t\n\n", "quoted-printable"},
      {"one Ä in a long enough text of ASCII\n", "quoted-printable"},
      {"\x01\x02 control\n", "quoted-printable"},
      {"日本語\n", "base64"},
  };
  for (const Case& one : cases) {
    Mail mail = simple_mail();
    mail.text = one.text;
    const MailMessage message = written(mail);
    expect_fit_for_wire(message);
    EXPECT_EQ(field_of(message, "Content-Transfer-Encoding"), one.encoding) << one.text;
    EXPECT_EQ(text_of(message), one.text);
  }
}

TEST(MailMessage, EveryKindOfLineEndIsOne) {
  Mail mail = simple_mail();
  mail.text = "a\nb\r\nc\rd";
  EXPECT_EQ(text_of(written(mail)), "a\nb\nc\nd\n");
  mail.text = std::string("a\0b", 3);
  EXPECT_FALSE(write_message(mail, kNow).has_value());
}

TEST(MailMessage, TextAndHtmlAreAlternatives) {
  Mail mail = simple_mail();
  mail.html = "<p>It is on its way, Änn.</p>\n";
  const MailMessage message = written(mail);
  EXPECT_TRUE(field_of(message, "Content-Type").starts_with("multipart/alternative;"));
  EXPECT_EQ(text_of(message), mail.text);
  EXPECT_EQ(text_of(message, "text/html"), mail.html);
  mail.text.clear();
  EXPECT_EQ(field_of(written(mail), "Content-Type"), "text/html; charset=utf-8");
}

TEST(MailMessage, AttachmentsKeepTheirBytesAndNames) {
  Mail mail = simple_mail();
  mail.to = {"ann@example.org"};
  mail.html = "<p>x</p>\n";
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(static_cast<char>(byte));
  }
  mail.attachments = {{.filename = "a b.bin", .content = bytes},
                      {.filename = "Übersicht.pdf", .content = "x"},
                      {.filename = "=?UTF-8?B?eA==?=", .content = "x"},
                      {.filename = "Übersicht \"alt\" " + std::string(80, 'x') + ".pdf",
                       .content = "",
                       .type = "application/pdf"}};
  const MailMessage message = written(mail);
  expect_fit_for_wire(message);
  EXPECT_TRUE(field_of(message, "Content-Type").starts_with("multipart/mixed;"));
  EXPECT_TRUE(message.text.contains("Content-Disposition: attachment; filename=\"a b.bin\"\r\n"));
  EXPECT_TRUE(message.text.contains("attachment; filename*=UTF-8''%C3%9Cbersicht.pdf\r\n"));
  EXPECT_TRUE(message.text.contains("filename*=UTF-8''%3D%3FUTF-8%3FB%3FeA%3D%3D%3F%3D\r\n"));
  EXPECT_TRUE(message.text.contains("filename*0*=UTF-8''%C3%9Cbersicht"));
  EXPECT_FALSE(message.text.contains("=?"));
  EXPECT_EQ(text_of(message, "text/html"), mail.html);
}

TEST(MailMessage, NamesAreWordsQuotedOrEncoded) {
  const auto from = [](std::string name) {
    Mail mail = simple_mail();
    mail.from.name = std::move(name);
    const MailMessage message = written(mail);
    expect_fit_for_wire(message);
    return lines_of(message.text).at(1);
  };
  EXPECT_EQ(from("Shop of Ann"), "From: Shop of Ann <no-reply@shop.example>");
  EXPECT_EQ(from("Shop, Inc."), "From: \"Shop, Inc.\" <no-reply@shop.example>");
  EXPECT_TRUE(from("a \"b\" <c@d>").starts_with("From: =?UTF-8?B?"));
  EXPECT_TRUE(from(std::string(70, 'n') + ", Inc.").starts_with("From: =?UTF-8?B?"));
}

TEST(MailMessage, ALargeOneIsNone) {
  Mail mail = simple_mail();
  mail.attachments = {{.filename = "a", .content = std::string(kMailBytesMax / 4 * 3, 'x')}};
  EXPECT_FALSE(write_message(mail, kNow).has_value());
  // The limit applies to the sum, before encoding.
  mail.attachments.assign(30, {.filename = "a", .content = std::string(kMailBytesMax / 25, 'x')});
  const auto refused = write_message(mail, kNow);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().fields().front().detail, "must have at most 25 MiB");
  mail.attachments.resize(1);
  mail.attachments.front().content.resize(1000);
  mail.subject = std::string(5000, 'x');
  EXPECT_FALSE(write_message(mail, kNow).has_value());
}

TEST(SmtpUrl, IsASchemeAHostAndAPort) {
  using detail::mail::is_smtp_url;
  for (const char* const good :
       {"smtp://localhost:1025", "smtps://mail.example.org", "smtp://[::1]:25"}) {
    EXPECT_TRUE(is_smtp_url(good)) << good;
  }
  for (const char* const bad : {"", "smtp://", "http://x", "smtp://a@b", "smtp://a/b", "smtp://a?b",
                                "smtp://a b", "SMTP://a", "smtp://a\r\nb"}) {
    EXPECT_FALSE(is_smtp_url(bad)) << bad;
    EXPECT_THROW((void)smtp({.url = bad}), std::exception) << bad;
  }
}

TEST(SmtpUrl, OnlyThisMachineIsThisMachine) {
  using detail::mail::is_loopback_url;
  for (const char* const good : {"smtp://localhost", "smtp://localhost:25", "smtp://127.0.0.1:25",
                                 "smtp://127.1.2.3", "smtps://[::1]", "smtp://[::1]:25"}) {
    EXPECT_TRUE(is_loopback_url(good)) << good;
  }
  for (const char* const bad :
       {"smtp://mail.example.org", "smtp://127.evil.example", "smtp://1270.0.0.1",
        "smtp://localhost.evil.example", "smtp://[::1].x", "smtp://[::2]"}) {
    EXPECT_FALSE(is_loopback_url(bad)) << bad;
  }
}

}  // namespace
}  // namespace eider
