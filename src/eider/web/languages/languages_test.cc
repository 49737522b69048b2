#include "eider/web/languages/languages.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "eider/app/app.h"
#include "eider/core/reflect/constraints.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct TranslatedNote {
  Sized<std::string, 1, 3> title;
  Bounded<int, 0, 5> stars;
  int pages;
};

LanguagesOptions in_german_and_french() {
  return {.texts = {{"de",
                     {{"length", "muss {min} bis {max} Zeichen haben"},
                      {"missing", "fehlt"},
                      {"The input is not valid.", "Die Eingabe ist nicht gültig."},
                      {"Not Found", "Nicht gefunden"}}},
                    {"fr", {{"missing", "manque"}}}},
          .detect_from = {LanguageSource::accept_language}};
}

class LanguagesOfProblems : public ::testing::Test {
 protected:
  LanguagesOfProblems() {
    add_languages(app_, in_german_and_french());
    app_.post("/", [](Json<TranslatedNote>) { return "read"; });
    app_.get("/own", [] {
      return Response().set_status(400).set_type("application/problem+json").set_body("[]");
    });
  }

  TestResponse ask(const std::string& languages,
                   const std::string& body = R"({"title":"","stars":9})") {
    TestClient client(app_);
    return client.send(
        {.method = Method::post,
         .target = "/",
         .headers = {{"Content-Type", "application/json"}, {"Accept-Language", languages}},
         .body = body});
  }

  App app_;
};

TEST_F(LanguagesOfProblems, say_faults_by_their_codes_and_the_whole_by_its_text) {
  const TestResponse reply = ask("de-AT, en;q=0.5");
  const TestProblem problem = reply.problem();
  EXPECT_EQ(reply.header("Content-Language"), "de");
  EXPECT_EQ(reply.header("Vary"), "Accept-Language");
  EXPECT_EQ(problem.detail, "Die Eingabe ist nicht gültig.");
  EXPECT_EQ(problem.title, "Unprocessable Content");
  ASSERT_EQ(problem.errors.size(), 3U);
  EXPECT_EQ(problem.errors[0].detail, "muss 1 bis 3 Zeichen haben");
  EXPECT_EQ(problem.errors[0].code, "length");
  EXPECT_EQ(problem.errors[1].detail, "must be between 0 and 5");
  EXPECT_EQ(problem.errors[2].detail, "fehlt");
}

TEST_F(LanguagesOfProblems, are_left_for_english_and_for_what_nobody_speaks) {
  for (const char* const languages : {"en, de", "it", "", "de;q=0"}) {
    const TestResponse reply = ask(languages);
    EXPECT_EQ(reply.problem().errors[0].detail, "must have 1 to 3 characters") << languages;
    EXPECT_FALSE(reply.header("Content-Language").has_value()) << languages;
    EXPECT_EQ(reply.header("Vary"), "Accept-Language") << languages;
  }
}

TEST_F(LanguagesOfProblems, are_chosen_among_several) {
  EXPECT_EQ(ask("de;q=0.5, fr").problem().errors[2].detail, "manque");
}

TEST_F(LanguagesOfProblems, say_what_no_handler_was_asked_for_too) {
  TestClient client(app_);
  const TestResponse reply = client.send(
      {.method = Method::get, .target = "/nowhere", .headers = {{"Accept-Language", "de"}}});
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.problem().title, "Nicht gefunden");
}

TEST_F(LanguagesOfProblems, leave_alone_what_is_no_problem_document) {
  const TestResponse good = ask("de", R"({"title":"a","stars":1,"pages":2})");
  EXPECT_EQ(good.body, "read");
  EXPECT_FALSE(good.header("Vary").has_value());
  TestClient client(app_);
  const TestResponse own = client.send(
      {.method = Method::get, .target = "/own", .headers = {{"Accept-Language", "de"}}});
  EXPECT_EQ(own.body, "[]");
}

TEST(LanguagesOfWords, say_other_english_words_to_whoever_asks_for_nothing_else) {
  App app;
  add_languages(app, {.texts = {{"de", {{"No resource at this URL.", "Hier ist nichts."}}},
                                {"en", {{"No resource at this URL.", "We have no such page."}}}}});
  TestClient client(app);
  const std::pair<const char*, const char*> rows[] = {{"", "We have no such page."},
                                                      {"it", "We have no such page."},
                                                      {"en-GB", "We have no such page."},
                                                      {"de", "Hier ist nichts."}};
  for (const auto& [asked, said] : rows) {
    const TestResponse reply =
        client.send({.target = "/", .headers = {{"Accept-Language", asked}}});
    EXPECT_EQ(reply.problem().detail, said) << asked;
  }
}

TEST(LanguagesOfTags, are_the_nearest_that_there_are) {
  App app;
  const Languages languages =
      add_languages(app, {.texts = {{"de", {{"Yes", "Ja"}}}, {"fr", {{"Yes", "Oui"}}}}});
  const std::pair<const char*, const char*> rows[] = {{"de", "Ja"},  {"DE", "Ja"},  {"de-AT", "Ja"},
                                                      {"fr", "Oui"}, {"it", "Yes"}, {"", "Yes"}};
  for (const auto& [tag, said] : rows) {
    EXPECT_EQ(languages.translator(tag)("Yes"), said) << tag;
  }
}

}  // namespace
}  // namespace eider
