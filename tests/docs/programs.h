// What the pages about a program, its state and its surroundings take for granted. Must not be
// compiled by itself: see common.h.
#pragma once

#include "common.h"

namespace docs::assets_page {

std::span<const EmbeddedAsset> notes_assets();

}  // namespace docs::assets_page

namespace docs::background_page {

class Store {
 public:
  static constexpr std::string_view kName = "store";
  explicit Store(std::string file = "notes.db");
  Task<> migrate();
  Task<> mail_what_is_due();
  Task<> forget_sessions();
  Task<> flush();
};
struct NewUser {
  Email mail;
};
struct Mailer {
  Task<> welcome(std::string mail);
};
struct Terms {
  std::string q;
};

}  // namespace docs::background_page

namespace docs::inside_page {

struct Admin {
  std::string name;
  static constexpr bool kIsProvided = true;
};

}  // namespace docs::inside_page

namespace docs::proxy_page {

struct Admin {
  std::string name;
  static constexpr bool kIsProvided = true;
};

}  // namespace docs::proxy_page

namespace docs::journal_page {

struct NewIssue {
  std::string title;
};
struct User {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Writer : User {};

}  // namespace docs::journal_page

namespace docs::logging_page {

struct Payment {
  int cents;
};
extern const Log log;

}  // namespace docs::logging_page

namespace docs::mail_page {

struct NewOrder {
  std::string email;
};
struct OrderMail {
  std::string name;
};
extern const NewOrder order;
App make_app(Database database, std::shared_ptr<KeptMails> mails);

}  // namespace docs::mail_page

namespace docs::options_page {

struct ShopOptions {
  std::string database_url;
};
struct Price {
  std::string name;
};
std::vector<Migration> shop_migrations();
std::vector<Price> list_prices();
App make_shop(const ShopOptions& own);
App make_notes();
struct Own {
  std::string smtp_url;
  Secret smtp_password;
  std::string database_file;
};
struct Options {
  int page_size = 20;
};
struct Store {
  explicit Store(std::string file);
};
struct Cache {
  void clear();
};
extern Own own;
void add_routes(App& app);
App make_app(const Options& own);

}  // namespace docs::options_page

namespace docs::rooms_page {

struct Message {
  std::int64_t id;
  std::string name;
  std::string text;
};
struct Room {
  History<Message> messages;
  Attendance people;
};
extern Room& room;
extern const std::string name, text, key, topic;
extern const std::int64_t next_id;
LeftOut refuse(std::string_view why);

}  // namespace docs::rooms_page

namespace docs::state_page {

struct Settings {
  std::string title;
  std::string host = "localhost";
  int connections = 4;
};
struct Pool {
  Pool(std::string host, int connections);
};
struct Mailer {
  std::string host;
};

}  // namespace docs::state_page

namespace docs::telemetry_page {

struct Admin {
  std::string name;
  static constexpr bool kIsProvided = true;
};
struct Kept {
  std::size_t size() const;
};
struct Order {
  std::string photo;
};
extern const std::shared_ptr<Kept> cache;
extern const std::shared_ptr<Metrics> metrics;

}  // namespace docs::telemetry_page

namespace docs::testing_page {

struct Note {
  std::string text;
};
struct NewNote {
  std::string title;
};
struct Mailer {};
using Sent = std::vector<std::string>;
extern Sent sent;
Mailer FakeMailer(Sent& to);
inline constexpr const char* kSchema = "create table notes(text text)";
void add_routes(App& app);
App make_app();
App make_app(Database database);

}  // namespace docs::testing_page

namespace docs::upgrade_page {

struct Store {
  explicit Store(std::string file);
  Task<> forget_sessions();
};

}  // namespace docs::upgrade_page
