#include "eider/protocols/http/accept.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace eider {
namespace {

constexpr std::string_view kLanguages[] = {"en", "de", "pt-BR", "zh-Hant"};

struct AskedLanguage {
  std::string_view field;
  std::string_view chosen;  // empty: none
};

constexpr AskedLanguage kAskedLanguages[] = {
    {"de", "de"},
    {"DE", "de"},
    {"de-AT", "de"},
    {"de-AT-1996, en", "de"},
    {"en, de", "en"},
    {"en;q=0.5, de", "de"},
    {"fr, de;q=0.1", "de"},
    {"fr", ""},
    {"pt", ""},
    {"pt-br", "pt-BR"},
    {"zh-Hant-TW", "zh-Hant"},
    {"*", "en"},
    {"fr, *;q=0.5", "en"},
    {"en;q=0, *;q=0.5", "de"},
    {"EN;q=0.2, *", "de"},
    {"*, en;q=0, de;q=0, pt;q=0, zh;q=0.1", "zh-Hant"},
    {"en;q=0, de;q=0, pt;q=0, zh-Hant;q=0, *", ""},
    {"de;q=0", ""},
    {"de;q=2, pt-BR;q=0.1", "pt-BR"},
    {"", ""},
    {",;,-,", ""},
    {"d-", ""},
};

TEST(ChooseLanguage, takes_the_one_that_is_wanted_most) {
  for (const AskedLanguage& one : kAskedLanguages) {
    const auto chosen = choose_language(one.field, kLanguages);
    EXPECT_EQ(chosen ? kLanguages[*chosen] : "", one.chosen) << one.field;
  }
}

TEST(ChooseLanguage, has_none_to_choose_from_an_empty_offer) {
  EXPECT_FALSE(choose_language("*, de", {}).has_value());
}

TEST(ChooseLanguage, does_not_look_at_a_huge_field) {
  EXPECT_FALSE(choose_language("de," + std::string(kAcceptLanguageBytesMax, 'x'), kLanguages));
}

}  // namespace
}  // namespace eider
