// Texts of the library in another language.
#include "eider/web/languages/library_texts.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "eider/app/app.h"
#include "eider/core/json/read.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/wording.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

namespace wording = reflect::wording;
using detail::languages::error_line;
using detail::languages::error_text;

constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

FieldError length_error(std::size_t min, std::size_t max) {
  return field_error("/name", reflect::describe_length(reflect::type_of<std::string>(), min, max));
}

class GermanTexts : public ::testing::Test {
 protected:
  App app;
  Languages languages =
      add_languages(app, {.texts = {{"de", {{"One per line.", "Eins je Zeile."}}}, german()},
                          .detect_from = {LanguageSource::accept_language}});
  Translator tr = languages.translator("de");
};

TEST_F(GermanTexts, have_a_text_for_each_code) {
  for (const reflect::Wording& each :
       {wording::kMissing, wording::kUnknown, wording::kDoubled, wording::kCrowded, wording::kBool,
        wording::kInteger, wording::kNumber, wording::kString, wording::kObject, wording::kArray,
        wording::kArrayOf, wording::kAnyValue, wording::kOneOf, wording::kRange, wording::kTooLarge,
        wording::kNotUtf8, wording::kBadEscape}) {
    const FieldError error = field_error("/a", each);
    EXPECT_NE(error_text(tr, error), error.detail) << each.code;
  }
}

TEST_F(GermanTexts, tell_bounds_apart) {
  EXPECT_EQ(error_text(tr, length_error(1, 80)), "muss 1 bis 80 Zeichen haben");
  EXPECT_EQ(error_text(tr, length_error(8, kUnbounded)), "muss mindestens 8 Zeichen haben");
  EXPECT_EQ(error_text(tr, length_error(0, 9)), "darf höchstens 9 Zeichen haben");
  EXPECT_EQ(error_text(tr, length_error(4, 4)), "muss genau 4 Zeichen haben");
  const auto large = json::read<std::uint64_t>("99999999999999999999");
  EXPECT_EQ(error_text(tr, large.error().fields().front()),
            "muss zwischen 0 und 18446744073709551615 liegen");
}

TEST_F(GermanTexts, do_not_confuse_codes_with_words) {
  EXPECT_EQ(tr("email"), "email");
  EXPECT_EQ(error_text(tr, {"/email", "no address", "email"}),
            "muss eine E-Mail-Adresse sein, etwa name@example.org");
}

TEST_F(GermanTexts, come_after_those_of_the_application) {
  EXPECT_EQ(tr("One per line."), "Eins je Zeile.");
  EXPECT_EQ(tr("Save"), "Speichern");
}

TEST_F(GermanTexts, are_in_problem_documents) {
  TestClient client(app);
  const TestResponse missing =
      client.send({.target = "/x", .headers = {{"Accept-Language", "de-AT"}}});
  EXPECT_EQ(missing.problem().title, "Nicht gefunden");
  EXPECT_EQ(missing.problem().detail, "Unter dieser URL gibt es nichts.");
}

TEST_F(GermanTexts, put_an_error_on_one_line) {
  const Error error = Error::invalid({{"/name", "x", "missing"}, {"/days", "has no code"}});
  EXPECT_EQ(error_line(tr, error), "Name: fehlt; Gültigkeit: has no code.");
  EXPECT_EQ(error_line(tr, Error::not_found()), "Unter dieser URL gibt es nichts.");
}

TEST(EnglishTexts, need_no_languages) {
  EXPECT_EQ(error_text({}, length_error(1, 80)), "must have 1 to 80 characters");
  EXPECT_EQ(error_line({}, Error::invalid({{"/first_name", "is bad"}})), "First name: is bad.");
}

}  // namespace
}  // namespace eider
