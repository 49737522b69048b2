// Mails with SMTP from an outbox: mails are sent after the transaction of the request is committed,
// again after failures, and also if the process is killed in between.
//   ./25_mail --mail-files mails --port 8080      (or --smtp-url smtp://mail.example.org:587)
//   curl localhost:8080/mails --json '{"to":"ann@example.org","subject":"Hello","text":"Hello!"}'
#include <eider/eider.h>
#include <eider/mail.h>
#include <eider/sqlite.h>

#include <optional>
#include <string>
#include <vector>

using namespace eider;

namespace {

struct Options {
  std::string database_file = "mails.db";
  std::string mail_files = {};
  std::string smtp_url = {};
  std::string smtp_user = {};
  Secret smtp_password = {};
  std::string smtp_ca_file = {};
  bool smtp_start_tls = false;
  int smtp_seconds = 60;
  int reply_seconds = 600;
  int first_pause_ms = 10'000;
  int lease_seconds = 30;

  static constexpr OptionText kOptions[] = {
      {"database_file", "SQLite file with the outbox", "FILE"},
      {"mail_files", "Write mails to this directory instead of sending them", "DIRECTORY"},
      {"smtp_url", "Mail server: smtp://mail.example.org:587 or smtps://mail.example.org", "URL"},
      {"smtp_user", "User name for the mail server", "NAME"},
      {"smtp_password", "Password for the mail server"},
      {"smtp_ca_file", "File with trusted certificates for the mail server", "FILE"},
      {"smtp_start_tls", "Use STARTTLS also for a server on this machine"},
      {"smtp_seconds", "Time limit for sending one mail", "SECONDS"},
      {"reply_seconds", "Time limit for the response of the mail server", "SECONDS"},
      {"first_pause_ms", "Delay before the second attempt", "MS"},
      {"lease_seconds", "Time for which the mails of a killed process stay reserved", "SECONDS"}};
};

struct File {
  std::string name;
  std::string content;
};

struct NewMail {
  std::string to;
  std::string subject;
  std::string text;
  std::optional<std::string> html = {};
  std::optional<std::string> from_name = {};
  std::optional<std::vector<File>> files = {};
};

std::shared_ptr<MailTransport> transport_of(const Options& own) {
  if (!own.mail_files.empty()) {
    return mail_files(own.mail_files);
  }
  if (own.smtp_url.empty()) {
    return mail_log();
  }
  return smtp({.url = own.smtp_url,
               .user = own.smtp_user,
               .password = own.smtp_password.reveal(),
               .start_tls = own.smtp_start_tls ? SmtpStartTls::required : SmtpStartTls::remote_only,
               .ca_file = own.smtp_ca_file,
               .send_within = std::chrono::seconds(own.smtp_seconds),
               .reply_within = std::chrono::seconds(own.reply_seconds)});
}

Task<std::string> send(Json<NewMail> given, State<Database> database, State<Outbox> mails) {
  Mail mail{.from = {"no-reply@shop.example", given->from_name.value_or("")},
            .to = {given->to},
            .subject = given->subject,
            .text = given->text,
            .html = given->html.value_or("")};
  for (const File& file : given->files.value_or(std::vector<File>())) {
    mail.attachments.push_back({.filename = file.name, .content = file.content});
  }
  Transaction transaction = co_await database->begin();
  // … other changes, which are stored if, and only if, the mail is sent …
  std::string id = co_await mails->add(transaction, mail);
  co_await transaction.commit();
  co_return id;
}

App make_app(const Options& own) {
  const Database database = open_sqlite(own.database_file);
  App app;
  app.state(database);
  Jobs& jobs = add_jobs(app, database, {.lease = std::chrono::seconds(own.lease_seconds)});
  add_outbox(app, jobs,
             {.transport = transport_of(own),
              .first_pause = std::chrono::milliseconds(own.first_pause_ms)});
  app.post("/mails", send);
  app.get("/counts", [](State<Outbox> mails) { return mails->counts(); });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Options>("mail", argc, argv, make_app);
}
