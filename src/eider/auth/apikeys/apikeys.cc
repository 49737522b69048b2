#include "eider/auth/apikeys/apikeys.h"

#include <algorithm>

#include "eider/auth/apikeys/apikey_text.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/token.h"
#include "eider/core/base/utf8.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/wording.h"
#include "eider/data/db/create_tables.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/middleware/auth.h"
#include "eider/web/middleware/cookieless.h"

namespace eider {

namespace detail::apikeys {

/// A row of the table. Not in the anonymous namespace, because coroutines of ApiKeys have it in
/// their frames.
///
/// scopes  separated by spaces
struct KeyRow {
  std::string id;
  std::string user;
  std::string name;
  std::string scopes;
  std::string hint;
  std::int64_t created = 0;
  std::int64_t expires = 0;
  std::int64_t used = 0;
};

}  // namespace detail::apikeys

namespace {

using detail::apikeys::KeyRow;

constexpr std::size_t kIdBytes = 12;
constexpr std::size_t kHintChars = 4;
constexpr std::size_t kNameCharsMax = 100;
constexpr std::int64_t kNotedEverySeconds = 60;
constexpr const char* kInvalidKey = "The API key is invalid, has expired or was revoked.";

ApiKey key_of(KeyRow row) {
  ApiKey key{.id = std::move(row.id),
             .user = std::move(row.user),
             .name = std::move(row.name),
             .scopes = {},
             .hint = std::move(row.hint),
             .created = row.created,
             .expires = row.expires,
             .used = row.used};
  std::string_view rest = row.scopes;
  while (!rest.empty()) {
    key.scopes.emplace_back(take_until(rest, " "));
  }
  return key;
}

/// Returns a digest of the user key. All digests have the same length, so the column compares
/// exactly on each database: MariaDB ignores trailing spaces.
std::string owner_of(const UserKey& user) {
  return sha256_hex(user.text);
}

std::int64_t now_s() {
  return Loop::current().wall_seconds();
}

Error invalid_key() {
  return Error::unauthorized(kInvalidKey)
      .with_header("WWW-Authenticate", "Bearer error=\"invalid_token\"");
}

bool is_printable_name(std::string_view name) {
  return is_utf8(name) && std::ranges::none_of(name, [](char byte) {
           return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F;
         });
}

ApiKeyOptions checked(ApiKeyOptions options) {
  if (!detail::apikeys::is_key_prefix(options.prefix)) {
    throw Failure(
        Error::internal("api_keys: `prefix` must have 1 to 16 characters of a-z and 0-9, "
                        "first a letter, not '" +
                        options.prefix + "'"));
  }
  for (const std::string& scope : options.scopes) {
    if (scope.empty() || scope.contains(' ')) {
      throw Failure(Error::internal("api_keys: a scope must not be empty or contain spaces: '" +
                                    scope + "'"));
    }
  }
  if (options.lifetime_max < Duration::zero()) {
    throw Failure(Error::internal("api_keys: `lifetime_max` must not be negative"));
  }
  return options;
}

/// Serializes the creation of keys by one user: two concurrent calls would count the same number of
/// keys. The owner has a row for this, because a user without keys has no other row to lock.
Task<> lock_owner(const Transaction& in, db::Dialect dialect, std::string owner) {
  if (dialect == db::Dialect::mariadb) {
    co_await in.exec(
        "insert into eider_api_key_owners(owner) values($1) "
        "on duplicate key update owner = values(owner)",
        owner);
    co_return;
  }
  co_await in.exec(
      "insert into eider_api_key_owners(owner) values($1) "
      "on conflict(owner) do update set owner = excluded.owner",
      owner);
}

Task<bool> has_room(const db::Statements& at, std::string owner, std::size_t most) {
  const auto count =
      co_await at.one<std::int64_t>("select count(*) from eider_api_keys where owner = $1", owner);
  co_return count.value_or(0) < static_cast<std::int64_t>(most);
}

// Runs inside a response cache, which therefore stores one response per key. A Cache-Control of the
// handler decides whether other caches may store the response.
Task<Response> with_vary(std::string header, Next next) {
  Response response = co_await next();
  response.add_header("Vary", header);
  if (!response.find_header("Cache-Control")) {
    response.add_header("Cache-Control", "private");
  }
  co_return response;
}

}  // namespace

ApiKeys::ApiKeys(Database database, ApiKeyOptions options)
    : database_(std::move(database)), options_(checked(std::move(options))) {}

Task<> ApiKeys::start() const {
  if (database_.dialect() == db::Dialect::mariadb) {
    co_await db::create_tables(
        database_,
        "create table if not exists eider_api_keys ("
        "digest varchar(64) primary key, id varchar(32) not null, owner varchar(64) not null, "
        "user_key text not null, name text not null, scopes text not null, "
        "hint varchar(8) not null, created bigint not null, expires bigint not null, "
        "used bigint not null, index eider_api_keys_owner(owner)) "
        "character set utf8mb4 collate utf8mb4_bin;"
        "create table if not exists eider_api_key_owners(owner varchar(64) primary key);");
    co_return;
  }
  co_await db::create_tables(
      database_,
      "create table if not exists eider_api_keys ("
      "digest text primary key, id text not null, owner text not null, user_key text not null, "
      "name text not null, scopes text not null, hint text not null, created bigint not null, "
      "expires bigint not null, used bigint not null);"
      "create index if not exists eider_api_keys_owner on eider_api_keys(owner);"
      "create table if not exists eider_api_key_owners(owner text primary key);");
}

Result<CreatedApiKey> ApiKeys::made_of(UserKey user, ApiKeyRequest request) const {
  std::vector<FieldError> wrong;
  if (request.name.empty() || !is_printable_name(request.name) ||
      reflect::code_points(request.name) > kNameCharsMax) {
    wrong.push_back({"/name", "must have 1 to 100 characters, without control characters"});
  }
  std::ranges::sort(request.scopes);
  const auto repeated = std::ranges::unique(request.scopes);
  request.scopes.erase(repeated.begin(), repeated.end());
  for (const std::string& scope : request.scopes) {
    if (std::ranges::find(options_.scopes, scope) == options_.scopes.end()) {
      wrong.push_back(field_error(
          "/scopes", reflect::wording::kOneOf.with({{"names", joined(options_.scopes, " ")}})));
      break;
    }
  }
  const Duration most = options_.lifetime_max;
  if (request.lifetime < Duration::zero() || (most > Duration::zero() && request.lifetime > most)) {
    wrong.push_back({"/lifetime", "must be positive and at most the maximum lifetime"});
  }
  if (!wrong.empty()) {
    return fail(Error::invalid(std::move(wrong)));
  }
  const Duration lifetime = request.lifetime == Duration::zero() ? most : request.lifetime;
  const std::int64_t now = now_s();
  CreatedApiKey made{.key = {}, .secret = detail::apikeys::make_key(options_.prefix)};
  made.key = {.id = random_token(kIdBytes),
              .user = std::move(user.text),
              .name = std::move(request.name),
              .scopes = std::move(request.scopes),
              .hint = made.secret.substr(made.secret.size() - kHintChars),
              .created = now};
  if (lifetime > Duration::zero()) {
    made.key.expires = now + std::chrono::ceil<std::chrono::seconds>(lifetime).count();
  }
  return made;
}

Task<Result<CreatedApiKey>> ApiKeys::create(UserKey user, ApiKeyRequest request) const {
  std::string language = std::move(request.language);
  auto made = made_of(std::move(user), std::move(request));
  if (!made) {
    co_return fail(made.error());
  }
  const auto too_many = [] {
    return fail(Error::conflict("You have the maximum number of API keys. Revoke one first."));
  };
  if (options_.before_create) {
    if (!co_await has_room(database_, owner_of({made->key.user}), options_.keys_max)) {
      co_return too_many();
    }
    // First: otherwise, an attacker who disconnects as soon as the key is stored would have it
    // without notice to the owner.
    co_await options_.before_create(made->key, std::move(language));
  }
  std::string scopes = joined(made->key.scopes, " ");
  if (!co_await insert(*made, std::move(scopes))) {
    co_return too_many();
  }
  co_return made;
}

Task<bool> ApiKeys::insert(CreatedApiKey created, std::string scopes) const {
  const std::string owner = owner_of({created.key.user});
  Transaction transaction = co_await database_.begin();
  co_await lock_owner(transaction, database_.dialect(), owner);
  if (!co_await has_room(transaction, owner, options_.keys_max)) {
    co_return false;
  }
  const ApiKey& key = created.key;
  co_await transaction.exec(
      "insert into eider_api_keys(digest, id, owner, user_key, name, scopes, hint, created, "
      "expires, used) values($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      sha256_hex(created.secret), key.id, owner, key.user, key.name, scopes, key.hint, key.created,
      key.expires, key.used);
  co_await transaction.commit();
  co_return true;
}

Task<std::vector<ApiKey>> ApiKeys::list(UserKey user) const {
  auto rows = co_await database_.all<KeyRow>(
      "select id, user_key as user, name, scopes, hint, created, expires, used "
      "from eider_api_keys where owner = $1 order by created desc, id",
      owner_of(user));
  std::vector<ApiKey> keys;
  for (KeyRow& row : rows) {
    keys.push_back(key_of(std::move(row)));
  }
  co_return keys;
}

Task<bool> ApiKeys::revoke(UserKey user, std::string id) const {
  const auto done = co_await database_.exec(
      "delete from eider_api_keys where owner = $1 and id = $2", owner_of(user), id);
  co_return done.rows == 1;
}

Task<std::size_t> ApiKeys::revoke_all(UserKey user) const {
  const auto done =
      co_await database_.exec("delete from eider_api_keys where owner = $1", owner_of(user));
  co_return static_cast<std::size_t>(done.rows);
}

// Looks the digest up in an index. The time of the comparison reveals something about the digest,
// but attackers cannot choose the digest of a key byte by byte.
Task<std::optional<ApiKey>> ApiKeys::find(std::string secret) const {
  if (!detail::apikeys::is_key(secret, options_.prefix)) {
    co_return std::nullopt;
  }
  const std::string digest = sha256_hex(secret);
  auto row = co_await database_.one<KeyRow>(
      "select id, user_key as user, name, scopes, hint, created, expires, used "
      "from eider_api_keys where digest = $1",
      digest);
  const std::int64_t now = now_s();
  if (!row || (row->expires != 0 && row->expires <= now)) {
    co_return std::nullopt;
  }
  if (now - row->used >= kNotedEverySeconds) {
    co_await note_use(digest, now);
    row->used = now;
  }
  co_return key_of(std::move(*row));
}

/// If the use cannot be stored, for example because the database is read-only for a while, the key
/// is accepted anyway.
Task<> ApiKeys::note_use(std::string digest, std::int64_t now) const {
  try {
    co_await database_.exec("update eider_api_keys set used = $1 where digest = $2 and used <= $3",
                            now, digest, now - kNotedEverySeconds);
  } catch (const db::Failure&) {
    co_return;
  }
}

std::string_view ApiKeys::secret_in(const Request& request) const noexcept {
  if (!options_.header.empty()) {
    return request.header(options_.header).value_or("");
  }
  const std::string_view field = request.header("Authorization").value_or("");
  const std::string_view token = parse_bearer(field).value_or("");
  const bool is_ours = token.size() > options_.prefix.size() &&
                       token.starts_with(options_.prefix) && token[options_.prefix.size()] == '_';
  return is_ours ? token : std::string_view();
}

ApiKeys& add_api_keys(App& app, Database database, ApiKeyOptions options) {
  ApiKeys& keys = app.add_module<ApiKeys>(std::move(database), std::move(options));
  app.use(Hook{.on_request =
                   [&keys](Request& request, Response& /*response*/) {
                     if (const auto secret = keys.secret_in(request); !secret.empty()) {
                       request.set(detail::middleware::Cookieless{secret});
                     }
                     return true;
                   },
               // Caches know that Authorization belongs to one client (RFC 9111, section 3.5), but
               // not other headers.
               .on_response =
                   [](const Request& request, Response& response) {
                     if (request.find<detail::middleware::Cookieless>() != nullptr &&
                         !response.find_header("Cache-Control")) {
                       response.add_header("Cache-Control", "private");
                     }
                   },
               .name = "api_keys"});
  const std::string& header = keys.options().header;
  app.provide(detail::apikeys::FindKey(header));
  app.provide(detail::apikeys::KeyGuard(header));
  app.provide(detail::apikeys::KeyOrSession(detail::apikeys::KeyGuard(header), ""));
  return keys;
}

void accept_api_keys(Routes& at, const ApiKeys& keys, const Sessions& sessions) {
  at.provide(detail::apikeys::KeyOrSession(detail::apikeys::KeyGuard(keys.options().header),
                                           sessions.options().cookie));
  at.provide([](Extension<detail::apikeys::Caller> caller) { return caller->user; });
}

namespace detail::apikeys {

Task<Presented> FindKey::operator()(const Request& request, State<ApiKeys> keys) const {
  const std::string secret(keys->secret_in(request));
  Presented presented{.is_there = !secret.empty()};
  if (presented.is_there) {
    presented.key = co_await keys->find(secret);
  }
  co_return presented;
}

Middleware FindKey::middleware() const {
  std::string header = header_.empty() ? "Authorization" : header_;
  return Middleware([header = std::move(header)](
                        Request&, Next next) { return with_vary(header, std::move(next)); },
                    "api_key");
}

Result<ApiKey> KeyGuard::operator()(Extension<Presented> presented) const {
  if (presented->key) {
    return *presented->key;
  }
  if (presented->is_there) {
    return fail(invalid_key());
  }
  const std::string how =
      header_.empty() ? "the header Authorization: Bearer" : "the header " + header_;
  return fail(Error::unauthorized("Send an API key in " + how + ".")
                  .with_header("WWW-Authenticate", "Bearer"));
}

void KeyGuard::describe(Operation& operation) const {
  using Kind = Operation::Security::Kind;
  if (header_.empty()) {
    operation.secure(
        {.name = "api_key", .kind = Kind::http, .field = "bearer", .format = "API key"});
  } else {
    operation.secure(
        {.name = "api_key", .kind = Kind::api_key, .in = Operation::In::header, .field = header_});
  }
  operation.add_problem(401, kInvalidKey);
}

// A request with a key has no session here, even with a session cookie: see Cookieless.
Result<Caller> KeyOrSession::operator()(Extension<Presented> presented,
                                        Extension<session::Entry> session,
                                        Extension<session::LoginPrompt> way,
                                        const Request& request) const {
  if (presented->key) {
    return Caller{.user = {presented->key->user}, .key = *presented->key};
  }
  if (presented->is_there) {
    return fail(invalid_key());
  }
  if (!session->user().empty()) {
    return Caller{.user = {session->user()}};
  }
  return fail(way->refusal(request, "Log in, or send an API key."));
}

void KeyOrSession::describe(Operation& operation) const {
  if (!cookie_.empty()) {
    operation.secure({.name = "session",
                      .kind = Operation::Security::Kind::api_key,
                      .in = Operation::In::cookie,
                      .field = cookie_});
  }
  keys_.describe(operation);
}

}  // namespace detail::apikeys

Result<void> KeyScopeGuard::operator()(Extension<detail::apikeys::Caller> caller) const {
  if (!caller->key) {
    return {};
  }
  const auto& scopes = caller->key->scopes;
  if (std::ranges::find(scopes, scope_) == scopes.end()) {
    return fail(Error::forbidden("The API key lacks the scope '" + scope_ + "'."));
  }
  return {};
}

void KeyScopeGuard::describe(Operation& operation) const {
  operation.add_problem(403, "The API key lacks the scope '" + scope_ + "'.");
}

}  // namespace eider
