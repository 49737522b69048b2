#include "eider/core/kinds/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/pairs.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/compare.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/core/reflect/text.h"
#include "eider/testkit/test_client.h"

namespace {

/// A custom type, as an application would write it: ten lines.
class Isbn {
 public:
  Isbn() = default;
  explicit Isbn(std::string digits) : digits_(std::move(digits)) {}
  [[nodiscard]] const std::string& digits() const { return digits_; }

 private:
  std::string digits_;
};

enum class Level { in_progress, done };

}  // namespace

template <>
struct eider::TextFormat<Isbn> {
  static std::optional<Isbn> parse(std::string_view text) {
    std::string digits(text);
    std::erase(digits, '-');
    return digits.size() == 13 ? std::optional(Isbn(digits)) : std::nullopt;
  }
  static std::string format(const Isbn& isbn) { return isbn.digits(); }
  static constexpr TextSchema kSchema = {
      .requirement = "must be an ISBN of 13 digits", .format = "isbn", .bytes_max = 17};
};

template <>
struct eider::TextFormat<Level> {
  static std::optional<Level> parse(std::string_view text) {
    return text == "in-progress" ? std::optional(Level::in_progress)
           : text == "done"      ? std::optional(Level::done)
                                 : std::nullopt;
  }
  static std::string_view format(Level level) {
    return level == Level::done ? "done" : "in-progress";
  }
  static constexpr TextSchema kSchema = {.requirement = "must be in-progress or done",
                                         .format = "level"};
};

namespace eider {
namespace {

struct Book {
  Isbn isbn;
  Uuid id;
  Decimal price;
  std::chrono::year_month_day published;
  std::chrono::sys_seconds added;
  std::optional<std::chrono::minutes> length;
  Level level = Level::done;
};

constexpr std::string_view kBook =
    R"({"isbn":"9783161484100","id":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6","price":"12.50",)"
    R"("published":"2026-11-22","added":"2026-11-22T18:05:00Z","length":"PT1H30M",)"
    R"("level":"in-progress"})";

TEST(Kinds, are_strings_in_json) {
  const auto book = json::read<Book>(kBook);
  ASSERT_TRUE(book);
  EXPECT_EQ(book->length, std::chrono::minutes(90));
  EXPECT_EQ(json::to_text(*book), kBook);
  EXPECT_TRUE(reflect::equal(*book, *json::read<Book>(json::to_text(*book))));
}

TEST(Kinds, are_required_where_nothing_initialises_them) {
  const auto book = json::read<Book>("{}");
  ASSERT_FALSE(book);
  ASSERT_EQ(book.error().fields().size(), 5U);
  EXPECT_EQ(book.error().fields()[3].pointer, "/published");
  EXPECT_EQ(book.error().fields()[3].detail, "is missing");
}

TEST(Kinds, that_do_not_fit_are_all_told_at_once) {
  const auto book = json::read<Book>(
      R"({"isbn":"1","id":7,"price":"1e2","published":"2026-02-30","added":null,"length":"PT1S",)"
      R"("level":"DONE"})");
  ASSERT_FALSE(book);
  std::vector<std::string> details;
  for (const FieldError& field : book.error().fields()) {
    details.push_back(field.pointer + " " + field.detail);
  }
  EXPECT_EQ(details,
            (std::vector<std::string>{
                "/isbn must be an ISBN of 13 digits",
                "/id must be a UUID, such as f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
                "/price must be a string with a decimal number of at most 18 digits, such as 12.50",
                "/published must be a date, such as 2026-11-22",
                "/added must be a date and time with an offset, such as 2026-11-22T18:05:00Z",
                "/length must be a duration, such as PT1H30M or P3D",
                "/level must be in-progress or done"}));
}

TEST(Kinds, longer_than_their_schema_says_are_refused_unseen) {
  Isbn isbn;
  EXPECT_TRUE(reflect::read_text(reflect::type_of<Isbn>(), &isbn, "978-3-16-148410-0"));
  EXPECT_FALSE(reflect::read_text(reflect::type_of<Isbn>(), &isbn, "9783161484100-----"));
  EXPECT_EQ(isbn.digits(), "9783161484100");
}

TEST(Kinds, that_are_not_utf8_are_refused_unseen) {
  Isbn isbn;
  EXPECT_FALSE(reflect::read_text(reflect::type_of<Isbn>(), &isbn, "97831614841\xFF\xFF"));
}

using Bytes = std::vector<std::byte>;

struct Picture {
  Sized<Bytes, 1, 3> bytes;
  std::optional<Bytes> small;
  std::vector<Bytes> more;
};

TEST(Bytes, are_base64_in_json) {
  constexpr std::string_view kPicture = R"({"bytes":"AP8=","small":"","more":["+/8=","AAAA"]})";
  const auto picture = json::read<Picture>(kPicture);
  ASSERT_TRUE(picture);
  EXPECT_EQ(*picture->bytes, (Bytes{std::byte{0}, std::byte{255}}));
  EXPECT_EQ(picture->small, Bytes());
  EXPECT_EQ(picture->more.at(1).size(), 3U);
  EXPECT_EQ(json::to_text(*picture), kPicture);
}

TEST(Bytes, have_one_text_alone) {
  for (const std::string_view text : {R"("AP8")", R"("AP9=")", R"("-_8=")", R"("AP8=\n")", R"("A")",
                                      R"("====")", R"("AP8= ")", "[0,255]", "0", "null"}) {
    const auto bytes = json::read<Bytes>(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().fields().at(0).detail, "must be base64-encoded bytes") << text;
  }
}

TEST(Bytes, have_their_own_length_and_not_that_of_the_text) {
  const auto picture = json::read<Picture>(R"({"bytes":"AAAAAA==","more":[]})");
  ASSERT_FALSE(picture);
  EXPECT_EQ(picture.error().fields().at(0).detail, "must have 1 to 3 bytes");
  EXPECT_TRUE(json::read<Picture>(R"({"bytes":"AAAA","more":[]})"));
  EXPECT_FALSE(json::read<Picture>(R"({"bytes":"","more":[]})"));
}

TEST(Bytes, are_values_of_queries_forms_and_paths) {
  App app;
  app.get("/digests/{digest}", [](Bytes digest) { return digest.size(); });
  app.get("/find", [](Query<Picture> query) { return query->more.size(); });
  app.post("/pictures", [](Form<Picture> form) { return form->bytes->at(1) == std::byte{255}; });
  TestClient client(app);
  EXPECT_EQ(client.get("/digests/AP8=").body, "2");
  EXPECT_EQ(client.get("/digests/%2Bv8=").body, "2");
  EXPECT_EQ(client.get("/digests/AP8").status, 400);
  EXPECT_EQ(client.get("/find?bytes=AP8%3D&more=AAAA&more=%2B%2F8%3D").body, "2");
  EXPECT_EQ(client.get("/find?bytes=0").problem().errors.at(0).detail,
            "must be base64-encoded bytes");
  EXPECT_EQ(client.post_form("/pictures", {{"bytes", "AP8="}, {"more", "AAAA"}}).body, "true");
}

TEST(Decimals, are_texts_and_no_numbers_in_json) {
  EXPECT_EQ(std::string_view(json::read<Decimal>("\"0.10\"")->text()), "0.10");
  EXPECT_EQ(json::read<Decimal>("12.5").error().status(), 422);
  EXPECT_EQ(json::read<Decimal>("01").error().status(), 400);
  EXPECT_EQ(json::read<Decimal>("true").error().status(), 422);
}

TEST(Decimals, match_their_pattern_where_they_are_read) {
  const std::regex pattern(std::string(TextFormat<Decimal>::kSchema.pattern));
  for (const char* const text : {"0",
                                 "-0",
                                 "0.0",
                                 "00",
                                 "1.",
                                 ".1",
                                 "-12.50",
                                 "+1",
                                 "1e2",
                                 "01",
                                 "123456789012345678",
                                 "1234567890123456789",
                                 "12345678901234567.8",
                                 "123456789012345678.9",
                                 "0.123456789012345678",
                                 "0.1234567890123456789",
                                 "-999999999999999999",
                                 "",
                                 "-",
                                 "1.2.3",
                                 "1.5\n"}) {
    EXPECT_EQ(std::regex_search(text, pattern), Decimal::parse(text).has_value()) << text;
  }
}

TEST(Kinds, are_read_from_queries) {
  struct Search {
    std::chrono::year_month_day from;
    std::optional<Uuid> owner;
    std::set<Level> levels;
  } search;
  const auto& type = reflect::type_of<Search>();
  EXPECT_TRUE(
      read_pairs(type, &search, "from=2026-11-22&owner=&levels=done&levels=in-progress").empty());
  EXPECT_EQ(search.levels.size(), 2U);
  EXPECT_FALSE(search.owner);
  const auto errors = read_pairs(type, &search, "from=22.11.2026&levels=done&levels=done");
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].detail, "must be a date, such as 2026-11-22");
  EXPECT_EQ(errors[1].detail, "contains duplicates");
}

TEST(Kinds, are_values_of_a_path_headers_and_results) {
  App app;
  app.get("/books/{isbn}", [](Isbn isbn) { return isbn.digits(); });
  app.get("/days/{day}", [](std::chrono::year_month_day day,
                            Header<"Since", std::optional<std::chrono::sys_seconds>> since) {
    return std::vector<std::chrono::sys_seconds>{std::chrono::sys_days(day),
                                                 since->value_or(std::chrono::sys_seconds())};
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/books/978-3-16-148410-0").body, "9783161484100");
  const TestResponse refused = client.get("/books/1");
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.problem().errors[0].detail, "must be an ISBN of 13 digits");
  EXPECT_EQ(client.get("/days/2026-02-30").status, 400);
  EXPECT_EQ(client.get("/days/2026-02-03").body,
            R"(["2026-02-03T00:00:00Z","1970-01-01T00:00:00Z"])");
  EXPECT_EQ(client.send({.target = "/days/2026-02-03", .headers = {{"Since", "today"}}}).status,
            400);
}

TEST(Kinds, without_an_operator_are_compared_by_their_text) {
  EXPECT_TRUE(reflect::equal(Isbn("9783161484100"), Isbn("9783161484100")));
  EXPECT_FALSE(reflect::equal(Isbn("9783161484100"), Isbn()));
  EXPECT_TRUE(reflect::is_fresh(reflect::type_of<Isbn>(), std::make_unique<Isbn>().get()));
}

struct Options {
  std::chrono::sys_seconds since = std::chrono::sys_seconds(std::chrono::seconds(1));
  std::chrono::year_month_day day = std::chrono::year(2026) / 1 / 1;
  std::chrono::seconds wait = std::chrono::seconds(5);
  Uuid owner;
};

TEST(Kinds, have_defaults_as_numbers_have) {
  const auto options = json::read<Options>("{}");
  ASSERT_FALSE(options);
  ASSERT_EQ(options.error().fields().size(), 1U);
  EXPECT_EQ(options.error().fields()[0].pointer, "/owner");
}

struct Sets {
  std::set<int> numbers;
  std::unordered_set<std::string> words = kOptional;
  std::set<Sized<std::string, 0, 9>, std::less<std::string_view>> bounded = kOptional;
};

TEST(Sets, refuse_what_occurs_twice) {
  const auto sets = json::read<Sets>(R"({"numbers":[3,1,2],"words":["a"]})");
  ASSERT_TRUE(sets);
  EXPECT_EQ(json::to_text(*sets), R"({"numbers":[1,2,3],"words":["a"],"bounded":[]})");
  EXPECT_TRUE(reflect::equal(*sets, *json::read<Sets>(json::to_text(*sets))));
  const auto doubled = json::read<Sets>(R"({"numbers":[3,"x",3],"words":7})");
  ASSERT_FALSE(doubled);
  ASSERT_EQ(doubled.error().fields().size(), 3U);
  EXPECT_EQ(doubled.error().fields()[0].pointer, "/numbers/1");
  EXPECT_EQ(doubled.error().fields()[1].pointer, "/numbers/2");
  EXPECT_EQ(doubled.error().fields()[1].detail, "is a duplicate");
  EXPECT_EQ(doubled.error().fields()[2].detail, "must be an array");
  EXPECT_EQ(json::read<Sets>(R"({"numbers":[3,1)").error().status(), 400);
}

struct Tree {
  int value;
  std::unique_ptr<Tree> left;
  std::unique_ptr<Tree> right;
  std::optional<std::map<std::string, Tree>> named;
};

TEST(Structs, hold_themselves_by_unique_ptr) {
  constexpr std::string_view kTree = R"({"value":1,"left":{"value":2},"named":{"x":{"value":3}}})";
  const auto tree = json::read<Tree>(kTree);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->left->value, 2);
  EXPECT_EQ(tree->right, nullptr);
  EXPECT_EQ(json::to_text(*tree), kTree);
  EXPECT_TRUE(reflect::equal(*tree, *json::read<Tree>(kTree)));
  EXPECT_EQ(json::read<Tree>(R"({"value":1,"left":{}})").error().fields()[0].pointer,
            "/left/value");
  EXPECT_TRUE(json::read<Tree>(R"({"value":1,"left":null})"));
}

TEST(Structs, that_hold_themselves_end_at_the_limit_of_depth) {
  std::string deep = "1";
  for (int i = 0; i < 100; ++i) {
    deep = R"({"value":1,"left":)" + deep + "}";
  }
  EXPECT_EQ(json::read<Tree>(deep).error().status(), 400);
}

}  // namespace
}  // namespace eider
