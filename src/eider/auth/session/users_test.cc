#include "eider/auth/session/users.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "eider/app/redact_query.h"
#include "eider/auth/session/test_visits.h"
#include "eider/core/base/failure.h"

namespace eider {

namespace {

struct Person {
  std::string name;
  std::vector<std::string> roles = {};
};
struct Administrator {
  std::string name;
};

}  // namespace

template <>
struct Extract<Person> : ExtractExtension<Person> {
  static constexpr bool kOwnsData = true;
};
template <>
struct Extract<Administrator> : ExtractExtension<Administrator> {};

namespace {

using detail::session::test::cookie_of;
using detail::session::test::Visit;

int people_loaded = 0;

struct People {
  std::map<std::string, Person> by_key;
};

Result<Person> load_person(const UserKey& key, State<People> people) {
  ++people_loaded;
  const auto found = people->by_key.find(key.text);
  return found == people->by_key.end() ? Result<Person>(fail(Error::unauthorized("Who?")))
                                       : Result<Person>(found->second);
}

App make_people_app() {
  App app;
  app.state(People{{{"ada", {"Ada", {"admin", "writer"}}}, {"bob", {"Bob", {"writer"}}}}});
  const Sessions visits = add_sessions<Visit>(app);
  add_users(app, visits, &load_person, {.login_page = "/login"});
  app.provide([](const Person& person) -> Result<Administrator> {
    if (std::ranges::find(person.roles, "admin") == person.roles.end()) {
      return fail(Error::forbidden("Administrators only."));
    }
    return Administrator{person.name};
  });
  app.get("/me",
          [](const Person& person, const Person& again) { return person.name + again.name; });
  app.post("/me", [](const Person& person) { return person.name; });
  app.get("/", [](std::optional<Person> person) { return person ? person->name : "nobody"; });
  app.get("/admin", [](const Administrator& admin) { return admin.name; });
  app.get("/key", [](const UserKey& key) { return key.text; });
  app.get("/open", [] { return "open"; });
  app.get("/invited", [](const Person& person) { return person.name; }).use(redact_query());
  Routes writers = app.group("/writers");
  writers.guard(require_role<Person>("writer"));
  writers.get("/x", [] { return "x"; });
  app.get("/owners", [] { return "x"; }).guard(require_role<Person>("owner"));
  app.post("/login/{user}",
           [](std::string user, Session<> session) { session.log_in(std::move(user)); });
  return app;
}

TestResponse ask_page(TestClient& client, std::string target, Method method = Method::get) {
  return client.send({.method = method,
                      .target = std::move(target),
                      .headers = {{"Accept", "text/html,application/xhtml+xml;q=0.9"}}});
}

TEST(Users, AHandlerThatTakesOneIsForUsers) {
  const App app = make_people_app();
  TestClient client(app, {.keeps_cookies = true});
  EXPECT_EQ(client.get("/me").status, 401);
  EXPECT_EQ(client.get("/").body, "nobody");
  EXPECT_EQ(client.send({.method = Method::post, .target = "/login/ada"}).status, 204);
  people_loaded = 0;
  EXPECT_EQ(client.get("/me").body, "AdaAda");
  EXPECT_EQ(people_loaded, 1);
  EXPECT_EQ(client.get("/").body, "Ada");
  EXPECT_EQ(client.get("/key").body, "ada");
  people_loaded = 0;
  EXPECT_EQ(client.get("/open").body, "open");
  EXPECT_EQ(people_loaded, 0);
}

TEST(Users, AHandlerThatTakesAnAdministratorIsForThese) {
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/admin").status, 401);
  EXPECT_EQ(client.as("bob").get("/admin").status, 403);
  EXPECT_EQ(client.as("ada").get("/admin").body, "Ada");
}

TEST(Users, ARoleIsAskedForByAGuard) {
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/writers/x").status, 401);
  client.as("bob");
  EXPECT_EQ(client.get("/writers/x").status, 200);
  EXPECT_EQ(client.get("/owners").status, 403);
  EXPECT_TRUE(client.get("/owners").body.contains("owner"));
}

enum class Rank { chief, clerk, guest };

struct Employee {
  std::string name;
  Rank role;

  static constexpr bool kIsInjectable = true;
};
using Chief = WithRole<Employee, Rank::chief>;
using Colleague = WithRole<Employee, Rank::chief, Rank::clerk>;

TEST(Users, AHandlerThatTakesARoleIsForThoseThatHaveIt) {
  App app;
  const Sessions visits = add_sessions<Visit>(app);
  add_users(app, visits, [](const UserKey& key) -> Result<Employee> {
    const auto rank = json::read<Rank>('"' + key.text + '"');
    return rank ? Result<Employee>(Employee{key.text, *rank}) : fail(Error::unauthorized("Who?"));
  });
  app.provide(with_role<Chief>());
  app.provide(with_role<Colleague>());
  app.get("/chiefs", [](const Chief& chief) { return chief.name; });
  app.get("/all", [](const Colleague& colleague) { return colleague.name; });
  app.get("/news", [] { return "news"; }).guard(require<Colleague>());
  TestClient client(app);
  EXPECT_EQ(client.get("/all").status, 401);
  EXPECT_EQ(client.get("/news").status, 401);
  EXPECT_EQ(client.as("chief").get("/chiefs").body, "chief");
  EXPECT_EQ(client.get("/news").body, "news");
  EXPECT_EQ(client.get("/all").body, "chief");
  EXPECT_EQ(client.as("clerk").get("/all").body, "clerk");
  EXPECT_EQ(client.get("/chiefs").status, 403);
  const TestResponse refused = client.as("guest").get("/all");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(client.get("/news").status, 403);
  EXPECT_TRUE(refused.body.contains(R"(\"chief\" or \"clerk\")"));
}

TEST(Users, OneWhoIsGoneIsToLogInAgain) {
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(client.as("carl").get("/me").status, 401);
  EXPECT_EQ(client.get("/").body, "nobody");
}

TEST(Users, ABrowserIsSentToTheLoginPageAndAProgramIsTold) {
  const App app = make_people_app();
  TestClient client(app);
  const TestResponse page = ask_page(client, "/me?a=b&c=%2F");
  EXPECT_EQ(page.status, 303);
  EXPECT_EQ(page.header("Location"), "/login?next=%2Fme%3Fa%3Db%26c%3D%252F");
  EXPECT_EQ(ask_page(client, "/me", Method::post).header("Location"), "/login");
  EXPECT_EQ(ask_page(client, "/").body, "nobody");
  EXPECT_EQ(client.get("/me").status, 401);
  EXPECT_EQ(client.get("/me").header("Location"), std::nullopt);
}

TEST(Users, AQueryThatIsASecretIsNotInTheLoginPagesAddress) {
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(ask_page(client, "/invited?token=abc").header("Location"), "/login?next=%2Finvited");
}

TEST(Users, ALoginPageMayHaveAQueryOfItsOwn) {
  App app;
  app.state(People{});
  const Sessions visits = add_sessions<Visit>(app);
  add_users(app, visits, &load_person, {.login_page = "/login?lang=de"});
  app.get("/me", [](const Person& person) { return person.name; });
  TestClient client(app);
  EXPECT_EQ(ask_page(client, "/me").header("Location"), "/login?lang=de&next=%2Fme");
}

TEST(Users, ARefusalNamesItsSchemeAndARedirectIsKeptByNoCache) {
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/me").header("WWW-Authenticate"), "Cookie cookie-name=\"__Host-session\"");
  EXPECT_EQ(ask_page(client, "/me").header("Cache-Control"), "no-store");
}

TEST(Users, APathThatABrowserTakesForAnotherHostIsNotGoneOnWith) {
  for (const char* own :
       {"/", "/a", "/a?b=c#d", "/a//b", "/.//evil.example", "/%2F/evil.example"}) {
    EXPECT_EQ(safe_redirect_path(own), own);
  }
  for (const std::string other :
       {"", "a", "//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example",
        "javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", " /a", "/a b",
        "/a\r\nSet: x", "/a\\b", "/\x7F", "/\xC3\xA4"}) {
    EXPECT_EQ(safe_redirect_path(other), "/") << other;
    EXPECT_EQ(safe_redirect_path(other, "/home"), "/home") << other;
  }
  EXPECT_EQ(safe_redirect_path(std::string("/\0/evil", 7)), "/");
  EXPECT_EQ(safe_redirect_path("/" + std::string(5000, 'a')), "/");
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(ask_page(client, "//evil.example").header("Location"), std::nullopt);
}

TEST(Users, DocumentsSayThatTheSessionsCookieIsAskedFor) {
  const App app = make_people_app();
  const auto find = [all = app.operations()](std::string_view pattern, Method method) {
    return *std::ranges::find_if(
        all, [&](const Operation& one) { return one.pattern == pattern && one.method == method; });
  };
  for (const char* pattern : {"/me", "/admin", "/key", "/writers/x"}) {
    const Operation operation = find(pattern, Method::get);
    ASSERT_EQ(operation.security.size(), 1U) << pattern;
    EXPECT_EQ(operation.security[0].field, "__Host-session");
    EXPECT_EQ(operation.security[0].in, Operation::In::cookie);
    EXPECT_TRUE(operation.security[0].is_required);
  }
  EXPECT_FALSE(find("/", Method::get).security.at(0).is_required);
  EXPECT_TRUE(find("/open", Method::get).security.empty());
}

TEST(Users, ATestClientIsAUserWithoutALogin) {
  const App app = make_people_app();
  TestClient client(app);
  EXPECT_EQ(client.as("ada").get("/").body, "Ada");
  EXPECT_EQ(client.as("bob").get("/").body, "Bob");
  const App without;
  TestClient of_none(without);
  EXPECT_THROW(of_none.as("ada"), Failure);
}

}  // namespace
}  // namespace eider
