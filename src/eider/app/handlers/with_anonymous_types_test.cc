// Handlers whose types are in an anonymous namespace. A unity build includes this file, and g++ 14
// crashes for some coroutines with such types in an included file: see InFrame.
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

HiddenNote hidden_make_note(std::string_view text = "a") {
  return {.text = std::string(text), .color = HiddenColor::green};
}

Task<HiddenNote> hidden_structure() {
  co_return hidden_make_note();
}
Task<HiddenColor> hidden_enumerator() {
  co_return HiddenColor::green;
}
Task<std::vector<HiddenNote>> hidden_list() {
  co_return std::vector(2, hidden_make_note());
}
Task<std::optional<HiddenNote>> hidden_optional() {
  co_return hidden_make_note();
}
Task<Result<HiddenNote>> hidden_result() {
  co_return hidden_make_note();
}
Task<ResponseOf<HiddenNote>> hidden_with() {
  co_return ResponseOf(hidden_make_note()).status(201);
}
Task<Result<ResponseOf<std::vector<HiddenColor>>>> hidden_nested() {
  co_return ResponseOf(std::vector{HiddenColor::green}).status(201);
}
Task<HiddenNote> hidden_without_throwing(Query<HiddenQuery> query) noexcept {
  co_return hidden_make_note(query->text);
}
Task<std::string> hidden_parameters(Query<HiddenQuery> query, State<HiddenNote> state) {
  co_return query->text + state->text;
}
HiddenNote hidden_plain(HiddenColor color) {
  return {.text = "plain", .color = color};
}

class HiddenBoard {
 public:
  Task<HiddenNote> structure() { co_return hidden_make_note(text_); }
  Task<HiddenColor> enumerator() const { co_return HiddenColor::green; }
  Task<std::vector<HiddenNote>> list() const noexcept {
    co_return std::vector(2, hidden_make_note(text_));
  }
  Task<Result<HiddenNote>> result(Query<HiddenQuery> query) {
    co_return hidden_make_note(query->text);
  }
  Task<ResponseOf<HiddenNote>> with() noexcept {
    co_return ResponseOf(hidden_make_note(text_)).status(201);
  }
  [[nodiscard]] HiddenNote plain(HiddenColor color) const {
    return {.text = text_, .color = color};
  }

 private:
  std::string text_ = "a";
};

Task<HiddenNote> hidden_find_note(const Request& request) {
  co_return hidden_make_note(request.path());
}
Task<Result<HiddenQuery>> hidden_find_query(Extension<HiddenNote> note) {
  co_return HiddenQuery{note->text};
}
std::string hidden_show_both(Extension<HiddenNote> note, Extension<HiddenQuery> query) {
  return note->text + query->text;
}

Task<> hidden_rename(State<HiddenNote> note) {
  note->text = "renamed";
  co_return;
}

void expect_hidden(TestClient& client, const std::string& path, int status,
                   const std::string& body) {
  const TestResponse reply = client.get(path);
  EXPECT_EQ(reply.status, status) << path;
  EXPECT_EQ(reply.body, body) << path;
}

constexpr const char* kHiddenNote = R"({"text":"a","color":"green"})";
constexpr const char* kHiddenNotes =
    R"([{"text":"a","color":"green"},{"text":"a","color":"green"}])";

TEST(AnonymousTypes, are_returned_by_functions) {
  App app;
  app.get("/structure", hidden_structure);
  app.get("/enumerator", &hidden_enumerator);
  app.get("/list", hidden_list);
  app.get("/optional", hidden_optional);
  app.get("/result", &hidden_result);
  app.get("/with", hidden_with);
  app.get("/nested", hidden_nested);
  app.get("/noexcept", hidden_without_throwing);
  app.get("/plain/{color}", hidden_plain);
  app.get("/blocking/{color}", blocking(&hidden_plain));
  TestClient client(app);
  expect_hidden(client, "/structure", 200, kHiddenNote);
  expect_hidden(client, "/enumerator", 200, R"("green")");
  expect_hidden(client, "/list", 200, kHiddenNotes);
  expect_hidden(client, "/optional", 200, kHiddenNote);
  expect_hidden(client, "/result", 200, kHiddenNote);
  expect_hidden(client, "/with", 201, kHiddenNote);
  expect_hidden(client, "/nested", 201, R"(["green"])");
  expect_hidden(client, "/noexcept?text=a", 200, kHiddenNote);
  expect_hidden(client, "/plain/red", 200, R"({"text":"plain","color":"red"})");
  expect_hidden(client, "/blocking/red", 200, R"({"text":"plain","color":"red"})");
}

TEST(AnonymousTypes, are_returned_by_lambdas) {
  App app;
  app.get("/structure", []() -> Task<HiddenNote> { co_return hidden_make_note(); });
  app.get("/enumerator", [] { return hidden_enumerator(); });
  app.get("/list", [] { return hidden_list(); });
  app.get("/result", []() -> Task<Result<HiddenNote>> { co_return hidden_make_note(); });
  app.get("/with", [function = &hidden_with] { return function(); });
  app.get("/blocking", blocking([] { return hidden_make_note(); }));
  TestClient client(app);
  expect_hidden(client, "/structure", 200, kHiddenNote);
  expect_hidden(client, "/enumerator", 200, R"("green")");
  expect_hidden(client, "/list", 200, kHiddenNotes);
  expect_hidden(client, "/result", 200, kHiddenNote);
  expect_hidden(client, "/with", 201, kHiddenNote);
  expect_hidden(client, "/blocking", 200, kHiddenNote);
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
  expect_hidden(client, "/structure", 200, kHiddenNote);
  expect_hidden(client, "/enumerator", 200, R"("green")");
  expect_hidden(client, "/list", 200, kHiddenNotes);
  expect_hidden(client, "/result?text=a", 200, kHiddenNote);
  expect_hidden(client, "/with", 201, kHiddenNote);
  expect_hidden(client, "/plain/green", 200, kHiddenNote);
  expect_hidden(client, "/blocking/green", 200, kHiddenNote);
}

TEST(AnonymousTypes, are_parameters_of_handlers_guards_and_tasks) {
  App app;
  app.state(hidden_make_note());
  app.on_start("rename", &hidden_rename);
  app.provide(&hidden_find_note);
  app.guard(&hidden_find_query);
  app.get("/parameters", hidden_parameters);
  app.get("/both", &hidden_show_both);
  TestClient client(app);
  expect_hidden(client, "/parameters?text=a", 200, "arenamed");
  expect_hidden(client, "/both", 200, "/both/both");
}

}  // namespace
}  // namespace eider
