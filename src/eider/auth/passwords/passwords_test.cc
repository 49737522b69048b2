#include "eider/auth/passwords/passwords.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

constexpr Argon2Cost kCheap{.memory_kib = 64, .passes = 1, .lanes = 1};

PasswordOptions cheap(Argon2Cost cost = kCheap) {
  PasswordOptions options;
  options.cost = cost;
  options.threads = 0;
  return options;
}

/// On a simulated loop; each run of argon2 is one iteration.
class PasswordsOnALoop : public ::testing::Test {
 protected:
  template <class T>
  T wait(Task<T> task) {
    loop_.call([&] { (void)task.start(); });
    EXPECT_TRUE(task.is_done());
    return task.take();
  }
  PasswordCheck check(const Passwords& passwords, std::string password, std::string stored) {
    return wait(passwords.verify(std::move(password), std::move(stored))).value();
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  Passwords passwords_{cheap()};
};

TEST_F(PasswordsOnALoop, the_default_is_owasps_argon2id) {
  const Passwords passwords(PasswordOptions{.threads = 0});
  const std::string stored = wait(passwords.hash("correct horse")).value();
  EXPECT_TRUE(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$")) << stored;
  EXPECT_LT(stored.size(), 200U);
  EXPECT_TRUE(check(passwords, "correct horse", stored).matches);
  EXPECT_FALSE(check(passwords, "correct horse", stored).needs_rehash);
}

// Strings from the tests of the reference implementation.
TEST_F(PasswordsOnALoop, strings_of_the_reference_implementation_match) {
  for (const char* stored :
       {"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc",
        "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"}) {
    EXPECT_TRUE(check(passwords_, "password", stored).matches) << stored;
    EXPECT_TRUE(check(passwords_, "password", stored).needs_rehash) << stored;
    EXPECT_FALSE(check(passwords_, "Password", stored).matches) << stored;
  }
}

TEST_F(PasswordsOnALoop, the_same_password_is_never_stored_alike) {
  const std::string one = wait(passwords_.hash("secret")).value();
  const std::string two = wait(passwords_.hash("secret")).value();
  EXPECT_NE(one, two);
  EXPECT_TRUE(check(passwords_, "secret", one).matches);
  EXPECT_TRUE(check(passwords_, "secret", two).matches);
}

TEST_F(PasswordsOnALoop, every_byte_counts_nul_too) {
  const std::string with_nul("se\0cret", 7);
  const std::string stored = wait(passwords_.hash(with_nul)).value();
  EXPECT_TRUE(check(passwords_, with_nul, stored).matches);
  for (const std::string& other : {std::string("se"), std::string("se\0", 3), with_nul + " ",
                                   std::string("se\0creT", 7), std::string()}) {
    EXPECT_FALSE(check(passwords_, other, stored).matches) << other;
  }
  // Passwords are not normalized: composed and decomposed characters differ.
  const std::string composed = wait(passwords_.hash("caf\xC3\xA9")).value();
  EXPECT_FALSE(check(passwords_, "cafe\xCC\x81", composed).matches);
}

TEST_F(PasswordsOnALoop, long_and_empty_ones_are_not_stored_and_match_nothing) {
  const std::string longest(1024, 'a');
  const std::string stored = wait(passwords_.hash(longest)).value();
  EXPECT_TRUE(check(passwords_, longest, stored).matches);
  EXPECT_FALSE(check(passwords_, longest + "a", stored).matches);
  EXPECT_FALSE(check(passwords_, std::string(100'000, 'a'), stored).matches);
  EXPECT_EQ(wait(passwords_.hash(longest + "a")).error().status(), 422);
  EXPECT_EQ(wait(passwords_.hash("")).error().status(), 422);
}

TEST_F(PasswordsOnALoop, what_was_made_with_other_costs_is_to_be_made_again_when_it_matches) {
  const std::string stored = wait(passwords_.hash("secret")).value();
  for (const Argon2Cost cost :
       {Argon2Cost{128, 1, 1}, Argon2Cost{64, 2, 1}, Argon2Cost{64, 1, 2}, Argon2Cost{32, 1, 1}}) {
    const Passwords later(cheap(cost));
    EXPECT_TRUE(check(later, "secret", stored).needs_rehash);
    EXPECT_FALSE(check(later, "wrong", stored).needs_rehash) << "nobody says what a guess is worth";
  }
  EXPECT_FALSE(check(passwords_, "secret", stored).needs_rehash);
}

TEST_F(PasswordsOnALoop, own_hashes_are_read_also_where_they_are_dearer_than_foreign_ones_may_be) {
  PasswordOptions options = cheap({.memory_kib = 1024, .passes = 3, .lanes = 2});
  options.stored_cost_max = {.memory_kib = 64, .passes = 1, .lanes = 1};
  const Passwords passwords(options);
  const std::string stored = wait(passwords.hash("secret")).value();
  EXPECT_TRUE(check(passwords, "secret", stored).matches);
  std::string dearer = stored;
  dearer.replace(dearer.find("m=1024"), 6, "m=1025");
  EXPECT_FALSE(check(passwords, "secret", dearer).is_readable);
}

// Equal work takes equal time, so the runs are counted, not timed.
TEST_F(PasswordsOnALoop, every_look_costs_one_run_whatever_is_stored) {
  const std::string stored = wait(passwords_.hash("secret")).value();
  const auto runs_of = [&](auto look) {
    const std::uint64_t before = passwords_.counts().started;
    look();
    return passwords_.counts().started - before;
  };
  EXPECT_EQ(runs_of([&] { check(passwords_, "secret", stored); }), 1U);
  EXPECT_EQ(runs_of([&] { check(passwords_, "wrong", stored); }), 1U);
  EXPECT_EQ(runs_of([&] { check(passwords_, std::string(5000, 'a'), stored); }), 1U);
  EXPECT_EQ(runs_of([&] { check(passwords_, "", stored); }), 1U);
  EXPECT_EQ(runs_of([&] { (void)wait(passwords_.verify_unknown_user("secret")); }), 1U);
  for (const char* unreadable :
       {"", "!", "$2b$12$abc", "$argon2id$v=19$m=4294967295,t=2,p=1$c$d"}) {
    EXPECT_EQ(runs_of([&] {
                const PasswordCheck looked = check(passwords_, "secret", unreadable);
                EXPECT_FALSE(looked.matches);
                EXPECT_FALSE(looked.needs_rehash);
                EXPECT_FALSE(looked.is_readable);
              }),
              1U)
        << unreadable;
  }
}

TEST_F(PasswordsOnALoop, nobody_matches_nothing_and_looks_like_somebody) {
  for (const char* password : {"", "secret", "password"}) {
    const PasswordCheck nobody = wait(passwords_.verify_unknown_user(password)).value();
    EXPECT_FALSE(nobody.matches);
    EXPECT_FALSE(nobody.needs_rehash);
    EXPECT_TRUE(nobody.is_readable);
  }
}

TEST_F(PasswordsOnALoop, a_task_that_is_destroyed_meanwhile_does_no_harm) {
  auto task = std::make_unique<Task<Result<std::string>>>(passwords_.hash("secret"));
  loop_.call([&] {
    (void)task->start();
    task.reset();  // its run is already posted
  });
  EXPECT_FALSE(check(passwords_, "secret", "").matches);
}

TEST_F(PasswordsOnALoop, what_was_passed_may_go_before_the_task_is_awaited) {
  std::string password = "secret";
  auto hashing = passwords_.hash(password);
  password = "another";
  std::string stored = wait(std::move(hashing)).value();
  const std::string kept = stored;
  password = "secret";
  auto verifying = passwords_.verify(password, stored);
  password.assign(6, 'x');
  stored.assign(stored.size(), 'x');
  EXPECT_TRUE(wait(std::move(verifying)).value().matches);
  EXPECT_FALSE(check(passwords_, "another", kept).matches);
}

/// Runs `call` on a separate stack, and searches the stack for the text afterwards.
template <class Call>
bool is_left_on_the_stack(Call call, std::string_view text) {
  static std::array<char, std::size_t{4} << 20U> stack;
  stack.fill('\0');
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.data(), stack.size());
  pthread_t thread{};
  const auto run = [](void* its_call) -> void* {
    (*static_cast<Call*>(its_call))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &call), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return std::string_view(stack.data(), stack.size()).contains(text);
}

TEST(Passwords, no_call_leaves_a_short_password_on_the_stack) {
  static constexpr std::string_view kSecret = "pa55-w0rd";
  const Passwords passwords(cheap());
  EXPECT_FALSE(is_left_on_the_stack([&] { (void)passwords.hash(kSecret); }, kSecret));
  EXPECT_FALSE(is_left_on_the_stack([&] { (void)passwords.verify(kSecret, "!"); }, kSecret));
  EXPECT_FALSE(
      is_left_on_the_stack([&] { (void)passwords.verify_unknown_user(kSecret); }, kSecret));
}

TEST_F(PasswordsOnALoop, stored_strings_ask_for_no_more_memory_than_the_page_says) {
  constexpr const char* kTail = "$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  const auto is_run = [&](const std::string& cost) {
    return check(passwords_, "x", "$argon2id$v=19$" + cost + kTail).is_readable;
  };
  EXPECT_TRUE(is_run("m=65536,t=1,p=1"));
  EXPECT_TRUE(is_run("m=64,t=4,p=4"));
  EXPECT_FALSE(is_run("m=65537,t=1,p=1"));
  EXPECT_FALSE(is_run("m=64,t=5,p=4"));
  EXPECT_FALSE(is_run("m=64,t=4,p=5"));
}

TEST(PasswordOptions, costs_that_argon2_cannot_be_run_with_are_refused) {
  for (const Argon2Cost cost :
       {Argon2Cost{7, 1, 1}, Argon2Cost{64, 0, 1}, Argon2Cost{64, 1, 0}, Argon2Cost{64, 1, 9}}) {
    EXPECT_THROW(Passwords{cheap(cost)}, Failure);
  }
}

struct Login {
  std::string name;
  std::string password;
};

TEST(Passwords, a_handler_tells_a_wrong_password_from_none_at_all_in_no_way) {
  App app;
  app.state<Passwords>(cheap());
  app.post("/login",
           [](Json<Login> login, State<Passwords> passwords) -> Task<Result<std::string>> {
             std::optional<std::string> stored = *co_await passwords->hash("secret");
             if (login->name != "ann") {
               stored.reset();
             }
             const auto proof = co_await passwords->check_login(login->password, stored);
             if (!proof) {
               co_return fail(proof.error());
             }
             co_return "Hello";
           });
  TestClient client(app);
  const TestResponse wrong = client.post("/login", Login{.name = "ann", .password = "wrong"});
  const TestResponse nobody = client.post("/login", Login{.name = "bob", .password = "secret"});
  EXPECT_EQ(client.post("/login", Login{.name = "ann", .password = "secret"}).status, 200);
  EXPECT_EQ(wrong.status, 401);
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(wrong.body, nobody.body);
}

}  // namespace
}  // namespace eider
