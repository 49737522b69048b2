// What the shop can be told: by its command line, its environment (BOOKSTORE_…) or a settings file.
// Must not hold anything that is made of it.
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
  eider::Range<int, 1, 100'000> logins_per_minute = 30;
  eider::Range<int, 1, 1'000'000> requests_per_minute = 1200;
  std::string smtp_url = {};
  std::string smtp_user = {};
  eider::Secret smtp_password = {};
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
      {"database_file", "where everything is kept; :memory: is gone at the end", "FILE"},
      {"public_url", "how people reach the shop; with https in it cookies are for TLS alone",
       "URL"},
      {"admin_mail", "who signs up with it is the administrator, where there is none", "MAIL"},
      {"logins_per_minute", "and sign-ups, from one address"},
      {"requests_per_minute", "of all kinds, from one address"},
      {"smtp_url", "of the mail server; unless said mails are lines of the log", "URL"},
      {"smtp_password", "for the mail server"},
      {"openid_issuer", "of a provider by which people log in, too; unless said nobody does",
       "URL"},
      {"openid_client_id", "as which the shop is known there, with /login/openid/callback", "ID"},
      {"openid_client_secret", "what the provider gave the shop"},
      {"openid_name", "what the login page calls it", "NAME"},
      {"mail_from", "who writes to people", "MAIL"},
      {"trusted_proxies", "whose word counts about where a request is from: 10.0.0.0/8,unix",
       "BLOCKS"},
      {"development", "show templates and catalogues as their files are now"},
      {"pages", "where the templates' files are, for development", "DIRECTORY"},
      {"languages", "where the catalogues are", "DIRECTORY"}};

  [[nodiscard]] bool is_behind_tls() const { return public_url->starts_with("https://"); }
};

}  // namespace bookstore
