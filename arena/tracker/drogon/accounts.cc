#include "accounts.h"

#include <argon2.h>
#include <drogon/CacheMap.h>
#include <drogon/RateLimiter.h>
#include <trantor/net/EventLoopThread.h>

#include <algorithm>
#include <array>

namespace tracker {

namespace {

constexpr std::uint32_t kPasses = 2;
constexpr std::uint32_t kMemoryKib = 19456;
constexpr std::size_t kLoginsInAWindow = 10;

Json::Value to_json(const User& user) {
  Json::Value object;
  object["id"] = user.id;
  object["name"] = user.name;
  object["role"] = user.role;
  return object;
}

User to_user(const drogon::orm::Row& row) {
  return {row["id"].as<std::int64_t>(), row["name"].as<std::string>(),
          row["role"].as<std::string>()};
}

std::string hash(const std::string& password) {
  std::array<char, 16> salt{};
  drogon::utils::secureRandomBytes(salt.data(), salt.size());
  std::array<char, 128> stored{};
  const int error =
      argon2id_hash_encoded(kPasses, kMemoryKib, 1, password.data(), password.size(), salt.data(),
                            salt.size(), 32, stored.data(), stored.size());
  if (error != ARGON2_OK) {
    throw std::runtime_error(argon2_error_message(error));
  }
  return stored.data();
}

/// Runs what takes long on a thread of its own, and comes back to the loop of the request.
Task<> apart(std::function<void()> work) {
  static trantor::EventLoopThread thread("passwords");
  static const bool is_running = (thread.run(), true);
  static_cast<void>(is_running);
  co_await drogon::queueInLoopCoro(thread.getLoop(), std::move(work),
                                   trantor::EventLoop::getEventLoopOfCurrentThread());
}

bool may_try(const std::string& key) {
  static drogon::CacheMap<std::string, drogon::RateLimiterPtr> limiters(drogon::app().getLoop(), 1,
                                                                        2, 100);
  drogon::RateLimiterPtr found;
  limiters.modify(
      key,
      [&found](drogon::RateLimiterPtr& limiter) {
        if (!limiter) {
          limiter = std::make_shared<drogon::SafeRateLimiter>(drogon::RateLimiter::newRateLimiter(
              drogon::RateLimiterType::kSlidingWindow, kLoginsInAWindow,
              std::chrono::seconds(kLoginWaitSeconds)));
        }
        found = limiter;
      },
      2 * kLoginWaitSeconds);
  return found->isAllowed();
}

void begin_session(const HttpRequestPtr& request, const User& user) {
  request->session()->changeSessionIdToClient();
  request->session()->insert("user", user.id);
}

bool is_name(const std::string& name) {
  return name.size() >= 2 && name.size() <= 32 && std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// Roughly: what a mail server takes, it alone knows.
bool is_email(const std::string& text) {
  const std::size_t at = text.find('@');
  const std::size_t dot = text.rfind('.');
  return at != text.npos && at > 0 && dot != text.npos && dot > at + 1 && dot + 1 < text.size() &&
         text.find_first_of(" \t\r\n<>,;\"") == text.npos && text.find('@', at + 1) == text.npos;
}

}  // namespace

SignUp read_sign_up(const Json::Value& object) {
  Members members(object);
  SignUp given;
  given.name = members.required("name", members.text("name", 2, 32));
  given.email = members.required("email", members.text("email", 3, 254));
  given.password = members.required("password", members.text("password", 10, 200));
  members.expect(is_name(given.name), "name", "must have 2 to 32 lowercase letters, digits and _");
  members.expect(is_email(given.email), "email", "must be an email address");
  members.finish();
  return given;
}

Task<User> add_user(HttpRequestPtr request, SignUp given) {
  std::string stored;
  co_await apart([&] { stored = hash(given.password); });
  const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
      "insert into users(name, email, password, role) values(?, ?, ?, "
      "iif(exists(select 1 from users), 'member', 'admin')) on conflict(name) do nothing "
      "returning id, name, role",
      given.name, given.email, stored);
  if (rows.empty()) {
    throw Refusal(drogon::k409Conflict, "This name is taken.", {{"name", "is taken"}});
  }
  const User user = to_user(rows[0]);
  begin_session(request, user);
  co_return user;
}

Task<User> check_login(HttpRequestPtr request, std::string name, std::string password) {
  if (!may_try(request->peerAddr().toIp() + " " + name)) {
    throw Refusal(drogon::k429TooManyRequests, "Too many attempts: wait a minute.");
  }
  const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
      "select id, name, role, password from users where name = ?", name);
  static const std::string kNobody = hash("nobody has this password");
  const std::string stored = rows.empty() ? kNobody : rows[0]["password"].as<std::string>();
  bool matches = false;
  co_await apart([&] {
    matches = argon2id_verify(stored.c_str(), password.data(), password.size()) == ARGON2_OK;
  });
  if (rows.empty() || !matches) {
    throw Refusal(drogon::k401Unauthorized, "The name or the password is wrong.",
                  {{"name", "or password are wrong"}});
  }
  const User user = to_user(rows[0]);
  begin_session(request, user);
  co_return user;
}

const User& user_of(const HttpRequestPtr& request) {
  return request->attributes()->get<User>("user");
}

Task<HttpResponsePtr> LoggedIn::doFilter(const HttpRequestPtr& request) {
  const auto id = request->session()->getOptional<std::int64_t>("user");
  if (id) {
    const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
        "select id, name, role from users where id = ?", *id);
    if (!rows.empty()) {
      request->attributes()->insert("user", to_user(rows[0]));
      co_return nullptr;
    }
  }
  throw Refusal(drogon::k401Unauthorized, "Log in first.");
}

Task<HttpResponsePtr> PageUser::doFilter(const HttpRequestPtr& request) {
  LoggedIn filter;
  try {
    co_return co_await filter.doFilter(request);
  } catch (const Refusal&) {
    co_return HttpResponse::newRedirectionResponse("/login", drogon::k303SeeOther);
  }
}

Task<HttpResponsePtr> Writer::doFilter(const HttpRequestPtr& request) {
  if (user_of(request).role == "viewer") {
    throw Refusal(drogon::k403Forbidden, "Viewers cannot write.");
  }
  co_return nullptr;
}

Task<HttpResponsePtr> Admin::doFilter(const HttpRequestPtr& request) {
  if (user_of(request).role != "admin") {
    throw Refusal(drogon::k403Forbidden, "Administrators only.");
  }
  co_return nullptr;
}

Task<HttpResponsePtr> Accounts::sign_up(HttpRequestPtr request) {
  SignUp given = read_sign_up(object_of(request));
  const User user = co_await add_user(request, std::move(given));
  co_return json(to_json(user), drogon::k201Created);
}

Task<HttpResponsePtr> Accounts::log_in(HttpRequestPtr request) {
  Members members(object_of(request));
  const std::string name = members.required("name", members.text("name", 0, 200));
  const std::string password = members.required("password", members.text("password", 0, 200));
  members.finish();
  const User user = co_await check_login(request, name, password);
  co_return json(to_json(user));
}

Task<HttpResponsePtr> Accounts::log_out(HttpRequestPtr request) {
  request->session()->clear();
  co_return no_content();
}

Task<HttpResponsePtr> Accounts::me(HttpRequestPtr request) {
  co_return json(to_json(user_of(request)));
}

Task<HttpResponsePtr> Accounts::set_role(HttpRequestPtr request, std::int64_t id) {
  Members members(object_of(request));
  const std::string role =
      members.required("role", members.one_of("role", {"admin", "member", "viewer"}));
  members.finish();
  const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
      "update users set role = ? where id = ? returning id, name, role", role, id);
  if (rows.empty()) {
    throw Refusal(drogon::k404NotFound, "There is no such user.");
  }
  co_return json(to_json(to_user(rows[0])));
}

}  // namespace tracker
