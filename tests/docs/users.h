// What the pages about people who log in take for granted. Must not be compiled by itself: see
// common.h.
#pragma once

#include "common.h"

namespace docs::accounts_page {

struct Visit {
  std::string language;
};
struct Login {
  std::string email;
  std::string password;
};
struct ResetMail {
  std::string link;
};
extern AccountsOptions options;
extern const std::shared_ptr<KeptMails> mails;
std::vector<int> orders_of(const std::string& account);

}  // namespace docs::accounts_page

namespace docs::jwt_page {

extern const std::vector<JwtKey> keys;
extern const JwtKey key;
extern const std::string pem, secret, json;
extern const std::int64_t now;
std::string add_note(Body content);

}  // namespace docs::jwt_page

namespace docs::oauth_page {

struct Visit {
  std::string id_token;
};
struct Profile {
  std::string email;
  bool email_verified = false;
};
struct Known {
  std::string key;
};
struct People {
  Task<Result<Known>> find_or_add(std::string issuer, std::string subject, Profile profile);
};
struct GithubUser {
  std::int64_t id;
  std::string login;
};
extern OAuthOptions options;
extern const OAuthLogin login;
extern const OAuthTokens kept;
std::string page_of(OAuthFault fault);

}  // namespace docs::oauth_page

namespace docs::passkeys_page {

struct Visit {
  std::string language;
};
struct People {};
extern People* people;
extern const PasskeySite site;
extern const std::string json, browser;
extern const std::vector<Passkey> known;
extern const Passkeys::Find find;

}  // namespace docs::passkeys_page

namespace docs::passwords_page {

struct Credentials {
  std::string name;
  std::string password;
};
struct Accounts {
  void keep(std::string name, std::string stored);
  std::optional<std::string> find(std::string_view name);
};

}  // namespace docs::passwords_page

namespace docs::sessions_page {

struct Login {
  std::string name;
  std::string password;
  std::string next;
};
struct NewPassword {
  std::string password;
};
struct NewNote {
  std::string title;
};
struct User {
  std::string key;
};
struct Users {
  Task<std::optional<User>> check(std::string name, std::string password);
};
extern const Sessions visits;
void show(std::string_view kind, std::string_view text);

}  // namespace docs::sessions_page

namespace docs::users_page {

struct Visit {
  std::string language;
};
struct NewNote {
  std::string title;
};
struct LoginPage {
  std::string next;
};
struct Store {
  Task<Found> find_user(std::string key);
};
enum class Role { admin, member };
Html login_form(const std::string& next);
std::string show_password();
std::string set_password(Body content);

}  // namespace docs::users_page
