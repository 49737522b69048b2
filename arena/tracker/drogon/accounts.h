// Who somebody is, and what he may.
// Must not show anything: the API and the pages do.
#pragma once

#include "web.h"

namespace tracker {

struct User {
  std::int64_t id = 0;
  std::string name;
  std::string role;
};

struct SignUp {
  std::string name;
  std::string email;
  std::string password;
};

SignUp read_sign_up(const Json::Value& object);
/// Adds the user, and logs him in. 409 where the name is taken.
Task<User> add_user(HttpRequestPtr request, SignUp given);
/// 401, 429
Task<User> check_login(HttpRequestPtr request, std::string name, std::string password);

/// Of whom a filter has let in.
const User& user_of(const HttpRequestPtr& request);

/// Filters, named by texts where routes are added.
class LoggedIn : public drogon::HttpCoroFilter<LoggedIn> {
 public:
  Task<HttpResponsePtr> doFilter(const HttpRequestPtr& request) override;
};
/// Behind LoggedIn or PageUser.
class Writer : public drogon::HttpCoroFilter<Writer> {
 public:
  Task<HttpResponsePtr> doFilter(const HttpRequestPtr& request) override;
};
class Admin : public drogon::HttpCoroFilter<Admin> {
 public:
  Task<HttpResponsePtr> doFilter(const HttpRequestPtr& request) override;
};
/// Leads strangers to the login.
class PageUser : public drogon::HttpCoroFilter<PageUser> {
 public:
  Task<HttpResponsePtr> doFilter(const HttpRequestPtr& request) override;
};

class Accounts : public drogon::HttpController<Accounts> {
 public:
  METHOD_LIST_BEGIN
  ADD_METHOD_TO(Accounts::sign_up, "/api/signup", drogon::Post);
  ADD_METHOD_TO(Accounts::log_in, "/api/login", drogon::Post);
  ADD_METHOD_TO(Accounts::log_out, "/api/logout", drogon::Post);
  ADD_METHOD_TO(Accounts::me, "/api/me", drogon::Get, "tracker::LoggedIn");
  ADD_METHOD_TO(Accounts::set_role, "/api/users/{id}/role", drogon::Put, "tracker::LoggedIn",
                "tracker::Admin");
  METHOD_LIST_END

  Task<HttpResponsePtr> sign_up(HttpRequestPtr request);
  Task<HttpResponsePtr> log_in(HttpRequestPtr request);
  Task<HttpResponsePtr> log_out(HttpRequestPtr request);
  Task<HttpResponsePtr> me(HttpRequestPtr request);
  Task<HttpResponsePtr> set_role(HttpRequestPtr request, std::int64_t id);
};

}  // namespace tracker
