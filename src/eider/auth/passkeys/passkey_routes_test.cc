// The four routes with sessions, accounts and a store: regular use and attacks.
#include "eider/auth/passkeys/passkey_routes.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>

#include "eider/app/app.h"
#include "eider/auth/passkeys/test_authenticator.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using detail::passkeys::Saying;
using detail::passkeys::SoftAuthenticator;

struct Visit {
  int count = 0;
};

/// Names that have an account. Used on one event loop.
using Names = std::map<std::string, bool>;

PasskeyAccounts accounts_of(const std::shared_ptr<Names>& names,
                            const std::shared_ptr<PasskeyStore>& store) {
  return {.user = [](std::string key) -> Task<Result<PasskeyUser>> {
            co_return PasskeyUser{.key = key, .name = key};
          },
          .new_user = [names](std::string name) -> Task<Result<PasskeyUser>> {
            if (names->contains(name)) {
              co_return fail(Error::conflict("This name is already taken."));
            }
            co_return PasskeyUser{.key = name, .name = name};
          },
          .create = [names, store](PasskeyUser user, Passkey passkey) -> Task<Result<void>> {
            if (!names->emplace(user.key, true).second) {
              co_return fail(Error::conflict("This name is already taken."));
            }
            const bool is_kept = co_await store->insert(std::move(passkey), 1);
            EXPECT_TRUE(is_kept);
            co_return Result<void>();
          }};
}

/// A store that throws in one call, and lets another request run after a find.
class MeddledStore final : public PasskeyStore {
 public:
  explicit MeddledStore(std::shared_ptr<PasskeyStore> store) noexcept : store_(std::move(store)) {}

  Task<std::unique_ptr<Passkey>> find(std::string id) override {
    count();
    auto found = co_await store_->find(std::move(id));
    if (behind_find) {
      co_await std::exchange(behind_find, nullptr)(*store_);
    }
    co_return std::move(found);
  }
  Task<std::vector<Passkey>> list(std::string user) override {
    count();
    return store_->list(std::move(user));
  }
  Task<bool> insert(Passkey passkey, std::size_t count_max) override {
    count();
    return store_->insert(std::move(passkey), count_max);
  }
  Task<bool> note_use(Passkey passkey, CounterRule rule) override {
    count();
    const Passkey used = passkey;
    const bool is_noted = co_await store_->note_use(std::move(passkey), rule);
    if (erases_behind_note) {
      co_await store_->erase(used.user, used.id);
    }
    co_return is_noted;
  }
  Task<bool> rename(std::string user, std::string id, std::string name) override {
    return store_->rename(std::move(user), std::move(id), std::move(name));
  }
  Task<bool> erase(std::string user, std::string id) override {
    return store_->erase(std::move(user), std::move(id));
  }
  Task<bool> erase_unless_last(std::string user, std::string id) override {
    return store_->erase_unless_last(std::move(user), std::move(id));
  }

  std::function<Task<>(PasskeyStore&)> behind_find;
  bool erases_behind_note = false;
  int calls_until_failure = 0;  // 0: none fails

 private:
  void count() {
    if (calls_until_failure > 0 && --calls_until_failure == 0) {
      throw std::runtime_error("the store is gone");
    }
  }

  std::shared_ptr<PasskeyStore> store_;
};

struct Shop {
  Shop()
      : store(std::make_shared<MeddledStore>(memory_passkeys())), visits(add_sessions<Visit>(app)) {
    site.emplace(add_passkeys(
        app, visits,
        {.relying_party = {.relying_party_id = "example.com",
                           .origins = {"https://example.com"},
                           .name = "Shop"},
         .store = store,
         .accounts = accounts_of(names, store),
         .on_rejected = [faults =
                             faults](const PasskeyError& error) { faults->push_back(error.fault); },
         .before_add = [told = told, is_mail_down = is_mail_down](
                           Passkey passkey, const Request& request) -> Task<> {
           told->push_back(passkey.user + " " + passkey.id);
           EXPECT_EQ(request.path(), "/passkeys/registration");
           if (*is_mail_down) {
             throw std::runtime_error("the mail is gone");
           }
           co_return;
         },
         .passkeys_max = 3}));
    app.get("/me", [](Session<> session) { return session.user(); });
    app.post("/logout", [](Session<> session) { session.log_out(); });
    app.post("/password/{name}",
             [](const std::string& name, Session<> session) { session.log_in(name); });
    app.del("/passkeys/{id}", [store = store](std::string id, Session<> session) -> Task<bool> {
      co_return co_await store->erase(session.user(), std::move(id));
    });
  }

  App app;
  std::shared_ptr<Names> names = std::make_shared<Names>();
  std::shared_ptr<std::vector<PasskeyFault>> faults = std::make_shared<std::vector<PasskeyFault>>();
  std::shared_ptr<std::vector<std::string>> told = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<bool> is_mail_down = std::make_shared<bool>(false);
  std::shared_ptr<MeddledStore> store;
  Sessions visits;
  std::optional<PasskeySite> site;
};

/// A user with a browser and one authenticator. Several users take turns.
class Person {
 public:
  explicit Person(TestClient& client, std::string id = "an id")
      : client_(&client), authenticator_(-7, std::move(id)) {}

  TestResponse begin(const std::string& what, const json::Value& body) {
    return ask("/passkeys/" + what + "/options", json::to_text(body));
  }
  TestResponse finish(const std::string& what, const std::string& response) {
    return ask("/passkeys/" + what, response);
  }
  TestResponse sign_up(const std::string& name) { return add(json::object({{"name", name}})); }
  TestResponse add(const json::Value& body = json::object({})) {
    const TestResponse begun = begin("registration", body);
    return begun.status != 200 ? begun
                               : finish("registration", authenticator_.create(begun.body, saying));
  }
  TestResponse log_in() {
    const TestResponse begun = begin("login", json::object({}));
    EXPECT_EQ(begun.status, 200) << begun.body;
    return finish("login", authenticator_.get(begun.body, saying));
  }
  std::string me() { return send(Method::get, "/me", "").body; }
  void log_in_by_password(const std::string& name) { send(Method::post, "/password/" + name, ""); }
  void log_out() { send(Method::post, "/logout", ""); }
  TestResponse ask(const std::string& target, std::string body) {
    return send(Method::post, target, std::move(body), "application/json");
  }
  TestResponse send(Method method, const std::string& target, std::string body,
                    std::string type = {}) {
    TestRequest request{.method = method, .target = target, .body = std::move(body)};
    if (!type.empty()) {
      request.headers.emplace_back("Content-Type", type);
    }
    std::string cookies;
    for (const auto& [name, value] : jar) {
      cookies += (cookies.empty() ? "" : "; ") + name + "=" + value;
    }
    if (!cookies.empty()) {
      request.headers.emplace_back("Cookie", cookies);
    }
    TestResponse reply = client_->send(request);
    for (const auto& [field, value] : reply.headers) {
      if (field == "Set-Cookie") {
        const std::size_t equals = value.find('=');
        jar[value.substr(0, equals)] = value.substr(equals + 1, value.find(';') - equals - 1);
      }
    }
    return reply;
  }
  [[nodiscard]] SoftAuthenticator& authenticator() { return authenticator_; }

  std::map<std::string, std::string> jar;
  Saying saying = {};

 private:
  TestClient* client_;
  SoftAuthenticator authenticator_;
};

TEST(PasskeyRoutes, sign_up_log_out_and_log_in_again) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  EXPECT_EQ(ann.me(), "");
  EXPECT_EQ(ann.sign_up("ann").status, 204);
  EXPECT_EQ(ann.me(), "ann");
  ann.log_out();
  EXPECT_EQ(ann.me(), "");
  EXPECT_EQ(ann.log_in().status, 204);
  EXPECT_EQ(ann.me(), "ann");
}

TEST(PasskeyRoutes, keep_what_they_begin_from_caches_and_scripts) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  const TestResponse begun = ann.begin("login", json::object({}));
  EXPECT_EQ(begun.header("Cache-Control"), "no-store");
  EXPECT_EQ(begun.header("Content-Type"), "application/json");
  const std::string cookie(begun.header("Set-Cookie").value_or(""));
  EXPECT_TRUE(cookie.starts_with("__Host-passkey=")) << cookie;
  for (const char* const word : {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"}) {
    EXPECT_TRUE(cookie.contains(word)) << cookie;
  }
  const std::string before = ann.jar["__Host-passkey"];
  ann.begin("login", json::object({}));
  EXPECT_EQ(ann.jar["__Host-passkey"], before) << "one tab does not undo another's";
}

TEST(PasskeyRoutes, give_the_session_a_new_id_with_each_login) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.sign_up("ann");
  const std::string first = ann.jar["__Host-session"];
  EXPECT_EQ(ann.log_in().status, 204) << "also of somebody who is logged in";
  EXPECT_NE(ann.jar["__Host-session"], first);
}

TEST(PasskeyRoutes, belong_to_the_browser_that_has_begun) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.sign_up("ann");
  ann.log_out();
  const TestResponse begun = ann.begin("login", json::object({}));
  const std::string response = ann.authenticator().get(begun.body);
  Person thief(client);
  EXPECT_EQ(thief.finish("login", response).status, 400);
  thief.begin("login", json::object({}));
  EXPECT_EQ(thief.finish("login", response).status, 400);
  EXPECT_EQ(thief.me(), "");
  EXPECT_EQ(ann.finish("login", response).status, 204);
  EXPECT_EQ(ann.finish("login", response).status, 400) << "and once";
}

TEST(PasskeyRoutes, keep_a_registration_once) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  const TestResponse begun = ann.begin("registration", json::object({{"name", "ann"}}));
  const std::string response = ann.authenticator().create(begun.body);
  EXPECT_EQ(ann.finish("registration", response).status, 204);
  EXPECT_EQ(ann.finish("registration", response).status, 400) << "it was begun by a stranger";
  ann.log_out();
  EXPECT_EQ(ann.finish("registration", response).status, 409);
}

TEST(PasskeyRoutes, let_nobody_finish_as_another_what_was_begun_by_one) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "id of ann");
  ann.sign_up("ann");
  const TestResponse begun = ann.begin("registration", json::object({}));
  ann.log_out();
  SoftAuthenticator other(-7, "another");
  EXPECT_EQ(ann.finish("registration", other.create(begun.body)).status, 400);
}

TEST(PasskeyRoutes, let_no_stranger_have_an_account_that_is_somebodys) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "id of ann");
  Person eve(client, "id of eve");
  const TestResponse early = eve.begin("registration", json::object({{"name", "ann"}}));
  EXPECT_EQ(early.status, 200) << "nobody is called so yet";
  EXPECT_EQ(ann.sign_up("ann").status, 204);
  EXPECT_EQ(eve.finish("registration", eve.authenticator().create(early.body)).status, 409);
  EXPECT_EQ(eve.sign_up("ann").status, 409);
  EXPECT_EQ(eve.me(), "");
  EXPECT_EQ(eve.log_in().status, 401);
}

TEST(PasskeyRoutes, keep_an_id_for_the_one_who_came_first) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "the same id");
  Person eve(client, "the same id");
  ann.sign_up("ann");
  EXPECT_EQ(eve.sign_up("eve").status, 409);
  EXPECT_FALSE(shop.names->contains("eve"));
  ann.log_out();
  EXPECT_EQ(ann.log_in().status, 204);
  EXPECT_EQ(ann.me(), "ann");
}

TEST(PasskeyRoutes, add_a_passkey_to_who_is_logged_in_and_no_account_of_another_name) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "first");
  ann.sign_up("ann");
  Person spare(client, "second");
  spare.jar = ann.jar;
  EXPECT_EQ(spare.sign_up("bob").status, 409) << "at a browser where ann is logged in";
  EXPECT_EQ(spare.add().status, 204);
  spare.log_out();
  EXPECT_EQ(spare.log_in().status, 204);
  EXPECT_EQ(spare.me(), "ann");
  Person third(client, "third");
  third.jar = spare.jar;
  EXPECT_EQ(third.add().status, 204);
  Person fourth(client, "fourth");
  fourth.jar = spare.jar;
  EXPECT_EQ(fourth.add().status, 409) << "there are three";
}

TEST(PasskeyRoutes, tell_whose_account_it_is_ahead_of_each_passkey_that_is_added) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "first");
  EXPECT_EQ(ann.sign_up("ann").status, 204);
  EXPECT_TRUE(shop.told->empty()) << "whoever makes an account knows of it";
  Person thief(client, "second");
  thief.jar = ann.jar;
  *shop.is_mail_down = true;
  EXPECT_EQ(thief.add().status, 500);
  const std::vector<std::string> expected{"ann " + thief.authenticator().id()};
  EXPECT_EQ(*shop.told, expected);
  thief.log_out();
  EXPECT_EQ(thief.log_in().status, 401) << "none is kept that nobody was told of";
  *shop.is_mail_down = false;
  EXPECT_EQ(ann.log_in().status, 204);
  thief.jar = ann.jar;
  EXPECT_EQ(thief.add().status, 204);
  EXPECT_EQ(shop.told->size(), 2U);
  EXPECT_EQ(thief.log_in().status, 204);
}

TEST(PasskeyRoutes, add_a_passkey_to_who_has_logged_in_a_while_ago_once_he_does_so_anew) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "first");
  ann.sign_up("ann");
  Person spare(client, "second");
  client.advance(std::chrono::minutes(10) - std::chrono::seconds(1));
  spare.jar = ann.jar;
  EXPECT_EQ(spare.add().status, 204);
  client.advance(std::chrono::seconds(2));
  Person third(client, "third");
  third.jar = ann.jar;
  EXPECT_EQ(third.add().status, 401);
  EXPECT_EQ(third.me(), "ann") << "who stays logged in";
  EXPECT_EQ(ann.log_in().status, 204);
  third.jar = ann.jar;
  client.advance(std::chrono::minutes(9));
  EXPECT_EQ(third.add().status, 204);
  client.advance(std::chrono::minutes(2));
  EXPECT_EQ(third.add().status, 401) << "that login is long ago, too";
}

TEST(PasskeyRoutes, advise_what_helps_who_has_a_password_and_logged_in_a_while_ago) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.log_in_by_password("ann");
  client.advance(std::chrono::minutes(11));
  const TestResponse refused = ann.begin("registration", json::object({}));
  EXPECT_EQ(refused.status, 403) << "a 401 has the script ask for a passkey, and she has none";
  EXPECT_EQ(refused.header("WWW-Authenticate"),
            "Cookie cookie-name=\"__Host-session\", error=\"insufficient_user_authentication\", "
            "max_age=600");
  ann.log_in_by_password("ann");
  EXPECT_EQ(ann.add().status, 204) << "as she was told";
  client.advance(std::chrono::minutes(11));
  const TestResponse again = ann.begin("registration", json::object({}));
  EXPECT_EQ(again.status, 401) << "now she has one to show";
}

TEST(PasskeyRoutes, take_a_cookie_that_is_none_of_theirs_for_none) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  const std::string browser(43, 'A');
  for (const std::string& value :
       {browser + "B", browser + ".a,b", browser + ".\xC3\xA9", browser + "\"", browser + ".a.b",
        browser + "." + std::string(2000, 'A'), std::string(42, 'A'), std::string()}) {
    ann.jar["__Host-passkey"] = value;
    EXPECT_EQ(ann.begin("login", json::object({})).status, 200) << value;
    EXPECT_NE(ann.jar["__Host-passkey"].substr(0, 43), browser) << value;
    EXPECT_EQ(ann.jar["__Host-passkey"].size(), 43U) << value;
  }
  ann.jar["__Host-passkey"] = browser;
  EXPECT_EQ(ann.begin("login", json::object({})).status, 200);
  EXPECT_EQ(ann.jar["__Host-passkey"], browser);
}

TEST(PasskeyRoutes, open_nothing_for_a_passkey_that_was_removed) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.sign_up("ann");
  const TestResponse begun = ann.begin("login", json::object({}));
  const std::string response = ann.authenticator().get(begun.body);
  EXPECT_EQ(ann.send(Method::delete_, "/passkeys/" + ann.authenticator().id(), "").body, "true");
  EXPECT_EQ(ann.finish("login", response).status, 401);
}

TEST(PasskeyRoutes, refuse_what_the_authenticator_says_otherwise) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.sign_up("ann");
  ann.log_out();
  ann.saying = {.origin = "https://evil.example"};
  EXPECT_EQ(ann.log_in().status, 403);
  ann.saying = {.flags = 0x01};
  EXPECT_EQ(ann.log_in().status, 403);
  ann.saying = {.signature = "x"};
  EXPECT_EQ(ann.log_in().status, 401);
  EXPECT_EQ(ann.me(), "");
}

TEST(PasskeyRoutes, tell_a_copy_of_the_authenticator_by_its_counter) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.saying.counter = 1;
  ann.sign_up("ann");
  for (const std::uint32_t counter : {2U, 7U}) {
    ann.saying.counter = counter;
    EXPECT_EQ(ann.log_in().status, 204);
  }
  ann.saying.counter = 7;
  EXPECT_EQ(ann.log_in().status, 401);
  EXPECT_EQ(*shop.faults, std::vector{PasskeyFault::counter_not_increased});
}

TEST(PasskeyRoutes, take_a_counter_once_whoever_has_looked_first) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.saying.counter = 1;
  ann.sign_up("ann");
  ann.log_out();
  ann.saying.counter = 2;
  // Another process has also read counter 1, and stores the login of the copy first.
  shop.store->behind_find = [](PasskeyStore& store) -> Task<> {
    std::vector<Passkey> all = co_await store.list("ann");
    all.front().counter = 2;
    const bool is_noted = co_await store.note_use(all.front(), CounterRule::must_increase);
    EXPECT_TRUE(is_noted);
  };
  EXPECT_EQ(ann.log_in().status, 401);
  EXPECT_EQ(ann.me(), "");
  EXPECT_EQ(*shop.faults, std::vector{PasskeyFault::counter_not_increased});
}

TEST(PasskeyRoutes, log_nobody_in_whose_passkey_is_removed_meanwhile) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.sign_up("ann");
  ann.log_out();
  shop.store->erases_behind_note = true;
  EXPECT_EQ(ann.log_in().status, 401);
  EXPECT_EQ(ann.me(), "");
}

TEST(PasskeyRoutes, log_nobody_in_where_the_store_fails_at_any_call) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client, "first");
  ann.sign_up("ann");
  Person spare(client, "second");
  ann.log_out();
  int failures = 0;
  for (int call = 1; failures < call; ++call) {
    shop.store->calls_until_failure = call;
    const int status = ann.log_in().status;
    failures += status == 500 ? 1 : 0;
    EXPECT_EQ(ann.me(), status == 500 ? "" : "ann") << call;
    shop.store->calls_until_failure = 0;
    if (status != 500) {
      break;
    }
  }
  EXPECT_EQ(failures, 3) << "find, note_use, and find again";
  spare.jar = ann.jar;
  for (int call = 1; call <= 2; ++call) {
    shop.store->calls_until_failure = call;
    EXPECT_EQ(spare.add().status, 500) << "list and insert";
  }
  EXPECT_EQ(spare.add().status, 204);
}

TEST(PasskeyRoutes, end_by_the_clock) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  ann.sign_up("ann");
  const TestResponse begun = ann.begin("login", json::object({}));
  client.advance(std::chrono::minutes(5));
  EXPECT_EQ(ann.finish("login", ann.authenticator().get(begun.body)).status, 400);
  EXPECT_EQ(ann.log_in().status, 204);
}

TEST(PasskeyRoutes, take_json_alone_and_no_more_than_so_much) {
  Shop shop;
  TestClient client(shop.app);
  Person ann(client);
  for (const char* const path : {"/passkeys/registration/options", "/passkeys/registration",
                                 "/passkeys/login/options", "/passkeys/login"}) {
    EXPECT_EQ(ann.send(Method::post, path, "{}", "text/plain").status, 415) << path;
    EXPECT_EQ(ann.ask(path, std::string(70'000, ' ')).status, 413) << path;
    EXPECT_EQ(ann.send(Method::get, path, "").status, 404) << path;
  }
  EXPECT_EQ(ann.ask("/passkeys/login", "{}").status, 400);
  EXPECT_EQ(ann.ask("/passkeys/registration", "[").status, 400);
  EXPECT_EQ(ann.add().status, 422) << "a stranger has to say how he wants to be called";
  EXPECT_EQ(ann.sign_up("").status, 422);
  EXPECT_EQ(ann.sign_up(std::string(129, 'a')).status, 422);
}

TEST(PasskeyRoutes, serve_the_script_to_be_kept_for_good) {
  Shop shop;
  TestClient client(shop.app);
  EXPECT_TRUE(shop.site->script().starts_with("/passkeys/passkeys."));
  const TestResponse script = client.get(shop.site->script());
  EXPECT_EQ(script.status, 200);
  EXPECT_TRUE(script.header("Content-Type").value_or("").starts_with("text/javascript"));
  EXPECT_TRUE(script.header("Cache-Control").value_or("").contains("immutable"));
}

TEST(PasskeyRoutes, say_at_the_start_what_is_missing) {
  App app;
  const Sessions visits = add_sessions<Visit>(app);
  const PasskeyOptions party{
      .relying_party_id = "example.com", .origins = {"https://example.com"}, .name = ""};
  EXPECT_THROW(
      add_passkeys(app, visits, {.relying_party = party, .store = nullptr, .accounts = {}}),
      Failure);
  PasskeyAccounts half;
  half.new_user = [](std::string) -> Task<Result<PasskeyUser>> {
    co_return fail(Error::not_found());
  };
  EXPECT_THROW(add_passkeys(app, visits,
                            {.relying_party = party, .store = memory_passkeys(), .accounts = half}),
               Failure);
}

}  // namespace
}  // namespace eider
