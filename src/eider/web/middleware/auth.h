// Authentication guards: Basic, Bearer and API keys with scopes.
// Layering: must not store passwords; see `check` for hashed ones.
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

/// Known secrets and their owners, stored as digests. A lookup takes the same time whether the
/// secret exists or not.
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

/// The name and password of Authorization: Basic. Both are UTF-8 without control bytes.
struct BasicCredentials {
  std::string user;
  std::string password;
};

/// Reads the value of Authorization.
///
/// errors   nothing for another scheme, bad base64, no colon, control bytes (NUL too), no UTF-8
/// source   RFC 7617, section 2
[[nodiscard]] std::optional<BasicCredentials> parse_basic(std::string_view authorization);

/// Returns the token of "Bearer …" as a view.
///
/// errors   nothing for another scheme, or if the token is not a token68
/// source   RFC 6750, section 2.1
[[nodiscard]] std::optional<std::string_view> parse_bearer(std::string_view authorization);

struct BasicAuth {
  /// Realm that a browser shows in its login dialog.
  std::string realm = "restricted";
  /// User names and passwords, for services with few users.
  std::map<std::string, std::string> users = {};
  /// Replaces `users`: returns the identity, or nothing. The function runs on the event loop and
  /// must be fast. For a slow hash, write your own asynchronous guard (parse_basic, run_blocking).
  std::function<std::optional<Identity>(const BasicCredentials&)> check = {};
};

struct BearerAuth {
  std::string realm = "restricted";
  /// Tokens and their owners.
  std::map<std::string, Identity> tokens = {};
  /// Replaces `tokens`.
  std::function<std::optional<Identity>(std::string_view token)> check = {};
};

struct ApiKeyAuth {
  /// Header with the key. Not a query parameter, because these appear in logs and browser
  /// histories.
  std::string header = "X-API-Key";
  std::map<std::string, Identity> keys = {};
  /// Replaces `keys`.
  std::function<std::optional<Identity>(std::string_view key)> check = {};
};

/// Authentication guards, for Routes::guard and Routes::provide. Handlers after them can use `const
/// Identity&`, and OpenAPI documents list the security scheme. Other requests get a 401, with a
/// challenge if the scheme has one. The response does not reveal which part of the credentials is
/// wrong.
///
///     api.guard(bearer_auth({.tokens = {{own.token, {.name = "ci", .scopes = {"write"}}}}}));
///     api.post("/notes", add_note).guard(require_scope("write"));
///
/// Use TLS, because passwords and keys are sent unencrypted otherwise.
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

/// Rejects callers without the scope with 403. Must follow a guard that provides the Identity.
class ScopeGuard {
 public:
  explicit ScopeGuard(std::string scope) : scope_(std::move(scope)) {}
  Result<void> operator()(Extension<Identity> caller) const;
  void describe(Operation& operation) const;
  [[nodiscard]] std::string name() const { return "require_scope " + scope_; }

 private:
  std::string scope_;
};

[[nodiscard]] BasicGuard basic_auth(BasicAuth options);
[[nodiscard]] BearerGuard bearer_auth(BearerAuth options);
[[nodiscard]] ApiKeyGuard api_key_auth(ApiKeyAuth options);
[[nodiscard]] ScopeGuard require_scope(std::string scope);

}  // namespace eider
