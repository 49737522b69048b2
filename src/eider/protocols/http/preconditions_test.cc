#include "eider/protocols/http/preconditions.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace eider {
namespace {

constexpr std::int64_t kModified = 784111777;
constexpr std::int64_t kToday = 1'700'000'000;
constexpr std::string_view kSame = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kEarlier = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view kLater = "Sun, 06 Nov 1994 08:49:38 GMT";

using Fields = std::vector<Field>;

Representation representation() {
  return {.tag = EntityTag{"a"}, .modified_seconds = kModified};
}

Verdict judge(Method method, const Fields& fields, const Representation& it = representation()) {
  return evaluate_preconditions(method, fields, it, kToday);
}

/// A value of a conditional field, and the result of its condition when it is evaluated.
struct Value {
  std::string_view text;
  enum class Comes { absent, ignored, holds, fails } to;
};
using Comes = Value::Comes;

constexpr Value kIfMatch[] = {
    {"", Comes::absent},           {"*", Comes::holds},          {R"("a")", Comes::holds},
    {R"("b", "a")", Comes::holds}, {R"("b")", Comes::fails},     {R"(W/"a")", Comes::fails},
    {"a", Comes::fails},           {R"("b" "a")", Comes::fails}, {R"(*, "b")", Comes::fails},
};
constexpr Value kIfUnmodifiedSince[] = {
    {"", Comes::absent},      {kSame, Comes::holds},         {kLater, Comes::holds},
    {kEarlier, Comes::fails}, {"yesterday", Comes::ignored},
};
// The condition holds if none of these matches.
constexpr Value kIfNoneMatch[] = {
    {"", Comes::absent},        {"*", Comes::fails},           {R"("a")", Comes::fails},
    {R"(W/"a")", Comes::fails}, {R"("b", "a")", Comes::fails}, {R"("b")", Comes::holds},
    {"a", Comes::holds},        {R"("b" "a")", Comes::holds},
};
constexpr Value kIfModifiedSince[] = {
    {"", Comes::absent},      {kSame, Comes::fails},         {kLater, Comes::fails},
    {kEarlier, Comes::holds}, {"784111777", Comes::ignored},
};

/// Section 13.2.2, step by step.
Verdict by_the_book(Method method, Comes match, Comes unmodified, Comes none_match,
                    Comes modified) {
  const bool reads = method == Method::get || method == Method::head;
  if (match == Comes::fails || (match == Comes::absent && unmodified == Comes::fails)) {
    return Verdict::failed;
  }
  if (none_match == Comes::fails) {
    return reads ? Verdict::not_modified : Verdict::failed;
  }
  if (reads && none_match == Comes::absent && modified == Comes::fails) {
    return Verdict::not_modified;
  }
  return Verdict::proceed;
}

Fields fields_of(std::initializer_list<std::pair<std::string_view, Value>> lines) {
  Fields fields{{"Host", "test"}};
  for (const auto& [name, value] : lines) {
    if (value.to != Comes::absent) {
      fields.push_back({name, value.text});
    }
  }
  return fields;
}

std::string text_of(const Fields& fields) {
  std::string text;
  for (const Field& field : fields) {
    text.append(field.name).append(": ").append(field.value).append("; ");
  }
  return text;
}

/// Calls `check(fields, match, unmodified, none_match, modified)` with each combination.
template <class Check>
void each_combination(Check check) {
  for (const Value& match : kIfMatch) {
    for (const Value& unmodified : kIfUnmodifiedSince) {
      for (const Value& none_match : kIfNoneMatch) {
        for (const Value& modified : kIfModifiedSince) {
          check(fields_of({{"If-Modified-Since", modified},
                           {"If-None-Match", none_match},
                           {"If-Unmodified-Since", unmodified},
                           {"If-Match", match}}),
                match.to, unmodified.to, none_match.to, modified.to);
        }
      }
    }
  }
}

TEST(Preconditions, are_evaluated_in_the_order_of_the_book) {
  int count = 0;
  for (const Method method : {Method::get, Method::head, Method::put, Method::delete_}) {
    each_combination([&](const Fields& fields, Comes a, Comes b, Comes c, Comes d) {
      EXPECT_EQ(judge(method, fields), by_the_book(method, a, b, c, d))
          << to_text(method) << ' ' << text_of(fields);
      ++count;
    });
  }
  EXPECT_EQ(count, 4 * 9 * 5 * 8 * 5);
}

TEST(Preconditions, of_what_is_absent_know_only_that) {
  const Representation absent{.presence = Representation::Presence::absent};
  for (const Method method : {Method::get, Method::put}) {
    each_combination([&](const Fields& fields, Comes match, Comes, Comes, Comes) {
      const Verdict wanted = match == Comes::absent ? Verdict::proceed : Verdict::failed;
      EXPECT_EQ(judge(method, fields, absent), wanted) << text_of(fields);
    });
  }
}

TEST(Preconditions, without_validators_only_a_star_matches) {
  const Representation bare;
  EXPECT_EQ(judge(Method::get, {{"If-None-Match", "\"a\""}}, bare), Verdict::proceed);
  EXPECT_EQ(judge(Method::get, {{"If-None-Match", "*"}}, bare), Verdict::not_modified);
  EXPECT_EQ(judge(Method::get, {{"If-Match", "\"a\""}}, bare), Verdict::failed);
  EXPECT_EQ(judge(Method::get, {{"If-Match", "*"}}, bare), Verdict::proceed);
  EXPECT_EQ(judge(Method::get, {{"If-Modified-Since", kLater}}, bare), Verdict::proceed);
  EXPECT_EQ(judge(Method::get, {{"If-Unmodified-Since", kEarlier}}, bare), Verdict::proceed);
}

TEST(Preconditions, take_names_in_any_case_and_lists_over_several_lines) {
  EXPECT_EQ(judge(Method::get, {{"IF-NONE-MATCH", "\"b\""}, {"if-none-match", "\"a\""}}),
            Verdict::not_modified);
  EXPECT_EQ(judge(Method::put, {{"If-Match", "\"b\""}, {"If-Match", "\"a\""}}), Verdict::proceed);
  EXPECT_EQ(judge(Method::put, {{"If-Match", "\"b\""}, {"If-Match", "\"c\""}}), Verdict::failed);
}

TEST(Preconditions, ignore_a_date_that_comes_twice) {
  EXPECT_EQ(judge(Method::get, {{"If-Modified-Since", kSame}, {"If-Modified-Since", kSame}}),
            Verdict::proceed);
  EXPECT_EQ(
      judge(Method::get, {{"If-Unmodified-Since", kEarlier}, {"If-Unmodified-Since", kEarlier}}),
      Verdict::proceed);
}

TEST(Preconditions, with_a_weak_tag_never_match_strongly) {
  const Representation weak{.tag = EntityTag{"a", TagStrength::weak}};
  EXPECT_EQ(judge(Method::put, {{"If-Match", "W/\"a\""}}, weak), Verdict::failed);
  EXPECT_EQ(judge(Method::get, {{"If-None-Match", "W/\"a\""}}, weak), Verdict::not_modified);
  EXPECT_EQ(judge(Method::get, {{"If-None-Match", "\"a\""}}, weak), Verdict::not_modified);
}

bool applies(const Fields& more, Method method = Method::get,
             const Representation& it = representation(), std::int64_t now = kToday) {
  Fields fields{{"Range", "bytes=0-1"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return applicable_range(method, fields, it, now).has_value();
}

TEST(ApplicableRange, is_that_of_a_get) {
  EXPECT_TRUE(applies({}));
  for (const Method method : {Method::head, Method::put, Method::post, Method::unknown}) {
    EXPECT_FALSE(applies({}, method));
  }
  EXPECT_EQ(applicable_range(Method::get, Fields{}, representation(), kToday), std::nullopt);
  EXPECT_FALSE(applies({{"range", "bytes=2-3"}}));
  EXPECT_FALSE(applies({}, Method::get, {.presence = Representation::Presence::absent}));
}

TEST(ApplicableRange, asks_if_range_for_the_very_same_representation) {
  EXPECT_TRUE(applies({{"If-Range", "\"a\""}}));
  EXPECT_TRUE(applies({{"if-range", kSame}}));
  EXPECT_TRUE(applies({{"If-Range", "Sunday, 06-Nov-94 08:49:37 GMT"}}));
  for (const std::string_view validator :
       {std::string_view("\"b\""), std::string_view("W/\"a\""), std::string_view("a"),
        std::string_view("*"), std::string_view(""), std::string_view("\"a\", \"b\""), kEarlier,
        kLater, std::string_view("yesterday")}) {
    EXPECT_FALSE(applies({{"If-Range", validator}})) << validator;
  }
  EXPECT_FALSE(applies({{"If-Range", "\"a\""}, {"If-Range", "\"a\""}}));
}

TEST(ApplicableRange, takes_no_weak_validator) {
  EXPECT_FALSE(
      applies({{"If-Range", "W/\"a\""}}, Method::get, {.tag = EntityTag{"a", TagStrength::weak}}));
  EXPECT_FALSE(
      applies({{"If-Range", "\"a\""}}, Method::get, {.tag = EntityTag{"a", TagStrength::weak}}));
  EXPECT_FALSE(applies({{"If-Range", kSame}}, Method::get, representation(), kModified));
  EXPECT_TRUE(applies({{"If-Range", kSame}}, Method::get, representation(), kModified + 1));
  EXPECT_FALSE(applies({{"If-Range", kSame}}, Method::get, {.tag = EntityTag{"a"}}));
  EXPECT_FALSE(applies({{"If-Range", "\"a\""}}, Method::get, {.modified_seconds = kModified}));
}

}  // namespace
}  // namespace eider
