// Guards that find out who asks: Basic, Bearer and API keys, and what a caller may do.
// Must not store passwords: see `check` for those that are hashed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/operation.h"
#include "eider/core/base/sha256.h"
#include "eider/web/middleware/identity.h"

namespace eider {

/// Secrets that are known, each with whose it is, kept as digests. Looking one up takes as long
/// whether it is there or not, and however much of it is right.
class SecretTable {
 public:
  SecretTable() = default;
  explicit SecretTable(const std::map<std::string, Identity>& secrets);

  [[nodiscard]] std::optional<Identity> find(std::string_view secret) const;

 private:
  struct Known {
    Sha256Digest digest;
    Identity owner;
  };

  std::vector<Known> known_;
};

/// A name and a password, as Authorization: Basic has them. Neither has control bytes; both are
/// UTF-8.
struct BasicCredentials {
  std::string user;
  std::string password;
};

/// Reads the value of Authorization.
///
/// errors   nothing for another scheme, bad base64, no colon, control bytes (NUL too), no UTF-8
/// source   RFC 7617, section 2
[[nodiscard]] std::optional<BasicCredentials> parse_basic(std::string_view authorization);

/// The token of "Bearer …", a view.
///
/// errors   nothing for another scheme, and for what is no token68
/// source   RFC 6750, section 2.1
[[nodiscard]] std::optional<std::string_view> parse_bearer(std::string_view authorization);

struct BasicAuth {
  /// What a browser shows in its question.
  std::string realm = "restricted";
  /// Names and passwords, for what few people use.
  std::map<std::string, std::string> users = {};
  /// In place of `users`: who that is, or nothing. It is called on the loop, and must not take
  /// long: a slow hash is for a guard of one's own that waits (parse_basic, run_blocking).
  std::function<std::optional<Identity>(const BasicCredentials&)> check = {};
};

struct BearerAuth {
  std::string realm = "restricted";
  /// Tokens, and whose they are.
  std::map<std::string, Identity> tokens = {};
  /// In place of `tokens`.
  std::function<std::optional<Identity>(std::string_view token)> check = {};
};

struct ApiKeyAuth {
  /// The field that carries it. Not the query: that is in logs and histories.
  std::string header = "X-API-Key";
  std::map<std::string, Identity> keys = {};
  /// In place of `keys`.
  std::function<std::optional<Identity>(std::string_view key)> check = {};
};

/// Guards, for Routes::guard and Routes::provide: handlers behind them take `const Identity&`, and
/// documents say how to tell who one is. Anybody else is a 401, with the challenge where the scheme
/// has one, which does not say what of the credentials is wrong.
///
///     api.guard(bearer_auth({.tokens = {{own.token, {.name = "ci", .scopes = {"write"}}}}}));
///     api.post("/notes", add_note).guard(needs_scope("write"));
///
/// Passwords and keys go over TLS, or anybody on the way has them.
class BasicGuard {
 public:
  explicit BasicGuard(BasicAuth options);
  Result<Identity> operator()(const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "basic_auth"; }

 private:
  [[nodiscard]] std::optional<Identity> caller(const Request& request) const;

  BasicAuth options_;
  SecretTable users_;
};

class BearerGuard {
 public:
  explicit BearerGuard(BearerAuth options);
  Result<Identity> operator()(const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "bearer_auth"; }

 private:
  BearerAuth options_;
  SecretTable tokens_;
};

class ApiKeyGuard {
 public:
  explicit ApiKeyGuard(ApiKeyAuth options);
  Result<Identity> operator()(const Request& request) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "api_key_auth"; }

 private:
  ApiKeyAuth options_;
  SecretTable keys_;
};

/// A 403 for callers without it. Behind a guard that puts the Identity.
class ScopeGuard {
 public:
  explicit ScopeGuard(std::string scope) : scope_(std::move(scope)) {}
  Result<void> operator()(Slot<Identity> caller) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "needs_scope " + scope_; }

 private:
  std::string scope_;
};

[[nodiscard]] BasicGuard basic_auth(BasicAuth options);
[[nodiscard]] BearerGuard bearer_auth(BearerAuth options);
[[nodiscard]] ApiKeyGuard api_key_auth(ApiKeyAuth options);
[[nodiscard]] ScopeGuard needs_scope(std::string scope);

}  // namespace eider
