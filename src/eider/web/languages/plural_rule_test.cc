#include "eider/web/languages/plural_rule.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace eider::detail::languages {
namespace {

/// From the gettext manual and CLDR.
constexpr const char* kPolishRule =
    "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);";
constexpr const char* kRussianRule =
    "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) "
    "? 1 : 2);";
constexpr const char* kArabicRule =
    "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? "
    "4 : 5);";

using Forms = std::vector<std::pair<std::uint64_t, std::size_t>>;

void expect_forms(const char* text, const Forms& forms) {
  const auto rule = PluralRule::parse(text);
  ASSERT_TRUE(rule) << rule.error();
  for (const auto& [number, form] : forms) {
    EXPECT_EQ(rule->form_of(number), form) << number << " by " << text;
  }
}

std::uint64_t value_of(const std::string& expression, std::uint64_t n = 7) {
  const auto rule = PluralRule::parse("nplurals=8; plural=" + expression + ";");
  return rule ? rule->form_of(n) : 100;
}

TEST(PluralRule, WithoutTextIsThatOfEnglish) {
  const PluralRule rule;
  EXPECT_EQ(rule.count(), 2U);
  EXPECT_EQ(rule.form_of(1), 0U);
  for (const std::uint64_t many : {0U, 2U, 11U, 100U}) {
    EXPECT_EQ(rule.form_of(many), 1U) << many;
  }
}

TEST(PluralRule, OfPolishTellsOneFewAndMany) {
  expect_forms(kPolishRule, {{0, 2},
                             {1, 0},
                             {2, 1},
                             {4, 1},
                             {5, 2},
                             {11, 2},
                             {12, 2},
                             {14, 2},
                             {21, 2},
                             {22, 1},
                             {24, 1},
                             {25, 2},
                             {101, 2},
                             {102, 1},
                             {112, 2},
                             {1000000, 2}});
}

TEST(PluralRule, OfRussianTakesOneForTwentyOneAndNotForEleven) {
  expect_forms(kRussianRule, {{0, 2},
                              {1, 0},
                              {2, 1},
                              {5, 2},
                              {11, 2},
                              {12, 2},
                              {21, 0},
                              {22, 1},
                              {101, 0},
                              {111, 2},
                              {121, 0},
                              {1001, 0}});
}

TEST(PluralRule, OfArabicHasSixForms) {
  expect_forms(kArabicRule, {{0, 0},
                             {1, 1},
                             {2, 2},
                             {3, 3},
                             {10, 3},
                             {11, 4},
                             {99, 4},
                             {100, 5},
                             {102, 5},
                             {103, 3},
                             {110, 3},
                             {111, 4},
                             {200, 5}});
}

TEST(PluralRule, BindsAsCDoes) {
  EXPECT_EQ(value_of("1+2*3"), 7U);
  EXPECT_EQ(value_of("(1+2)*2"), 6U);
  EXPECT_EQ(value_of("7-2-1"), 4U);
  EXPECT_EQ(value_of("7/2%2"), 1U);
  EXPECT_EQ(value_of("1 || 0 && 0"), 1U);
  EXPECT_EQ(value_of("!0+1"), 2U);
  EXPECT_EQ(value_of("!!n"), 1U);
  EXPECT_EQ(value_of("1<2==1"), 1U);
  EXPECT_EQ(value_of("3>2>1"), 0U);
  EXPECT_EQ(value_of("2<=2"), 1U);
  EXPECT_EQ(value_of("0?1:0?2:3"), 3U);
  EXPECT_EQ(value_of("1?0?4:5:6"), 5U);
  EXPECT_EQ(value_of("n!=7"), 0U);
}

TEST(PluralRule, DividedByZeroIsTheFirstForm) {
  EXPECT_EQ(value_of("5/(n-n)"), 0U);
  EXPECT_EQ(value_of("1+5%0"), 0U);
  EXPECT_EQ(value_of("!(1/0)"), 0U);
  EXPECT_EQ(value_of("1/0 ? 3 : 4"), 0U);
}

TEST(PluralRule, EvaluatesOnlyWhatDecides) {
  EXPECT_EQ(value_of("1 || 1/0"), 1U);
  EXPECT_EQ(value_of("(0 && 1/0)+2"), 2U);
  EXPECT_EQ(value_of("1 ? 3 : 1/0"), 3U);
}

TEST(PluralRule, GivesNoFormThatIsNotThere) {
  EXPECT_EQ(value_of("n", 8), 0U);
  EXPECT_EQ(value_of("0-1"), 0U);
  EXPECT_EQ(value_of("n*n", std::numeric_limits<std::uint64_t>::max()), 1U);
}

TEST(PluralRule, TakesBlanksAndNoLastSemicolon) {
  expect_forms("nplurals = 2 ;\tplural = n > 1", {{0, 0}, {1, 0}, {2, 1}});
}

TEST(PluralRule, RefusesWhatIsNone) {
  for (const char* const text : {"",
                                 "nplurals=2;",
                                 "plural=n!=1;",
                                 "nplurals=; plural=0;",
                                 "nplurals=0; plural=0;",
                                 "nplurals=9; plural=0;",
                                 "nplurals=-1; plural=0;",
                                 "nplurals=INTEGER; plural=EXPRESSION;",
                                 "nplurals=2; plural=;",
                                 "nplurals=2; plural=();",
                                 "nplurals=2; plural=(n;",
                                 "nplurals=2; plural=n);",
                                 "nplurals=2; plural=n n;",
                                 "nplurals=2; plural=n=1;",
                                 "nplurals=2; plural=n & 1;",
                                 "nplurals=2; plural=n ? 1;",
                                 "nplurals=2; plural=? 1 : 2;",
                                 "nplurals=2; plural=n !;",
                                 "nplurals=2; plural=-1;",
                                 "nplurals=2; plural=system(n);",
                                 "nplurals=2; plural=99999999999999999999;",
                                 "nplurals=2; plural=m;",
                                 "nplurals=2; plural=nn;"}) {
    EXPECT_FALSE(PluralRule::parse(text)) << text;
  }
}

TEST(PluralRule, RefusesWhatWouldTakeTooMuch) {
  const std::string begin = "nplurals=2; plural=";
  EXPECT_TRUE(PluralRule::parse(begin + std::string(8, '(') + "n" + std::string(8, ')')));
  EXPECT_FALSE(PluralRule::parse(begin + std::string(400, '(') + "n" + std::string(400, ')')));
  EXPECT_FALSE(PluralRule::parse(begin + std::string(900, '!') + "n"));
  std::string chain = "n";
  for (int i = 0; i < 200; ++i) {
    chain += "+n";
  }
  EXPECT_FALSE(PluralRule::parse(begin + chain));
  EXPECT_FALSE(PluralRule::parse(begin + "n" + std::string(PluralRule::kTextBytesMax, ' ')));
}

TEST(PluralRule, CutAnywhereIsRefusedOrAnotherRule) {
  for (const std::string text : {kPolishRule, kRussianRule, kArabicRule}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      const auto rule = PluralRule::parse(text.substr(0, size));
      EXPECT_LT(rule ? rule->form_of(3) : 0, PluralRule::kFormsMax) << size;
    }
  }
}

}  // namespace
}  // namespace eider::detail::languages
