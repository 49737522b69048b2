#include "eider/app/life/states.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {
namespace {

using MadeSteps = std::vector<std::string>;

/// The constructions and destructions, in order.
MadeSteps& made_steps() {
  static MadeSteps all;
  return all;
}

template <int kNumber>
struct ShopPart {
  explicit ShopPart(std::string its_name) : name(std::move(its_name)) {
    made_steps().push_back(name);
  }
  ShopPart(const ShopPart&) = delete;  // not movable either: it is constructed in place
  ShopPart& operator=(const ShopPart&) = delete;
  ~ShopPart() { made_steps().push_back("~" + name); }

  std::string name;
  std::mutex mutex;
};
using ShopPool = ShopPart<1>;
using ShopMailer = ShopPart<2>;
using Shop = ShopPart<3>;
struct ShopSettings {
  std::string host = "a";
};

/// Registered in an order in which none could be created at once.
App shop_app() {
  made_steps().clear();
  App app;
  app.singleton([](State<ShopMailer> mailer, State<ShopPool> pool) {
    return Shop("shop of " + mailer->name + " and " + pool->name);
  });
  app.singleton([](State<ShopPool> pool) { return ShopMailer("mailer of " + pool->name); });
  app.singleton([](State<ShopSettings> settings) { return ShopPool("pool " + settings->host); });
  app.state(ShopSettings{});
  app.get("/", [](State<Shop> shop) { return shop->name; });
  app.get("/again",
          [](State<Shop> shop, State<ShopMailer> mailer) { return shop->name + mailer->name; });
  return app;
}

TEST(MadeStates, are_made_once_in_the_order_of_need_and_go_in_reverse) {
  const App app = shop_app();
  EXPECT_EQ(made_steps(), MadeSteps());
  {
    TestClient client(app);
    EXPECT_EQ(client.get("/").body, "shop of mailer of pool a and pool a");
    EXPECT_EQ(client.get("/again").status, 200);
    EXPECT_EQ(made_steps(),
              (MadeSteps{"pool a", "mailer of pool a", "shop of mailer of pool a and pool a"}));
    made_steps().clear();
  }
  EXPECT_EQ(made_steps(),
            (MadeSteps{"~shop of mailer of pool a and pool a", "~mailer of pool a", "~pool a"}));
}

TEST(MadeStates, are_not_made_where_a_test_has_given_another) {
  App app = shop_app();
  app.override_state<ShopMailer>("fake");
  made_steps().clear();
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "shop of fake and pool a");
  EXPECT_EQ(made_steps(), (MadeSteps{"pool a", "shop of fake and pool a"}));
}

TEST(MadeStates, are_not_made_where_nobody_takes_them_or_asks_what_there_is) {
  made_steps().clear();
  App app;
  app.singleton([] { return ShopPool("unused"); });
  app.get("/", [] { return 1; });
  EXPECT_EQ(app.operations().size(), 1U);
  EXPECT_NE(app.list_routes(), "");
  TestClient client(app);
  EXPECT_EQ(made_steps(), MadeSteps());
}

TEST(MadeStates, are_there_for_guards_and_for_what_goes_on_beside_requests) {
  made_steps().clear();
  App app;
  app.singleton([] { return ShopPool("pool"); });
  app.on_start("first",
               [](State<ShopPool> pool) { made_steps().push_back("started by " + pool->name); });
  app.guard([](State<ShopPool> pool) -> Result<void> { return fail(Error(403, pool->name)); });
  app.get("/", [] { return 1; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").problem().detail, "pool");
  EXPECT_EQ(made_steps(), (MadeSteps{"pool", "started by pool"}));
}

struct LeftOne {
  int number = 0;
};
struct MiddleOne {
  int number = 0;
};
struct RightOne {
  int number = 0;
};

TEST(MadeStates, that_need_each_other_are_told_at_start_by_name) {
  App app;
  app.singleton([](State<RightOne>) { return LeftOne(); });
  app.singleton([](State<LeftOne>) { return MiddleOne(); });
  app.singleton([](State<MiddleOne>) { return RightOne(); });
  app.get("/", [](State<LeftOne>) { return 1; });
  app.get("/again", [](State<MiddleOne>) { return 1; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains("LeftOne needs ") && wrong.contains("RightOne needs ") &&
              wrong.contains("MiddleOne needs ") &&
              wrong.contains("LeftOne. Register one of them with"))
      << wrong;
  EXPECT_EQ(std::ranges::count(wrong, '\n'), 1) << wrong;
  app.state(MiddleOne());
  EXPECT_NO_THROW(TestClient{app});
}

TEST(MadeStates, that_lack_something_or_fail_are_told_at_start) {
  App app;
  app.singleton([](State<ShopSettings>) { return LeftOne(); });
  app.singleton([]() -> Result<RightOne> { return fail(Error::internal("no disk")); });
  app.singleton([]() -> MiddleOne { throw std::runtime_error("no memory"); });
  app.get("/", [](State<LeftOne>, State<RightOne>, State<MiddleOne>) { return 1; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains(
                  "the function that makes eider::(anonymous namespace)::LeftOne needs State<") ||
              wrong.contains("LeftOne needs State<"))
      << wrong;
  EXPECT_TRUE(wrong.contains("RightOne failed: no disk\n")) << wrong;
  EXPECT_TRUE(wrong.contains("MiddleOne failed: no memory\n")) << wrong;
}

TEST(MadeStates, are_told_to_the_app_once) {
  App app;
  app.singleton([] { return LeftOne(); });
  EXPECT_THROW(app.singleton([] { return LeftOne{1}; }), Failure);
}

TEST(MadeStates, may_be_of_each_loop) {
  App app;
  app.state(ShopSettings{.host = "here"});
  int made = 0;
  app.per_loop([&made](State<ShopSettings> settings) {
    ++made;
    return std::string("client of " + settings->host);
  });
  app.get("/", [](PerLoop<std::string> client) { return *client; });
  TestClient client(app);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(client.get("/").body, "client of here");
  EXPECT_EQ(client.get("/").body, "client of here");
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace eider
