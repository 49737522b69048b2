// Classes whose members are handlers.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {

/// A controller with each kind of member that can be a handler.
class Books {
 public:
  explicit Books(std::string name) : name_(std::move(name)) {}

  static void add_routes(Routes& at) {
    at.guard(&Books::admit);
    at.get("/{id}", &Books::read);
    at.put("/{id}", &Books::write);
    at.get("/{id}/slowly", &Books::read_slowly);
    at.get("/{id}/blocking", blocking(&Books::read));
    at.get("/", &Books::name);
  }
  Result<std::string> read(int id) const {
    const auto found = titles_.find(id);
    return found == titles_.end() ? Result<std::string>(fail(Error::not_found())) : found->second;
  }

 private:
  Result<void> admit(Header<"X-Who", std::optional<std::string_view>> who) const noexcept {
    return who->value_or(name_) == name_ ? Result<void>() : fail(Error::forbidden("Not yours."));
  }
  void write(int id, Json<std::string> title) { titles_[id] = *title; }
  Task<std::string> read_slowly(int id, const Request& request) {
    co_await sleep_for(std::chrono::milliseconds(5));
    co_return titles_.at(id) + std::string(request.path());
  }
  std::string_view name() const noexcept { return name_; }

  std::string name_;
  std::map<int, std::string> titles_;
};

namespace {

TEST(Controllers, answer_by_their_members) {
  App app;
  app.add_controller<Books>("/books", "ada");
  TestClient client(app);
  EXPECT_EQ(client.put("/books/7", "Emma").status, 204);
  EXPECT_EQ(client.get("/books/7").body, "Emma");
  EXPECT_EQ(client.get("/books/7/slowly").body, "Emma/books/7/slowly");
  EXPECT_EQ(client.get("/books/7/blocking").body, "Emma");
  EXPECT_EQ(client.get("/books/8").status, 404);
  EXPECT_EQ(client.get("/books/x").status, 400);
  EXPECT_EQ(client.get("/books/").body, "ada");
}

TEST(Controllers, guard_by_their_members) {
  App app;
  app.add_controller<Books>("/books", "ada");
  TestClient client(app);
  EXPECT_EQ(client.send({.target = "/books/", .headers = {{"X-Who", "eve"}}}).status, 403);
}

TEST(Controllers, are_the_state_of_their_class) {
  App app;
  app.state<Books>("given");
  app.group("/shelf").get("/{id}", &Books::read);
  TestClient client(app);
  EXPECT_EQ(client.get("/shelf/1").status, 404);
}

TEST(Controllers, may_be_overridden_in_tests) {
  App app;
  app.add_controller<Books>("/books", "ada");
  app.override_state<Books>("eve");
  TestClient client(app);
  EXPECT_EQ(client.get("/books/").body, "eve");
}

TEST(Controllers, that_nobody_made_are_told_at_the_start) {
  App app;
  app.get("/{id}", &Books::read);
  EXPECT_EQ(start_error_of(app),
            "GET /{id} needs State<eider::Books>, which was never registered. Add app.state(...) "
            "or app.singleton(...)\n");
}

}  // namespace
}  // namespace eider
