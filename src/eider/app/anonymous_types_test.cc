// Handlers whose types belong to an anonymous namespace. A unity build includes this file, and
// g++ 14 crashes on some coroutines over such types of an included file: see InFrame.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

enum class HiddenColor : std::uint8_t { red, green };

struct HiddenNote {
  std::string text;
  HiddenColor color = HiddenColor::red;
};

struct HiddenQuery {
  std::string text;
};

HiddenNote make_note(std::string_view text = "a") {
  return {.text = std::string(text), .color = HiddenColor::green};
}

Task<HiddenNote> structure() {
  co_return make_note();
}
Task<HiddenColor> enumerator() {
  co_return HiddenColor::green;
}
Task<std::vector<HiddenNote>> list() {
  co_return std::vector(2, make_note());
}
Task<std::optional<HiddenNote>> optional() {
  co_return make_note();
}
Task<Result<HiddenNote>> result() {
  co_return make_note();
}
Task<With<HiddenNote>> with() {
  co_return With(make_note()).status(201);
}
Task<Result<With<std::vector<HiddenColor>>>> nested() {
  co_return With(std::vector{HiddenColor::green}).status(201);
}
Task<HiddenNote> without_throwing(Query<HiddenQuery> query) noexcept {
  co_return make_note(query->text);
}
Task<std::string> parameters(Query<HiddenQuery> query, State<HiddenNote> state) {
  co_return query->text + state->text;
}
HiddenNote plain(HiddenColor color) {
  return {.text = "plain", .color = color};
}

class HiddenBoard {
 public:
  Task<HiddenNote> structure() { co_return make_note(text_); }
  Task<HiddenColor> enumerator() const { co_return HiddenColor::green; }
  Task<std::vector<HiddenNote>> list() const noexcept {
    co_return std::vector(2, make_note(text_));
  }
  Task<Result<HiddenNote>> result(Query<HiddenQuery> query) { co_return make_note(query->text); }
  Task<With<HiddenNote>> with() noexcept { co_return With(make_note(text_)).status(201); }
  [[nodiscard]] HiddenNote plain(HiddenColor color) const {
    return {.text = text_, .color = color};
  }

 private:
  std::string text_ = "a";
};

Task<HiddenNote> find_note(const Request& request) {
  co_return make_note(request.path());
}
Task<Result<HiddenQuery>> find_query(Slot<HiddenNote> note) {
  co_return HiddenQuery{note->text};
}
std::string show_both(Slot<HiddenNote> note, Slot<HiddenQuery> query) {
  return note->text + query->text;
}

Task<> rename(State<HiddenNote> note) {
  note->text = "renamed";
  co_return;
}

void expect(TestClient& client, const std::string& path, int status, const std::string& body) {
  const Reply reply = client.get(path);
  EXPECT_EQ(reply.status, status) << path;
  EXPECT_EQ(reply.body, body) << path;
}

constexpr const char* kNote = R"({"text":"a","color":"green"})";
constexpr const char* kNotes = R"([{"text":"a","color":"green"},{"text":"a","color":"green"}])";

TEST(AnonymousTypes, are_returned_by_functions) {
  App app;
  app.get("/structure", structure);
  app.get("/enumerator", &enumerator);
  app.get("/list", list);
  app.get("/optional", optional);
  app.get("/result", &result);
  app.get("/with", with);
  app.get("/nested", nested);
  app.get("/noexcept", without_throwing);
  app.get("/plain/{color}", plain);
  app.get("/blocking/{color}", blocking(&plain));
  TestClient client(app);
  expect(client, "/structure", 200, kNote);
  expect(client, "/enumerator", 200, "green");
  expect(client, "/list", 200, kNotes);
  expect(client, "/optional", 200, kNote);
  expect(client, "/result", 200, kNote);
  expect(client, "/with", 201, kNote);
  expect(client, "/nested", 201, R"(["green"])");
  expect(client, "/noexcept?text=a", 200, kNote);
  expect(client, "/plain/red", 200, R"({"text":"plain","color":"red"})");
  expect(client, "/blocking/red", 200, R"({"text":"plain","color":"red"})");
}

TEST(AnonymousTypes, are_returned_by_lambdas) {
  App app;
  app.get("/structure", []() -> Task<HiddenNote> { co_return make_note(); });
  app.get("/enumerator", [] { return enumerator(); });
  app.get("/list", [] { return list(); });
  app.get("/result", []() -> Task<Result<HiddenNote>> { co_return make_note(); });
  app.get("/with", [function = &with] { return function(); });
  app.get("/blocking", blocking([] { return make_note(); }));
  TestClient client(app);
  expect(client, "/structure", 200, kNote);
  expect(client, "/enumerator", 200, "green");
  expect(client, "/list", 200, kNotes);
  expect(client, "/result", 200, kNote);
  expect(client, "/with", 201, kNote);
  expect(client, "/blocking", 200, kNote);
}

TEST(AnonymousTypes, are_returned_by_member_functions) {
  App app;
  app.state(HiddenBoard());
  app.get("/structure", &HiddenBoard::structure);
  app.get("/enumerator", &HiddenBoard::enumerator);
  app.get("/list", &HiddenBoard::list);
  app.get("/result", &HiddenBoard::result);
  app.get("/with", &HiddenBoard::with);
  app.get("/plain/{color}", &HiddenBoard::plain);
  app.get("/blocking/{color}", blocking(&HiddenBoard::plain));
  TestClient client(app);
  expect(client, "/structure", 200, kNote);
  expect(client, "/enumerator", 200, "green");
  expect(client, "/list", 200, kNotes);
  expect(client, "/result?text=a", 200, kNote);
  expect(client, "/with", 201, kNote);
  expect(client, "/plain/green", 200, kNote);
  expect(client, "/blocking/green", 200, kNote);
}

TEST(AnonymousTypes, are_parameters_of_handlers_guards_and_tasks) {
  App app;
  app.state(make_note());
  app.on_start("rename", &rename);
  app.provide(&find_note);
  app.guard(&find_query);
  app.get("/parameters", parameters);
  app.get("/both", &show_both);
  TestClient client(app);
  expect(client, "/parameters?text=a", 200, "arenamed");
  expect(client, "/both", 200, "/both/both");
}

}  // namespace
}  // namespace eider
