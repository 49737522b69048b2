#include "eider/core/kinds/rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/pairs.h"
#include "eider/core/json/json.h"
#include "eider/core/kinds/kinds.h"
#include "eider/protocols/http/url.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

TEST(Email, is_a_mailbox_of_rfc_5321) {
  for (const char* text :
       {"a@b", "name@example.org", "first.last+tag@sub.example.co.uk", "!#$%&'*+-/=?^_`{|}~@x.y",
        "x@localhost", "a@1.2", "a@xn--bcher-kva.example"}) {
    EXPECT_TRUE(IsEmail::check(text)) << text;
  }
}

TEST(Email, is_nothing_else) {
  for (const char* text : {"",        "@",
                           "a",       "a@",
                           "@b",      "a@b@c",
                           "a b@c",   ".a@b",
                           "a.@b",    "a..b@c",
                           "a@b.",    "a@.b",
                           "a@b..c",  "a@-b",
                           "a@b-",    "a@b_c",
                           "\"a\"@b", "a@[127.0.0.1]",
                           "a(x)@b",  "a@b\n",
                           "a@b c",   "ä@b",
                           "a@ä",     "<a@b>",
                           "a@b,c@d", "a\r\nBcc: x@y"}) {
    EXPECT_FALSE(IsEmail::check(text)) << text;
  }
}

TEST(Email, has_bounds) {
  const std::string label(63, 'b');
  EXPECT_TRUE(IsEmail::check(std::string(64, 'a') + "@" + label));
  EXPECT_FALSE(IsEmail::check(std::string(65, 'a') + "@" + label));
  EXPECT_FALSE(IsEmail::check("a@" + label + "b"));
  const std::string domain = label + "." + label + "." + label + ".";
  EXPECT_TRUE(IsEmail::check("a@" + domain + std::string(60, 'c')));
  EXPECT_FALSE(IsEmail::check("a@" + domain + std::string(61, 'c')));
}

TEST(Url, is_absolute_and_of_the_web) {
  for (const char* text :
       {"http://a", "https://example.org/path?q=1#top", "HTTPS://Example.org:8080",
        "http://[::1]:8080/", "http://127.0.0.1/%C3%A4", "https://example.org/a;b=c,d?e=[f]"}) {
    EXPECT_TRUE(IsUrl::check(text)) << text;
  }
}

TEST(Url, is_nothing_else) {
  for (const char* text : {"",
                           "example.org",
                           "//example.org",
                           "/path",
                           "ftp://a",
                           "javascript:alert(1)",
                           "data:text/html,x",
                           "http://",
                           "http:///a",
                           "http:/a",
                           "http://a b",
                           "http://a/b c",
                           "http://a/ä",
                           "http://user@a",
                           "http://u:p@a",
                           "http://a:0",
                           "http://a:65536",
                           "http://a/%",
                           "http://a/%2",
                           "http://a/%zz",
                           "http://a/#b#c",
                           "http://a/\"",
                           "http://a/<",
                           "http://a\\b",
                           " http://a",
                           "http://a\n",
                           "http://[::1"}) {
    EXPECT_FALSE(IsUrl::check(text)) << text;
  }
  EXPECT_FALSE(IsUrl::check("http://a/" + std::string(2048, 'b')));
}

TEST(OneOf, takes_these_texts_and_no_other) {
  using Size = OneOf<"S", "M", "x-large">;
  EXPECT_TRUE(Size::check("x-large"));
  EXPECT_FALSE(Size::check("s"));
  EXPECT_FALSE(Size::check(""));
  EXPECT_EQ(to_text(Size::describe()), "must be one of S, M, x-large");
  EXPECT_EQ(Size::describe().keywords[0].json, R"(["S","M","x-large"])");
}

TEST(MultipleOf, divides_integers_of_either_sign) {
  EXPECT_TRUE(MultipleOf<5>::check(-10));
  EXPECT_TRUE(MultipleOf<5>::check(0));
  EXPECT_FALSE(MultipleOf<5>::check(-9));
  EXPECT_FALSE(MultipleOf<5U>::check(std::int8_t{-128}));
  EXPECT_TRUE(MultipleOf<5>::check(std::uint64_t{18446744073709551615U}));
  EXPECT_EQ(to_text(MultipleOf<5>::describe()), "must be a multiple of 5");
}

struct Point {
  int x;
  auto operator<=>(const Point&) const = default;
};

}  // namespace

/// Clients know the hash, like those of the library, so they could create many values that share
/// it.
struct Ordered {
  int x;
  auto operator<=>(const Ordered&) const = default;
};

}  // namespace eider

template <>
struct std::hash<eider::Ordered> {
  std::size_t operator()(const eider::Ordered& /*value*/) const {
    ADD_FAILURE() << "asked for a hash in place of the order";
    return 0;
  }
};

namespace eider {
namespace {

TEST(Unique, goes_by_the_order_where_there_is_one) {
  EXPECT_TRUE(Unique::check(std::vector<Ordered>{{3}, {1}, {2}}));
  EXPECT_FALSE(Unique::check(std::vector<Ordered>{{3}, {1}, {3}}));
}

TEST(Unique, refuses_what_stands_twice) {
  EXPECT_TRUE(Unique::check(std::vector<int>{}));
  EXPECT_TRUE(Unique::check(std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(Unique::check(std::vector<std::string>{"a", "b", "a"}));
  EXPECT_FALSE(Unique::check(std::vector<Point>{{1}, {2}, {1}}));
}

struct SignUp {
  Email email;
  Validated<std::string, HasLength<3, 5>, Matches<"[a-z]+", "must be small letters">> name;
  std::optional<Url> site;
  Validated<std::vector<int>, Unique, HasLength<1, 3>> numbers;
};

TEST(Rules, are_all_told_at_once) {
  const auto wrong =
      json::read<SignUp>(R"({"email":"a","name":"ABCDEFG","site":"x","numbers":[1,1,1,1]})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().status(), 422);
  std::vector<std::string> details;
  for (const FieldError& field : wrong.error().fields()) {
    details.push_back(field.pointer + " " + field.detail);
  }
  EXPECT_EQ(details,
            (std::vector<std::string>{
                "/email must be an email address, such as name@example.org",
                "/name must have 3 to 5 characters", "/name must be small letters",
                "/site must be an http or https URL, such as https://example.org/path",
                "/numbers must not contain duplicates", "/numbers must have 1 to 3 elements"}));
}

TEST(Rules, are_told_by_code_and_arguments_as_well) {
  App app;
  app.post("/", [](Json<SignUp>) {});
  TestClient client(app);
  const TestResponse reply =
      client.send({.method = Method::post,
                   .target = "/",
                   .headers = {{"Content-Type", "application/json"}},
                   .body = R"({"email":"a@b","name":"ABCDEFG","numbers":[1],"x":2})"});
  EXPECT_EQ(reply.body,
            R"({"type":"about:blank","title":"Unprocessable Content","status":422,)"
            R"("detail":"The input is not valid.","errors":[)"
            R"({"pointer":"/name","detail":"must have 3 to 5 characters","code":"length",)"
            R"("arguments":{"max":"5","min":"3","unit":"characters"}},)"
            R"({"pointer":"/name","detail":"must be small letters","code":"pattern",)"
            R"("arguments":{"pattern":"[a-z]+"}},)"
            R"({"pointer":"/x","detail":"is not an allowed member","code":"unknown"}]})");
}

TEST(Rules, are_about_values_that_are_there) {
  const auto wrong = json::read<SignUp>(R"({"email":7,"name":"abc","numbers":[1,"x",1]})");
  ASSERT_FALSE(wrong);
  ASSERT_EQ(wrong.error().fields().size(), 2U);
  EXPECT_EQ(wrong.error().fields()[1].pointer, "/numbers/1");
}

TEST(Rules, hold_in_queries) {
  struct Search {
    Validated<int, MultipleOf<10>, InRange<int, 10, 100>> count = 20;
    std::optional<Email> by;
  } search;
  const auto& type = reflect::type_of<Search>();
  EXPECT_TRUE(read_pairs(type, &search, "count=30&by=a%40b").empty());
  EXPECT_EQ(search.count, 30);
  const auto errors = read_pairs(type, &search, "count=7&by=a");
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].detail, "must be a multiple of 10");
  EXPECT_EQ(errors[1].detail, "must be between 10 and 100");
  EXPECT_EQ(errors[2].pointer, "by");
  EXPECT_EQ(errors[2].code, "email");
}

struct IsTrue {
  static bool check(bool value) { return value; }
  static Requirement describe() { return {.code = "accepted", .text = "must be accepted"}; }
};
struct IsKnown {
  static bool check(bool /*value*/) { return true; }
  static Requirement describe() { return {.code = "known", .text = "must be known"}; }
};

TEST(Rules, hold_for_boxes_in_forms) {
  struct Order {
    Validated<bool, IsTrue> terms;
    Validated<bool, IsKnown> news;
    std::optional<Validated<bool, IsTrue>> more;
  };
  const auto told = [](std::string_view pairs) {
    Order order{};
    std::string all;
    for (const FieldError& error : read_pairs(reflect::type_of<Order>(), &order, pairs)) {
      all += error.pointer + " " + error.detail + "; ";
    }
    return all + (order.terms ? "terms " : "") + (order.news ? "news" : "");
  };
  EXPECT_EQ(told("terms=on&news=on&more=on"), "terms news");
  EXPECT_EQ(told("terms=true"), "terms ");
  EXPECT_EQ(told("terms=on&more="), "terms ");
  EXPECT_EQ(told(""), "terms must be accepted; ");
  EXPECT_EQ(told("terms=false&more=false"), "terms must be accepted; more must be accepted; ");
  EXPECT_EQ(told("terms=yes"), "terms must be true or false; ");
}

TEST(Rules, hold_for_lists_in_queries) {
  struct Search {
    Validated<std::vector<int>, Unique, HasLength<1, 3>> ids;
    Sized<std::set<std::string>, 0, 2> tags;
    Sized<std::vector<int>, 1, 2> more = std::vector<int>{1};
  };
  const auto told = [](std::string_view pairs) {
    Search search;
    std::string all;
    for (const FieldError& error : read_pairs(reflect::type_of<Search>(), &search, pairs)) {
      all += error.pointer + " " + error.detail + "; ";
    }
    return all;
  };
  EXPECT_EQ(told("ids=1&ids=2&tags=a"), "");
  EXPECT_EQ(told(""), "ids must have 1 to 3 elements; ");
  EXPECT_EQ(told("ids=1&ids=1&tags=a&tags=b&tags=c"),
            "ids must not contain duplicates; tags must have at most 2 elements; ");
  EXPECT_EQ(told("ids=x&ids=1&ids=1"), "ids must be an integer; ");
}

}  // namespace
}  // namespace eider
