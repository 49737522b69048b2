// An app with accounts in SQLite, in simulated time, for the tests of this folder.
// Layering: must not be included outside of tests.
#pragma once

#include <eider/eider.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/auth/accounts/accounts.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "tests/support/faulty_database.h"

namespace eider::test {

struct Visit {};
/// The members of the app's forms; some forms use only one of them.
struct Given {
  std::string email;
  std::string password;
};
struct GivenToken {
  std::string token;
  std::string password;
};
/// Returns the language of a request, as a Translator would.
inline std::string language_of(const Request& request) {
  return std::string(request.header("Accept-Language").value_or(""));
}

inline constexpr const char* kAnn = "ann@example.org";
inline constexpr const char* kBob = "bob@example.org";
inline constexpr const char* kWord = "correct horse";
inline constexpr const char* kOther = "battery staple";

inline AccountsOptions options_of() {
  AccountsOptions options;
  options.origin = "https://shop.example";
  options.from = "no-reply@shop.example";
  options.name = "Shop";
  options.passwords = {.cost = {.memory_kib = 64, .passes = 1, .lanes = 1}, .threads = 0};
  return options;
}

inline TestClientOptions browser() {
  return {.keeps_cookies = true};
}

class AccountCase : public ::testing::Test {
 protected:
  static App make_app(const Database& database, std::shared_ptr<MailTransport> transport,
                      AccountsOptions options = options_of(),
                      std::shared_ptr<SessionStore> store = nullptr) {
    App app;
    store = store == nullptr ? sql_sessions(database) : std::move(store);
    const Sessions visits = add_sessions<Visit>(
        app, {.store = std::move(store), .cookie = "session", .is_secure = false});
    Outbox& letters = add_outbox(app, add_jobs(app, database), {.transport = std::move(transport)});
    add_accounts(app, database, letters, visits, std::move(options));
    add_routes(app);
    add_routes_of_users(app);
    add_looks(app, database);
    return app;
  }

  static void add_routes(App& app) {
    app.post("/sign-up",
             [](Json<Given> given, ClientInfo client, const Request& request,
                State<Accounts> all) -> Task<Result<void>> {
               return all->sign_up(given->email, client, language_of(request));
             });
    app.post("/confirm",
             [](Json<GivenToken> given, State<Accounts> all) -> Task<Result<std::string>> {
               auto key = co_await all->confirm(given->token, given->password);
               if (!key) {
                 co_return fail(key.error());
               }
               co_return key->key;
             });
    app.post("/log-in",
             [](Json<Given> given, ClientInfo client, Session<> session,
                State<Accounts> all) -> Task<Result<void>> {
               auto key = co_await all->log_in(given->email, given->password, client);
               if (!key) {
                 co_return fail(key.error());
               }
               all->begin(session, *key);
               co_return Result<void>();
             });
    app.post("/forgotten",
             [](Json<Given> given, ClientInfo client, const Request& request,
                State<Accounts> all) -> Task<Result<void>> {
               return all->send_reset_link(given->email, client, language_of(request));
             });
    app.post("/reset",
             [](Json<GivenToken> given, ClientInfo client, const Request& request,
                State<Accounts> all) -> Task<Result<void>> {
               auto key =
                   co_await all->reset(given->token, given->password, client, language_of(request));
               if (!key) {
                 co_return fail(key.error());
               }
               co_return Result<void>();
             });
  }

  static void add_routes_of_users(App& app) {
    app.post("/password",
             [](Json<Given> given, ClientInfo client, Session<> session, const Request& request,
                State<Accounts> all) -> Task<Result<void>> {
               return all->change_password(session, given->email, given->password, client,
                                           language_of(request));
             });
    app.post("/new-address",
             [](Json<Given> given, ClientInfo client, const Account& account,
                const Request& request, State<Accounts> all) -> Task<Result<void>> {
               return all->send_address_link({account.key}, given->password, given->email, client,
                                             language_of(request));
             });
    app.post("/address",
             [](Json<GivenToken> given, const Account& account, const Request& request,
                State<Accounts> all) -> Task<Result<void>> {
               return all->change_address({account.key}, given->token, language_of(request));
             });
    app.post("/passkey",
             [](const Account& account, const Request& request, State<Accounts> all) -> Task<> {
               return all->notify_passkey_added({account.key}, language_of(request));
             });
    app.post("/api-key",
             [](const Account& account, const Request& request, State<Accounts> all) -> Task<> {
               return all->notify_api_key_added({account.key}, language_of(request));
             });
    app.post("/vouched",
             [](Json<Given> given, Session<> session, State<Accounts> all) -> Task<Result<void>> {
               const auto account = co_await all->find_or_create(given->email);
               if (!account) {
                 co_return fail(account.error());
               }
               session.log_in(account->key);
               co_return Result<void>();
             });
    app.post(
        "/linked",
        [](Json<Given> given, const Request& request, State<Accounts> all) -> Task<Result<void>> {
          const auto account =
              co_await all->find_or_create_linked(given->email, language_of(request));
          co_return account ? Result<void>() : fail(account.error());
        });
    app.get("/me", [](const Account& account) { return account.email; });
  }

  /// Adds routes that return the contents of the tables and the number of hashes.
  static void add_looks(App& app, const Database& database) {
    app.get("/hashes", [](State<Accounts> all) { return all->password_counts().started; });
    app.get("/asks", [database]() -> Task<std::int64_t> {
      const auto count =
          co_await database.one<std::int64_t>("select count(*) from eider_account_requests");
      co_return count.value_or(-1);
    });
    app.get("/session-count", [database]() -> Task<std::int64_t> {
      const auto count = co_await database.one<std::int64_t>(
          "select count(*) from eider_sessions where owner <> ''");
      co_return count.value_or(-1);
    });
    app.get("/dump", [database]() -> Task<std::string> {
      const auto rows = co_await database.all<std::string>(
          "select digest || purpose || account || email from eider_account_links "
          "union all select name || email || password from eider_accounts "
          "union all select id || message from eider_outbox");
      std::string text;
      for (const std::string& row : rows) {
        text += row + "\n";
      }
      co_return text;
    });
  }

  /// Returns the token in the last mail to this address.
  std::string token_of(const std::string& email) const {
    const std::string text = text_of(mails->last_to(email));
    const std::size_t at = text.find('#');
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at) - at - 1);
  }

  /// Signs up and confirms the address, without a login.
  void make_account(TestClient& client, const std::string& email, const std::string& password) {
    EXPECT_EQ(client.post("/sign-up", Given{email, ""}).status, 204);
    client.advance(std::chrono::seconds(3));
    EXPECT_EQ(client.post("/confirm", GivenToken{token_of(email), password}).status, 200);
  }

  /// Logs in as a new browser and returns its cookie.
  static std::string log_in(TestClient& client, const std::string& email,
                            const std::string& password) {
    const TestResponse reply = client.post("/log-in", Given{email, password});
    EXPECT_EQ(reply.status, 204) << reply.body;
    const std::string field(reply.header("Set-Cookie").value_or(""));
    return field.substr(0, field.find(';'));
  }

  template <class T>
  static TestResponse post_as(const std::string& cookie, TestClient& client, std::string path,
                              const T& given) {
    return client.send({.method = Method::post,
                        .target = std::move(path),
                        .headers = {{"Content-Type", "application/json"}, {"Cookie", cookie}},
                        .body = json::to_text(given)});
  }

  std::shared_ptr<TestMailbox> mails = std::make_shared<TestMailbox>();
  std::shared_ptr<DatabaseFaults> faults = std::make_shared<DatabaseFaults>();
  Database database = open_faulty_database(faults);
  App app = make_app(database, mails);
};

}  // namespace eider::test
