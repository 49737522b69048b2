// Both passkey stores behave in the same way, and the one in a database stores every member.
#include <gtest/gtest.h>

#include "eider/auth/passkeys/passkey_routes.h"
#include "eider/auth/passkeys/passkey_store.h"
#include "eider/auth/passkeys/test_authenticator.h"
#include "eider/auth/session/session.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/eider.h"
#include "eider/io/runtime/scope.h"
#include "eider/testkit/test_client.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

Passkey passkey_of(const std::string& id, const std::string& user) {
  return {.id = id,
          .user = user,
          .user_handle = "handle",
          .public_key = "key",
          .counter = 5,
          .is_backup_eligible = true,
          .is_backed_up = false,
          .is_verified = true,
          .transports = "internal hybrid",
          .aaguid = "11111111-1111-1111-1111-111111111111",
          .attestation = "self",
          .name = "Phone",
          .created = 7,
          .used = 8};
}

constexpr std::size_t kMany = 10;

Task<bool> use(PasskeyStore& store, Passkey passkey, std::int64_t counter,
               CounterRule rule = CounterRule::may_decrease) {
  passkey.counter = counter;
  passkey.is_backed_up = true;
  passkey.used = 9;
  return store.note_use(std::move(passkey), rule);
}

/// Calls a store and returns "yes" or "no" for each call.
Task<std::vector<std::string>> responses_of(std::shared_ptr<PasskeyStore> store) {
  std::vector<std::string> said;
  const auto say = [&said](bool is_so) { said.emplace_back(is_so ? "yes" : "no"); };
  say(co_await store->insert(passkey_of("a", "ann"), kMany));
  say(co_await store->insert(passkey_of("a", "eve"), kMany));
  say(co_await store->insert(passkey_of("b", "ann"), kMany));
  said.push_back(json::to_text(*co_await store->find("a")));
  say(co_await store->find("c") == nullptr);
  say(co_await use(*store, passkey_of("a", "ann"), 9));
  say(co_await use(*store, passkey_of("a", "ann"), 6));
  say(co_await use(*store, passkey_of("a", "eve"), 99));
  say(co_await use(*store, passkey_of("c", "ann"), 99));
  say(co_await store->rename("eve", "a", "Mine"));
  say(co_await store->rename("ann", "a", "Key"));
  const auto all = co_await store->list("ann");
  for (const Passkey& one : all) {
    said.push_back(one.id + " " + one.name + " " + std::to_string(one.counter) +
                   (one.is_backed_up ? " copied" : ""));
  }
  say(co_await store->erase("eve", "a"));
  say(co_await store->erase("ann", "a"));
  say(co_await store->erase("ann", "a"));
  say(co_await use(*store, passkey_of("a", "ann"), 99));
  say(co_await store->find("a") == nullptr);
  co_return said;
}

const std::vector<std::string> kResponses{
    "yes",       "no",  "yes", json::to_text(passkey_of("a", "ann")),
    "yes",       "yes", "yes", "no",
    "no",        "no",  "yes", "a Key 9 copied",
    "b Phone 5", "no",  "yes", "no",
    "no",        "yes"};

/// Calls functions that compare and write in one step, also with conditions that do not hold.
Task<std::vector<std::string>> responses_of_late(std::shared_ptr<PasskeyStore> store) {
  std::vector<std::string> said;
  const auto say = [&said](bool is_so) { said.emplace_back(is_so ? "yes" : "no"); };
  const auto goes_on = CounterRule::must_increase;
  say(co_await store->insert(passkey_of("a", "ann"), 2));
  say(co_await use(*store, passkey_of("a", "ann"), 6, goes_on));
  say(co_await use(*store, passkey_of("a", "ann"), 6, goes_on));
  say(co_await use(*store, passkey_of("a", "ann"), 0, goes_on));
  say(co_await use(*store, passkey_of("a", "ann"), 7, goes_on));
  Passkey synced = passkey_of("b", "ann");
  synced.counter = 0;
  say(co_await store->erase_unless_last("ann", "a"));
  say(co_await store->insert(synced, 2));
  say(co_await use(*store, synced, 0, goes_on));
  say(co_await use(*store, synced, 0, goes_on));
  say(co_await store->insert(passkey_of("c", "ann"), 2));
  say(co_await store->erase_unless_last("eve", "a"));
  say(co_await store->erase_unless_last("ann", "c"));
  say(co_await store->erase_unless_last("ann", "a"));
  say(co_await store->erase_unless_last("ann", "b"));
  say(co_await store->erase("ann", "b"));
  co_return said;
}

const std::vector<std::string> kResponsesOfLate{"yes", "yes", "no", "no", "yes", "no", "yes", "yes",
                                                "yes", "no",  "no", "no", "yes", "no", "yes"};

Database open_database() {
  return open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
}

std::string said_by(const std::shared_ptr<PasskeyStore>& store,
                    Task<std::vector<std::string>> (*ask)(std::shared_ptr<PasskeyStore>)) {
  App app;
  app.on_start("passkeys", [store] { return store->start(); });
  app.get("/", [store, ask] { return ask(store); });
  TestClient client(app);
  return client.get("/").body;
}

TEST(PasskeyStores, keep_what_they_promise) {
  for (const auto& store : {memory_passkeys(), sql_passkeys(open_database())}) {
    EXPECT_EQ(said_by(store, &responses_of), json::to_text(kResponses));
  }
}

TEST(PasskeyStores, compare_and_write_in_one_step) {
  for (const auto& store : {memory_passkeys(), sql_passkeys(open_database())}) {
    EXPECT_EQ(said_by(store, &responses_of_late), json::to_text(kResponsesOfLate));
  }
}

/// On PostgreSQL, each statement sees the state at its start, and writers run in parallel.
class PasskeysOnPostgres : public PostgresTest {
 protected:
  void SetUp() override {
    script(base_, "drop table if exists eider_passkeys");
    on_loop_.run(store_->start());
  }

  /// Waits until each running task waits for a lock.
  static Task<> until_locked(Database on, const Scope* tasks) {
    for (int round = 0; round < 10'000; ++round) {
      const auto waiting = co_await on.one<std::size_t>(
          "select count(*) from pg_stat_activity where wait_event_type = 'Lock'");
      if (waiting.value_or(0) >= tasks->size()) {
        co_return;
      }
    }
    ADD_FAILURE() << "they neither end nor wait";
  }

  const Database base_ = open();
  const std::shared_ptr<PasskeyStore> store_ = sql_passkeys(base_);
};

TEST_F(PasskeysOnPostgres, keep_what_they_promise) {
  EXPECT_EQ(on_loop_.run(responses_of(store_)), kResponses);
  script(base_, "delete from eider_passkeys");
  EXPECT_EQ(on_loop_.run(responses_of_late(store_)), kResponsesOfLate);
}

TEST_F(PasskeysOnPostgres, leave_one_of_two_that_are_removed_at_once) {
  on_loop_.run([](Database on, std::shared_ptr<PasskeyStore> store) -> Task<> {
    EXPECT_TRUE(co_await store->insert(passkey_of("a", "ann"), kMany));
    EXPECT_TRUE(co_await store->insert(passkey_of("b", "ann"), kMany));
    Transaction holder = co_await on.begin();
    (void)co_await holder.all<std::string>("select id from eider_passkeys for update");
    int removed = 0;
    const auto remove = [](std::shared_ptr<PasskeyStore> from, std::string id,
                           int* count) -> Task<> {
      const bool is_gone = co_await from->erase_unless_last("ann", std::move(id));
      *count += is_gone ? 1 : 0;
    };
    Scope both;
    both.start(remove(store, "a", &removed));
    both.start(remove(store, "b", &removed));
    co_await until_locked(on, &both);
    EXPECT_EQ(both.size(), 2U) << "both transactions are open";
    co_await holder.commit();
    co_await both.join();
    EXPECT_EQ(removed, 1);
    EXPECT_EQ((co_await store->list("ann")).size(), 1U);
  }(base_, store_));
}

TEST_F(PasskeysOnPostgres, count_those_of_a_transaction_that_is_open) {
  on_loop_.run([](Database on, std::shared_ptr<PasskeyStore> store) -> Task<> {
    EXPECT_TRUE(co_await store->insert(passkey_of("a", "ann"), 2));
    Transaction first = co_await on.begin();
    EXPECT_TRUE(co_await insert_passkey(first, passkey_of("b", "ann"), 2));
    bool is_kept = true;
    const auto insert = [](std::shared_ptr<PasskeyStore> into, bool* kept) -> Task<> {
      *kept = co_await into->insert(passkey_of("c", "ann"), 2);
    };
    Scope other;
    other.start(insert(store, &is_kept));
    co_await until_locked(on, &other);
    co_await first.commit();
    co_await other.join();
    EXPECT_FALSE(is_kept);
    EXPECT_EQ((co_await store->list("ann")).size(), 2U);
  }(base_, store_));
}

TEST_F(PasskeysOnPostgres, count_the_first_ones_of_a_user_too) {
  on_loop_.run([](Database on, std::shared_ptr<PasskeyStore> store) -> Task<> {
    Transaction first = co_await on.begin();
    EXPECT_TRUE(co_await insert_passkey(first, passkey_of("a", "ann"), 1));
    bool is_kept = true;
    const auto insert = [](std::shared_ptr<PasskeyStore> into, bool* kept) -> Task<> {
      *kept = co_await into->insert(passkey_of("b", "ann"), 1);
    };
    Scope other;
    other.start(insert(store, &is_kept));
    co_await until_locked(on, &other);
    co_await first.commit();
    co_await other.join();
    EXPECT_FALSE(is_kept);
    EXPECT_EQ((co_await store->list("ann")).size(), 1U);
  }(base_, store_));
}

struct Visit {};

/// A service that stores people and passkeys in one database.
struct Shop {
  Shop() : visits(add_sessions<Visit>(app)) {
    app.on_start("people", [database = database] { return make_table(database); });
    add_passkeys(app, visits,
                 {.relying_party = {.relying_party_id = "example.com",
                                    .origins = {"https://example.com"},
                                    .name = "Shop"},
                  .store = sql_passkeys(database),
                  .accounts = {.user = {},
                               .new_user = [](std::string name) -> Task<Result<PasskeyUser>> {
                                 co_return PasskeyUser{.key = name, .name = name};
                               },
                               .create =
                                   [this](PasskeyUser user, Passkey passkey) {
                                     return create(std::move(user), std::move(passkey));
                                   }}});
    app.post("/broken", [database = database]() -> Task<> {
      co_await database.script(
          "create trigger broken before insert on eider_passkeys "
          "begin select raise(abort, 'no room'); end");
    });
    app.get("/people", [database = database]() -> Task<std::int64_t> {
      const auto count = co_await database.one<std::int64_t>("select count(*) from people");
      co_return *count;
    });
  }

  static Task<> make_table(Database database) {
    co_await database.script("create table people(name text primary key)");
  }
  Task<Result<void>> create(PasskeyUser user, Passkey passkey) {
    const auto both = [this, user, passkey](Transaction& transaction) -> Task<Result<void>> {
      const auto made = co_await transaction.exec("insert into people(name) values($1)", user.key);
      co_await sleep_for(thinks_for);
      if (made.rows == 0 || !(co_await insert_passkey(transaction, passkey, room))) {
        co_return fail(Error::conflict("This name is already taken."));
      }
      co_return Result<void>();
    };
    return database.transaction(both);
  }

  App app;
  Database database = open_database();
  Sessions visits;
  Duration thinks_for = Duration::zero();
  std::size_t room = 1;
};

/// Starts a registration of ann; `bytes` is the request that finishes it.
struct SigningUp {
  explicit SigningUp(TestClient& client) {
    const TestResponse begun =
        client.post("/passkeys/registration/options", json::object({{"name", "ann"}}));
    std::string cookie(begun.header("Set-Cookie").value_or(""));
    cookie.resize(cookie.find(';'));
    detail::passkeys::SoftAuthenticator authenticator;
    const std::string response = authenticator.create(begun.body);
    bytes =
        "POST /passkeys/registration HTTP/1.1\r\nHost: test\r\nCookie: " + cookie +
        "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(response.size()) +
        "\r\n\r\n" + response;
  }
  std::string bytes;
};

TEST(PasskeyAccounts, are_made_with_their_passkey_or_not_at_all) {
  Shop shop;
  TestClient client(shop.app);
  shop.room = 0;  // the store rejects the passkey
  EXPECT_TRUE(client.raw(SigningUp(client).bytes).starts_with("HTTP/1.1 409"));
  EXPECT_EQ(client.get("/people").body, "0");
  shop.room = 1;
  shop.thinks_for = std::chrono::seconds(1);
  EXPECT_EQ(client.raw(SigningUp(client).bytes), "") << "the browser has left meanwhile";
  client.advance(std::chrono::seconds(2));
  EXPECT_EQ(client.get("/people").body, "0");
  shop.thinks_for = Duration::zero();
  EXPECT_TRUE(client.raw(SigningUp(client).bytes).starts_with("HTTP/1.1 204"));
  EXPECT_EQ(client.get("/people").body, "1");
}

TEST(PasskeyAccounts, are_not_made_where_their_passkey_cannot_be_written) {
  Shop shop;
  TestClient client(shop.app);
  client.post_form("/broken", std::vector<TestField>());
  const std::string response = client.raw(SigningUp(client).bytes);
  EXPECT_TRUE(response.starts_with("HTTP/1.1 4") || response.starts_with("HTTP/1.1 5")) << response;
  EXPECT_EQ(client.get("/people").body, "0");
}

}  // namespace
}  // namespace eider
