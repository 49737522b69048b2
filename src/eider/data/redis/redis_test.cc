#include "eider/data/redis/redis.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/tls/test_pki.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using redis::word;
using Text = std::optional<std::string>;

struct User {
  std::string name;
  int age = 0;
  std::optional<double> score;
  bool operator==(const User&) const = default;
};

TEST_F(RedisTest, answers_are_of_the_type_that_was_asked_for) {
  const std::string binary("\0\r\n$-1\r\n\xff", 9);
  ask("SET", "k", binary);
  EXPECT_EQ(ask<Text>("GET", "k"), binary);
  EXPECT_EQ(ask<Text>("GET", "none"), std::nullopt);
  EXPECT_EQ(ask<std::int64_t>("INCRBY", "n", 41), 41);
  EXPECT_EQ(ask<int>("GET", "n"), 41);
  EXPECT_EQ(ask<double>("INCRBYFLOAT", "r", 1.5), 1.5);
  EXPECT_TRUE(ask<bool>("SET", "once", 1, "NX"));
  EXPECT_FALSE(ask<bool>("SET", "once", 1, "NX"));
  EXPECT_FALSE(ask<bool>("EXISTS", "none"));
  ask("RPUSH", "l", std::vector<int>{1, 2, 3});
  EXPECT_EQ(ask<std::vector<int>>("LRANGE", "l", 0, -1), (std::vector<int>{1, 2, 3}));
  ask("SADD", "s", "a", "b");
  EXPECT_EQ(ask<std::set<std::string>>("SMEMBERS", "s"), (std::set<std::string>{"a", "b"}));
  ask("ZADD", "z", 1.5, "a", "+inf", "b");
  EXPECT_EQ((ask<std::map<std::string, double>>("ZRANGE", "z", 0, -1, "WITHSCORES"))["a"], 1.5);
}

TEST_F(RedisTest, a_struct_is_a_hash_by_its_members_names) {
  const User ada{"Ada\0\n"s, 36, std::nullopt};
  EXPECT_EQ(ask<int>("HSET", "u", ada), 2);
  EXPECT_EQ(ask<User>("HGETALL", "u"), ada);
  EXPECT_EQ(ask<std::optional<User>>("HGETALL", "u"), ada);
  EXPECT_EQ(ask<std::optional<User>>("HGETALL", "none"), std::nullopt);
  ask("HSET", "u", "age", "many");
  const RedisFailure misfit = on_loop_.run([](Redis redis) -> Task<RedisFailure> {
    auto command = redis.command<User>("HGETALL", "u");
    co_return co_await failure_of(command);
  }(redis_));
  EXPECT_EQ(misfit.fault(), RedisFault::reply);
  EXPECT_STREQ(
      misfit.what(),
      "Redis executed HGETALL, but age: the response is a string, but must be an integer in "
      "the range of the type");
}

TEST_F(RedisTest, an_error_of_the_server_has_its_code_and_tells_the_log_nothing_that_was_sent) {
  ask("SET", "text", "a");
  const RedisFailure wrong = failure(redis_, "LPUSH", "text", "secret");
  EXPECT_EQ(wrong.fault(), RedisFault::refused);
  EXPECT_EQ(wrong.code(), "WRONGTYPE");
  EXPECT_FALSE(wrong.may_be_done());
  EXPECT_EQ(wrong.error().status(), 500);
  const RedisFailure unknown = failure(redis_, "NOSUCHCOMMAND", "secret");
  EXPECT_STREQ(unknown.what(), "Redis rejected NOSUCHCOMMAND: ERR unknown command ");
  EXPECT_NE(unknown.message().find("secret"), std::string::npos);
  EXPECT_TRUE(ask<bool>("EXISTS", "text"));
}

TEST_F(RedisTest, what_stands_side_by_side_is_on_its_way_together) {
  on_loop_.run([](Redis redis) -> Task<> {
    co_await redis.command("PING");
    auto first = redis.command<int>("INCR", "n");
    auto second = redis.command<int>("INCR", "n");
    EXPECT_EQ(co_await redis.command<int>("INCR", "n"), 3);
    EXPECT_TRUE(first.await_ready() && second.await_ready());
    EXPECT_EQ(co_await first, 1);
    EXPECT_EQ(co_await second, 2);
  }(redis_));
}

TEST_F(RedisTest, a_pipeline_gives_a_tuple_and_throws_the_first_failure) {
  on_loop_.run([](Redis redis) -> Task<> {
    auto [set, count, text] = co_await redis.pipeline(
        word("SET", "a", "x"), word<std::int64_t>("INCR", "n"), word<Text>("GET", "a"));
    static_assert(std::is_same_v<decltype(set), redis::Nothing>);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(text, "x");
    auto failing = redis.pipeline(word("LPUSH", "a", "1"), word<int>("INCR", "n"));
    const RedisFailure failure = co_await failure_of(failing);
    EXPECT_EQ(failure.code(), "WRONGTYPE");
    EXPECT_TRUE(failure.may_be_done());
    EXPECT_EQ(co_await redis.command<int>("GET", "n"), 2);
  }(redis_));
}

TEST_F(RedisTest, a_transaction_is_all_or_nothing) {
  on_loop_.run([](Redis redis) -> Task<> {
    auto [a, b] = co_await redis.transaction(word<int>("INCR", "a"), word<Text>("GET", "none"));
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, std::nullopt);
    auto refused = redis.transaction(word<int>("INCR", "a"), word("NOSUCHCOMMAND"));
    const RedisFailure failure = co_await failure_of(refused);
    EXPECT_EQ(failure.fault(), RedisFault::refused);
    EXPECT_EQ(failure.code(), "ERR");
    EXPECT_FALSE(failure.may_be_done());
    EXPECT_EQ(co_await redis.command<int>("GET", "a"), 1);
    auto halves = redis.transaction(word("LPUSH", "a", "1"), word<int>("INCR", "a"));
    const RedisFailure half = co_await failure_of(halves);
    EXPECT_EQ(half.code(), "WRONGTYPE");
    EXPECT_TRUE(half.may_be_done());
    EXPECT_EQ(co_await redis.command<int>("GET", "a"), 2);
  }(redis_));
}

template <class... T>
concept Pipelined =
    requires(const Redis& redis, const redis::Word<T>&... words) { redis.pipeline(words...); };
static_assert(Pipelined<int>);
static_assert(!Pipelined<>);

struct Member {
  std::string name;
  std::vector<std::string> tags;
};
static_assert(redis::detail::kIsArgument<User> && redis::detail::kIsArgument<std::vector<int>>);
static_assert(redis::detail::kIsArgument<std::map<std::string, std::optional<double>>>);
// Otherwise JSON of a client could set these.
static_assert(!redis::detail::kIsArgument<Member>);
static_assert(!redis::detail::kIsArgument<std::vector<Member>>);
static_assert(!redis::detail::kIsArgument<std::map<std::string, User>>);
static_assert(!redis::detail::kIsArgument<std::map<std::string, std::vector<int>>>);

struct Throwing {
  // NOLINTNEXTLINE(google-explicit-constructor): values of commands are converted, too
  operator std::string_view() const { throw std::runtime_error("no text"); }
};

TEST_F(RedisTest, an_argument_that_throws_leaves_the_commands_of_others_whole) {
  on_loop_.run([](Redis redis) -> Task<> {
    auto before = redis.command<int>("INCR", "n");
    EXPECT_THROW((void)redis.command("SET", "k", Throwing()), std::runtime_error);
    auto behind = redis.command<int>("INCR", "n");
    EXPECT_EQ(co_await before, 1);
    EXPECT_EQ(co_await behind, 2);
  }(redis_));
}

TEST_F(RedisTest, a_script_that_fails_may_have_written) {
  on_loop_.run([](Redis redis) -> Task<> {
    const redis::Script writing(
        "redis.call('INCR', KEYS[1]) return redis.error_reply(ARGV[1] .. ' ann@example.org')");
    for (const char* code : {"ERR", "BUSY", "NOSCRIPT"}) {
      auto failing = redis.run(writing, {"n"}, code);
      const RedisFailure failure = co_await failure_of(failing);
      EXPECT_EQ(failure.fault(), RedisFault::refused) << code;
      EXPECT_TRUE(failure.may_be_done()) << code;
      EXPECT_EQ(failure.code(), code);
      EXPECT_EQ(std::string(failure.what()).find("ann"), std::string::npos) << failure.what();
    }
    EXPECT_EQ(co_await redis.command<int>("GET", "n"), 3);
    auto unknown = redis.command("EVALSHA", std::string(40, 'a'), 0);
    EXPECT_FALSE((co_await failure_of(unknown)).may_be_done());
  }(redis_));
}

TEST_F(RedisTest, a_script_is_run_by_its_digest_once_it_is_known) {
  const redis::Script script("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}");
  for (int count = 1; count <= 2; ++count) {
    const auto said = on_loop_.run(
        redis_.within(5s).run<std::vector<std::string>>(script, {"counted"}, "argument"));
    EXPECT_EQ(said, (std::vector<std::string>{"counted", "argument", std::to_string(count)}));
  }
  EXPECT_EQ(ask<std::vector<int>>("SCRIPT", "EXISTS", script.digest()), std::vector<int>{1});
}

struct Entry {
  std::string id;
  std::map<std::string, std::string> fields;
};

TEST_F(RedisTest, entries_of_a_stream_are_read_into_a_struct) {
  using Read = std::optional<std::map<std::string, std::vector<Entry>>>;
  ask("XGROUP", "CREATE", "s", "g", "$", "MKSTREAM");
  ask("XADD", "s", "*", User{"Ada", 36, 1.5});
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSession session = redis.session();
    Read read = co_await session.within(5s).command<Read>("XREADGROUP", "GROUP", "g", "me", "BLOCK",
                                                          1000, "STREAMS", "s", ">");
    EXPECT_EQ(read.value()["s"].at(0).fields["name"], "Ada");
    EXPECT_EQ(co_await redis.command<int>("XACK", "s", "g", (*read)["s"][0].id), 1);
    EXPECT_EQ((co_await session.within(5s).command<Read>("XREADGROUP", "GROUP", "g", "me", "BLOCK",
                                                         10, "STREAMS", "s", ">"))
                  .has_value(),
              false);
  }(redis_));
}

TEST_F(RedisTest, who_leaves_does_not_break_the_order_of_answers) {
  on_loop_.run([](Redis redis) -> Task<> {
    for (int i = 0; i < 200; ++i) {
      auto first = redis.command<int>("INCR", "n");
      {
        auto unsent = redis.command<std::string>("ECHO", "given up before it was sent");
      }
      Scope scope;
      scope.start([](Redis of) -> Task<> {
        co_await of.command<std::string>("ECHO", "given up while it waits");
      }(redis));
      if (i % 2 == 0) {
        co_await yield_now();
        co_await yield_now();
      }
      scope.cancel();
      EXPECT_EQ(co_await redis.command<std::string>("ECHO", i), std::to_string(i));
      EXPECT_EQ(co_await first, i + 1);
    }
  }(redis_));
}

TEST_F(RedisTest, too_many_commands_are_refused_and_the_others_done) {
  const Redis small = open({.commands_max = 10});
  on_loop_.run([](Redis redis) -> Task<> {
    int refused = 0;
    Scope scope;
    for (int i = 0; i < 25; ++i) {
      scope.start([](Redis of, int* count) -> Task<> {
        auto command = of.command<int>("INCR", "n");
        const RedisFailure failure = co_await failure_of(command);
        *count += failure.fault() == RedisFault::busy ? 1 : 0;
      }(redis, &refused));
    }
    co_await scope.join();
    EXPECT_EQ(refused, 15);
    EXPECT_EQ(co_await redis.command<int>("GET", "n"), 10);
  }(small));
  EXPECT_EQ(failure(open({.waiting_bytes_max = 1}), "PING").fault(), RedisFault::open);
}

TEST_F(RedisTest, large_values_go_both_ways) {
  const std::string large(5'000'000, 'x');
  on_loop_.run([](Redis redis, std::string text) -> Task<> {
    for (int i = 0; i < 8; ++i) {
      co_await redis.command("SET", "large" + std::to_string(i), text);
    }
    auto a = redis.command<Text>("GET", "large0");
    EXPECT_EQ(co_await redis.command<Text>("GET", "large7"), text);
    EXPECT_EQ(co_await a, text);
  }(redis_, large));
  EXPECT_EQ(failure(open({.reply_bytes_max = 1000}), "GET", "large0").fault(), RedisFault::lost);
}

/// Increments a counter and transfers a value larger than any buffer, concurrently.
Task<> count_and_carry(Redis redis, int times) {
  const std::string large(3'000'000, 'y');
  for (int i = 0; i < times; ++i) {
    auto setting = redis.command("SET", "large", large);
    auto counting = redis.command<int>("INCR", "n");
    auto getting = redis.command<Text>("GET", "large");
    co_await setting;
    co_await counting;
    EXPECT_EQ(co_await getting, large);
  }
}

TEST_F(RedisTest, it_is_the_same_over_io_uring) {
  if (!Loop::create(Backend::io_uring)) {
    GTEST_SKIP() << "this kernel has no io_uring for us";
  }
  TestLoop on_uring(Backend::io_uring);
  on_uring.run([](Redis redis) -> Task<> {
    Scope scope;
    for (int i = 0; i < 4; ++i) {
      scope.start(count_and_carry(redis, 5));
    }
    co_await scope.join();
    EXPECT_EQ(co_await redis.command<int>("GET", "n"), 20);
  }(open()));
}

TEST_F(RedisTest, database_and_name_are_those_that_were_said) {
  const Redis third(server().unix_url() + "?db=3", {.client_name = "bookshop"});
  on_loop_.run([](Redis redis, Redis first) -> Task<> {
    co_await redis.command("SET", "k", "third");
    EXPECT_EQ(co_await first.command<Text>("GET", "k"), std::nullopt);
    auto session = redis.session();
    EXPECT_EQ(co_await session.command<std::string>("CLIENT", "GETNAME"), "bookshop");
    EXPECT_EQ(co_await session.command<Text>("GET", "k"), "third");
  }(third, redis_));
}

TEST_F(RedisTest, where_nobody_listens_a_command_expires_with_nothing_done) {
  const Redis nowhere("unix:/nowhere/redis.sock:secret", {.command_time_max = 100ms});
  const RedisFailure failed = failure(nowhere, "GET", "k");
  EXPECT_EQ(failed.fault(), RedisFault::expired);
  EXPECT_FALSE(failed.may_be_done());
  EXPECT_EQ(failed.error().status(), 503);
  EXPECT_EQ(failed.error().detail().find("nowhere"), std::string::npos);
}

TEST_F(RedisTest, a_url_or_an_option_that_is_wrong_is_told_at_once) {
  EXPECT_THROW(Redis("http://secret"), RedisFailure);
  EXPECT_THROW(Redis("redis://h", {.connections = 0}), RedisFailure);
  EXPECT_THROW(Redis("redis://h", {.client_name = "a b"}), RedisFailure);
  EXPECT_THROW(Redis("rediss://h", {.tls = {.authorities = "/nowhere.pem"}}), RedisFailure);
}

TEST_F(RedisTest, several_connections_share_the_commands_of_a_loop) {
  const Redis four = open({.connections = 4});
  on_loop_.run([](Redis redis, Redis admin) -> Task<> {
    Scope scope;
    for (int i = 0; i < 8; ++i) {
      scope.start([](Redis of) -> Task<> { co_await of.command("INCR", "n"); }(redis));
    }
    co_await scope.join();
    auto session = admin.session();
    const auto list = co_await session.command<std::string>("CLIENT", "LIST");
    EXPECT_GE(std::ranges::count(list, '\n'), 5);
    EXPECT_EQ(co_await redis.command<int>("GET", "n"), 8);
  }(four, redis_));
}

class SecuredRedis : public ::testing::Test {
 protected:
  TestLoop on_loop_;
};

TEST_F(SecuredRedis, users_log_in_by_their_password_alone) {
  RedisServer server({"user default off", "user ada on >pa@ss/word ~* &* +@all"});
  const auto ask = [&](const std::string& login) {
    return on_loop_.run([](Redis redis) -> Task<RedisFailure> {
      auto command = redis.command("PING");
      co_return co_await failure_of(command);
    }(Redis(server.url(login))));
  };
  EXPECT_STREQ(ask("ada:pa%40ss%2Fword@").what(), "no failure");
  for (const char* login : {"ada:wrongsecret@", ":pa%40ss%2Fword@", "bob:pa%40ss%2Fword@"}) {
    const RedisFailure failure = ask(login);
    EXPECT_EQ(failure.fault(), RedisFault::login) << login;
    EXPECT_STREQ(failure.what(), "Redis rejected the connection: WRONGPASS");
    EXPECT_FALSE(failure.may_be_done());
  }
  EXPECT_EQ(ask("").fault(), RedisFault::login);
}

TEST_F(SecuredRedis, a_database_that_is_not_there_is_told) {
  RedisServer server;
  const RedisFailure failure = on_loop_.run([](Redis redis) -> Task<RedisFailure> {
    auto command = redis.command("PING");
    co_return co_await failure_of(command);
  }(Redis(server.url() + "/99")));
  EXPECT_EQ(failure.fault(), RedisFault::login);
  EXPECT_STREQ(failure.what(),
               "Redis rejected the connection: ERR (there is no database with this number)");
}

TEST_F(SecuredRedis, a_transaction_that_could_not_begin_may_be_done) {
  RedisServer server({"user default on nopass ~* &* +@all -multi"});
  on_loop_.run([](Redis redis) -> Task<> {
    auto refused = redis.transaction(word("SET", "k", "done"), word("GET", "k"));
    const RedisFailure failure = co_await failure_of(refused);
    EXPECT_EQ(failure.code(), "NOPERM");
    EXPECT_TRUE(failure.may_be_done());
    EXPECT_EQ(co_await redis.command<Text>("GET", "k"), "done");
  }(Redis(server.url())));
}

TEST_F(SecuredRedis, over_tls_the_server_shows_who_it_is) {
  namespace tls = detail::tls;
  const tls::TestFiles files;
  const auto authority =
      tls::make_test_certificate({.name = "test authority", .is_authority = true});
  const auto own =
      tls::make_test_certificate({.name = "localhost", .names = "DNS:localhost"}, &authority);
  const auto shown = files.write("server", own);
  const auto trusted = files.write("authority", authority);
  RedisServer server({"tls-cert-file " + shown.certificate, "tls-key-file " + shown.key,
                      "tls-ca-cert-file " + trusted.certificate, "tls-auth-clients no",
                      "requirepass secret"});
  const auto ask = [&](const RedisOptions& options) {
    return on_loop_.run([](Redis redis) -> Task<RedisFailure> {
      auto command = redis.command<std::string>("ECHO", std::string(300'000, 'x'));
      co_return co_await failure_of(command);
    }(Redis(server.tls_url(":secret@"), options)));
  };
  EXPECT_STREQ(ask({.tls = {.authorities = trusted.certificate}}).what(), "no failure");
  const RedisFailure stranger = ask({.command_time_max = 2s});
  EXPECT_EQ(stranger.fault(), RedisFault::expired);
  EXPECT_NE(std::string(stranger.what()).find("certificate"), std::string::npos) << stranger.what();
  EXPECT_EQ(std::string(stranger.what()).find("secret"), std::string::npos);
}

TEST_F(RedisTest, a_command_is_told_to_the_work_that_waits_for_it) {
  on_loop_.run([](Redis of) -> Task<> {
    const WorkRef work = WorkRef::to_new(new Work);
    auto ask = [](Redis within) -> Task<> { (void)co_await within.command<std::string>("PING"); };
    Task<> asking = ask(of);
    {
      const Within within(work);
      asking.start();
    }
    const WaitNote* const note = work.get()->waits().front();
    EXPECT_NE(note, nullptr);
    if (note != nullptr) {
      EXPECT_EQ(to_text(note->what()), "command");
      EXPECT_EQ(note->text(), "PING");
    }
    while (!asking.is_done()) {
      co_await sleep_for(1ms);
    }
    EXPECT_EQ(work.get()->waits().front(), nullptr);
  }(redis_));
}

}  // namespace
}  // namespace eider
