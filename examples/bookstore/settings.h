// The settings of the shop: command line, environment (BOOKSTORE_…) or a settings file.
// Layering: must not contain objects that are made from settings.
#pragma once

#include <eider/eider.h>

#include <string>

#ifndef BOOKSTORE_DIRECTORY
#define BOOKSTORE_DIRECTORY "examples/bookstore"
#endif

namespace bookstore {

struct Settings {
  std::string database_file = "bookstore.db";
  eider::Url public_url = eider::Url("http://localhost:8080");
  std::string admin_mail = "admin@bookstore.example";
  eider::Bounded<int, 1, 100'000> logins_per_minute = 30;
  eider::Bounded<int, 1, 1'000'000> requests_per_minute = 1200;
  std::string smtp_url = {};
  std::string smtp_user = {};
  eider::Secret smtp_password = {};
  eider::Secret two_factor_key = {};
  std::string openid_issuer = {};
  std::string openid_client_id = "bookstore";
  eider::Secret openid_client_secret = {};
  std::string openid_name = "OpenID";
  eider::Email mail_from = eider::Email("no-reply@bookstore.example");
  std::string trusted_proxies = {};
  bool development = false;
  std::string pages = BOOKSTORE_DIRECTORY "/pages";
  std::string languages = BOOKSTORE_DIRECTORY "/languages";

  static constexpr eider::OptionText kOptions[] = {
      {"database_file", "SQLite file of the shop; :memory: is deleted at exit", "FILE"},
      {"public_url", "Public URL of the shop; with https, cookies are sent over TLS only", "URL"},
      {"admin_mail", "E-mail address that becomes the first administrator at sign-up", "MAIL"},
      {"logins_per_minute", "Maximum number of logins and sign-ups per minute and address"},
      {"requests_per_minute", "Maximum number of requests per minute and address"},
      {"smtp_url", "Mail server; without it, mails are written to the log", "URL"},
      {"smtp_password", "Password for the mail server"},
      {"two_factor_key",
       "At least 32 secret bytes that encrypt the secrets of authenticator apps (default: "
       "no two-factor authentication)"},
      {"openid_issuer", "OpenID provider for logins (default: only logins with passwords)", "URL"},
      {"openid_client_id", "Client ID of the shop, registered with /login/openid/callback", "ID"},
      {"openid_client_secret", "Client secret from the provider"},
      {"openid_name", "Name of the provider on the login page", "NAME"},
      {"mail_from", "Sender address of mails", "MAIL"},
      {"trusted_proxies", "Trusted proxies, such as 10.0.0.0/8,unix", "BLOCKS"},
      {"development", "Show changed templates and catalogs without a build; only for development"},
      {"pages", "Directory with the templates, for development", "DIRECTORY"},
      {"languages", "Directory with the catalogs", "DIRECTORY"}};

  [[nodiscard]] bool is_behind_tls() const { return public_url->starts_with("https://"); }
};

}  // namespace bookstore
