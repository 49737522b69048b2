// An app with two-factor authentication and login links, for the tests of this folder.
// Layering: must not be included outside of tests.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/base32.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "tests/account_flows/account_case.h"

namespace eider::test {

struct GivenLink {
  std::string token;
};
struct GivenCode {
  std::string token;
  std::string code;
};

/// One of several browsers of an app in the same simulated time. It stores its cookies.
class Tab {
 public:
  explicit Tab(TestClient& client) : client_(client) {}

  TestResponse get(std::string path) { return send({.target = std::move(path)}); }
  template <class T>
  TestResponse post(std::string path, const T& given) {
    return send({.method = Method::post,
                 .target = std::move(path),
                 .headers = {{"Content-Type", "application/json"}},
                 .body = json::to_text(given)});
  }
  void advance(Duration time) { client_.advance(time); }
  [[nodiscard]] TestClient& client() const { return client_; }

 private:
  TestResponse send(TestRequest request) {
    std::string sent;
    for (const auto& [name, value] : cookies_) {
      sent += (sent.empty() ? "" : "; ") + name + "=" + value;
    }
    if (!sent.empty()) {
      request.headers.push_back({"Cookie", sent});
    }
    TestResponse reply = client_.send(request);
    for (const auto& [header, text] : reply.headers) {
      if (equals_ignoring_case(header, "Set-Cookie")) {
        keep(text);
      }
    }
    return reply;
  }
  void keep(const std::string& field) {
    const std::size_t equals = field.find('=');
    const std::string name = field.substr(0, equals);
    if (field.contains("Max-Age=0")) {
      cookies_.erase(name);
    } else {
      cookies_[name] = field.substr(equals + 1, field.find(';') - equals - 1);
    }
  }

  TestClient& client_;
  std::map<std::string, std::string> cookies_;
};

inline AccountsOptions options_with_second_step() {
  AccountsOptions options = options_of();
  options.login_link_page = "/log-in/link";
  options.two_factor.keys = {std::string(32, 'k')};
  return options;
}

class SecondStepCase : public AccountCase {
 protected:
  App make_second_app(AccountsOptions options = options_with_second_step()) {
    App made = make_app(database, mails, std::move(options));
    add_setup(made);
    add_codes(made, database);
    add_links(made);
    return made;
  }

  static void add_setup(App& made) {
    made.post("/setup", [](const Account& account, State<Accounts> all) {
      return all->two_factor().begin_setup({account.key}, account.email);
    });
    made.post("/log-out-all", [](const UserKey& key, State<Sessions> all) -> Task<> {
      (void)co_await all->log_out_all(key.text);
    });
    made.post("/on", [](Json<GivenCode> given, Session<> session, State<Accounts> all) {
      return all->turn_on_two_factor(session, given->token, given->code);
    });
    made.post("/off", [](const UserKey& key, State<Accounts> all) {
      return all->two_factor().turn_off(key);
    });
    made.post("/recovery-codes", [](const UserKey& key, State<Accounts> all) {
      return all->two_factor().make_recovery_codes(key);
    });
    made.get("/status",
             [](const UserKey& key, State<Accounts> all) { return all->two_factor().status(key); });
  }

  static void add_codes(App& made, const Database& base) {
    made.post("/code",
              [](Json<GivenCode> given, ClientInfo client, Session<> session, State<Accounts> all)
                  -> Task<Result<void>> { return all->finish(session, given->code, client); });
    // Tries the code several times at once, as over many connections.
    made.post("/codes-at-once",
              [](Json<GivenCode> given, ClientInfo client, Session<> session,
                 State<Accounts> all) -> Task<int> {
                int good = 0;
                Scope requests;
                for (int turn = 0; turn < 5; ++turn) {
                  requests.start(count_finished(all->finish(session, given->code, client), good));
                }
                co_await requests.join();
                co_return good;
              });
    made.get("/pending", [](Session<> session, State<Accounts> all) {
      return std::string(all->is_pending(session) ? "yes" : "no");
    });
    made.get("/recent", [](const Account& account) { return account.email; })
        .guard(require_recent_login(std::chrono::minutes(10)));
    made.get("/now", [] { return Loop::current().wall_seconds(); });
    made.get("/secrets", [base]() -> Task<std::string> {
      const auto rows = co_await base.all<std::string>(
          "select secret from eider_account_factors union all "
          "select digest from eider_account_recovery_codes");
      std::string text;
      for (const std::string& row : rows) {
        text += row + "\n";
      }
      co_return text;
    });
  }

  static void add_links(App& made) {
    made.post("/login-link", [](Json<Given> given, ClientInfo client, State<Accounts> all) {
      return all->ask_login_link(given->email, client);
    });
    made.get("/log-in/link", [](Query<GivenLink> query, State<Accounts> all) {
      return all->login_link_address(query->token);
    });
    made.post("/log-in/link",
              [](Json<GivenToken> given, ClientInfo client, Session<> session,
                 State<Accounts> all) -> Task<Result<std::string>> {
                const auto login = co_await all->log_in_by_link(given->token, client);
                if (!login) {
                  co_return fail(login.error());
                }
                co_return all->begin(session, *login, "/next");
              });
  }

  static Task<> count_finished(Task<Result<void>> task, int& good) {
    const auto result = co_await std::move(task);
    good += result ? 1 : 0;
  }

  static std::int64_t now_of(Tab& client) { return client.get("/now").json<std::int64_t>(); }
  /// Returns the code that the user's authenticator app shows now, or `steps` steps later.
  std::string code_at(Tab& client, std::int64_t steps = 0) const {
    return totp_code(secret, now_of(client) + steps * kTotpPeriod);
  }

  /// Reads the secret, as an authenticator app does with the QR code.
  TwoFactorSetup begin_setup(Tab& client) {
    auto setup = client.post("/setup", Given{}).json<TwoFactorSetup>();
    std::string letters = setup.secret;
    std::erase(letters, ' ');
    secret = from_base32(letters).value_or("");
    return setup;
  }

  /// Creates the account, logs in and enables two-factor authentication.
  RecoveryCodes turn_on(Tab& client, const std::string& email = kAnn) {
    make_account(client.client(), email, kWord);
    EXPECT_EQ(client.post("/log-in", Given{email, kWord}).status, 204);
    const TwoFactorSetup setup = begin_setup(client);
    const TestResponse on = client.post("/on", GivenCode{setup.token, code_at(client)});
    EXPECT_EQ(on.status, 200) << on.body;
    client.advance(std::chrono::seconds(31));  // each code is valid once
    return on.status == 200 ? on.json<RecoveryCodes>() : RecoveryCodes();
  }

  [[nodiscard]] std::string login_token(const std::string& email) const {
    const std::string text = text_of(mails->last_to(email));
    const std::string before = "https://shop.example/log-in/link?token=";
    const std::size_t at = text.find(before);
    const std::size_t begin = at + before.size();
    return at == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
  }

  /// Returns a client for `second`. The first call creates it; add all routes before.
  TestClient& line() {
    line_ = line_ == nullptr ? std::make_unique<TestClient>(second) : std::move(line_);
    return *line_;
  }

  std::string secret;
  App second = make_second_app();

 private:
  std::unique_ptr<TestClient> line_;
};

}  // namespace eider::test
