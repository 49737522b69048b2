#include "eider/web/locale/locale.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <thread>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

/// 2026-11-23T14:05:09Z, a Monday.
const Locale::Moment kWhen =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 23) + 14h + 5min + 9s;

/// The results of Intl in Node.js 20 (CLDR 48), except for the kind of a space or an apostrophe:
/// cases that do not change between versions of CLDR.
struct Said {
  const char* tag;
  const char* number;    // -1234567.891
  const char* share;     // 0.256
  const char* money;     // 1234.50 EUR
  const char* brief;     // the day
  const char* verbose;   // same
  const char* time;      // in Kolkata
  const char* relative;  // three minutes ago
};

constexpr std::array<Said, 8> kSaid = {{
    {"en-GB", "-1,234,567.891", "26%", "€1,234.50", "23/11/2026", "23 November 2026", "19:35",
     "3 minutes ago"},
    {"en-IN", "-12,34,567.891", "26%", "€1,234.50", "23/11/26", "23 November 2026", "7:35\u202fpm",
     "3 minutes ago"},
    {"de", "-1.234.567,891", "26\u00a0%", "1.234,50\u00a0€", "23.11.26", "23. November 2026",
     "19:35", "vor 3 Minuten"},
    {"de-CH", "-1’234’567.891", "26%", "EUR\u00a01’234.50", "23.11.26", "23. November 2026",
     "19:35", "vor 3 Minuten"},
    {"fr", "-1\u202f234\u202f567,891", "26\u00a0%", "1\u202f234,50\u00a0€", "23/11/2026",
     "23 novembre 2026", "19:35", "il y a 3 minutes"},
    {"es", "-1.234.567,891", "26\u00a0%", "1234,50\u00a0€", "23/11/26", "23 de noviembre de 2026",
     "19:35", "hace 3 minutos"},
    {"pl", "-1\u00a0234\u00a0567,891", "26%", "1234,50\u00a0€", "23.11.2026", "23 listopada 2026",
     "19:35", "3 minuty temu"},
    {"ja", "-1,234,567.891", "26%", "€1,234.50", "2026/11/23", "2026年11月23日", "19:35", "3 分前"},
}};

TEST(Locale, SaysWhatOthersOfTheSameDataSay) {
  for (const Said& said : kSaid) {
    const Locale here(said.tag, "Asia/Kolkata");
    EXPECT_EQ(here.number(-1234567.891), said.number) << said.tag;
    EXPECT_EQ(here.percent(0.256), said.share) << said.tag;
    EXPECT_EQ(here.money("1234.50", "EUR"), said.money) << said.tag;
    EXPECT_EQ(here.date(kWhen, TimeLength::brief), said.brief) << said.tag;
    EXPECT_EQ(here.date(kWhen, TimeLength::verbose), said.verbose) << said.tag;
    EXPECT_EQ(here.time(kWhen), said.time) << said.tag;
    EXPECT_EQ(here.relative(kWhen - 3min, kWhen), said.relative) << said.tag;
  }
}

TEST(Locale, WritesTheDigitsOfTheRegion) {
  EXPECT_EQ(Locale("ar-EG").number(1234), "١٬٢٣٤");
  EXPECT_EQ(Locale("ar-EG-u-nu-latn").number(1234), "1,234");
  EXPECT_EQ(Locale("fa").number(12), "۱۲");
}

TEST(Locale, NumbersHaveTheirPlaces) {
  const Locale here("de");
  EXPECT_EQ(here.number(2.0), "2");
  EXPECT_EQ(here.number(2.0, {.decimals_min = 2}), "2,00");
  EXPECT_EQ(here.number(2.34567, {.decimals_max = 1}), "2,3");
  EXPECT_EQ(here.number(2.6, {.decimals_max = 0}), "3");
  EXPECT_EQ(here.number(2.5, {.decimals_min = -1, .decimals_max = 99}), "2,5");
  EXPECT_EQ(here.number(1'234'567, {.is_compact = true}), "1,2\u00a0Mio.");
  EXPECT_EQ(here.number(std::numeric_limits<std::int64_t>::min()), "-9.223.372.036.854.775.808");
  EXPECT_EQ(here.number(std::numeric_limits<std::uint64_t>::max()), "18.446.744.073.709.551.615");
  EXPECT_EQ(here.percent(0.12345, 1), "12,3\u00a0%");
}

TEST(Locale, DecimalsAreExact) {
  const Locale here("en");
  EXPECT_EQ(here.decimal("12345678901234567890.123"), "12,345,678,901,234,567,890.123");
  EXPECT_EQ(here.decimal("-0.10", {.decimals_min = 2}), "-0.10");
  EXPECT_EQ(here.money("0.1", "USD"), "$0.10");
  EXPECT_EQ(here.money("1234567", "JPY"), "¥1,234,567");
  for (const char* const none : {"", "-", ".", "1.", ".5", "1e9", "NaN", "Infinity", " 1", "1,5",
                                 "+1", "1.2.3", "--1", "0x10"}) {
    EXPECT_THROW((void)here.decimal(none), Failure) << none;
    EXPECT_THROW((void)here.money(none, "EUR"), Failure) << none;
  }
  for (const char* const none : {"", "EU", "eur", "EURO", "E/R", "€"}) {
    EXPECT_THROW((void)here.money("1", none), Failure) << none;
  }
}

TEST(Locale, TimesAreOfTheirZone) {
  EXPECT_EQ(Locale("de").time(kWhen), "14:05");
  EXPECT_EQ(Locale("de", "Europe/Zurich").time(kWhen), "15:05");
  EXPECT_EQ(Locale("de", "Europe/Zurich").time(kWhen - std::chrono::days(120)), "16:05");
  EXPECT_EQ(Locale("de").in_zone("Pacific/Kiritimati").date(kWhen), "24.11.2026");
  EXPECT_EQ(Locale("de").date_time(kWhen), "23.11.2026, 14:05");
  EXPECT_EQ(Locale("de", "Pacific/Kiritimati").date(std::chrono::year(2026) / 1 / 2), "02.01.2026");
  EXPECT_EQ(Locale("de").date(kWhen, TimeLength::full), "Montag, 23. November 2026");
  // ICU would use the Julian calendar: 23.12.1499 and 04.10.1582.
  EXPECT_EQ(Locale("de").date(std::chrono::year(1500) / 1 / 1), "01.01.1500");
  EXPECT_EQ(Locale("de").date(std::chrono::year(1582) / 10 / 14), "14.10.1582");
  EXPECT_EQ(
      Locale("de").date(Locale::Moment(std::chrono::sys_days(std::chrono::year(1066) / 10 / 20))),
      "20.10.1066");
  EXPECT_NE(Locale("th-TH-u-ca-buddhist").date(std::chrono::year(1500) / 1 / 1), "");
  for (const char* const zone : {"UTC", "Europe/Zurich", "Asia/Kolkata", "Asia/Calcutta",
                                 "America/Argentina/Buenos_Aires", "Etc/GMT+3"}) {
    EXPECT_TRUE(Locale::is_zone(zone)) << zone;
  }
  const std::string hostile(100'000, 'a');
  for (const std::string_view zone :
       {std::string_view(), std::string_view("Mars/Olympus"), std::string_view("GMT+3"),
        std::string_view("Europe/Zürich"), std::string_view("../etc/passwd"),
        std::string_view("UTC\0", 4), std::string_view(hostile), std::string_view("Etc/Unknown")}) {
    EXPECT_FALSE(Locale::is_zone(zone)) << zone.substr(0, 40);
    EXPECT_THROW(Locale("de", zone), Failure);
  }
}

TEST(Locale, SpansAreSaidInTheirLargestUnit) {
  const Locale here("en");
  using std::chrono::days;
  EXPECT_EQ(here.relative(kWhen, kWhen), "in 0 seconds");
  EXPECT_EQ(here.relative(kWhen - 59s, kWhen), "59 seconds ago");
  EXPECT_EQ(here.relative(kWhen + 60s, kWhen), "in 1 minute");
  EXPECT_EQ(here.relative(kWhen - 23h - 59min, kWhen), "23 hours ago");
  EXPECT_EQ(here.relative(kWhen + days(6), kWhen), "in 6 days");
  EXPECT_EQ(here.relative(kWhen - days(20), kWhen), "2 weeks ago");
  EXPECT_EQ(here.relative(kWhen - days(364), kWhen), "12 months ago");
  EXPECT_EQ(here.relative(kWhen - days(800), kWhen), "2 years ago");
  EXPECT_EQ(here.relative(Locale::Moment::max(), Locale::Moment::min()), "in 584,942,417 years");
  EXPECT_NE(here.date(Locale::Moment::max()), "");
}

TEST(Locale, WhatIsNoLanguageIsEnglish) {
  const std::string hostile(100'000, 'a');
  for (const std::string_view tag :
       {std::string_view(), std::string_view("x"), std::string_view("tlh"),
        std::string_view("../../de"), std::string_view("de\0CH", 5), std::string_view(hostile),
        std::string_view("de@currency=EUR"), std::string_view("de_CH"), std::string_view("-"),
        std::string_view("de-%s")}) {
    EXPECT_EQ(Locale(tag).tag(), "en") << tag.substr(0, 40);
    EXPECT_EQ(Locale(tag).number(1234.5), "1,234.5");
  }
}

TEST(Locale, ManyFormsAndThreadsAreServed) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([] {
      for (int places = 0; places < 600; ++places) {
        const NumberForm form{.decimals_min = places % 31, .decimals_max = places / 20};
        EXPECT_TRUE(Locale(places % 2 == 0 ? "de" : "fr").number(1.0, form).starts_with("1"));
        EXPECT_EQ(Locale("de").date(kWhen), "23.11.2026");
      }
    });
  }
}

TEST(Locale, AHandlerTakesThatOfItsRequest) {
  App app;
  add_languages(app, {.texts = {{"de", {}}, {"de-CH", {}}}});
  app.get("/", [](const Locale& here) { return here.number(1234.5); });
  TestClient client(std::move(app));
  const auto in = [&client](std::string languages) {
    return client.send({.target = "/", .headers = {{"Accept-Language", std::move(languages)}}});
  };
  const TestResponse reply = in("de-CH");
  EXPECT_EQ(reply.body, "1’234.5");
  EXPECT_EQ(reply.header("Content-Language"), "de-CH");
  EXPECT_TRUE(reply.header("Vary").value_or("").contains("Accept-Language"));
  EXPECT_EQ(in("de-AT, fr").body, "1.234,5");
  EXPECT_EQ(client.get("/").body, "1,234.5");
}

TEST(Locale, TemplatesHaveItAsFilters) {
  EXPECT_EQ(locale::number(1234.5, "de"), "1.234,5");
  EXPECT_EQ(locale::percent(0.5, "en"), "50%");
  EXPECT_EQ(locale::money("9.9", "CHF", "de-CH"), "CHF\u00a09.90");
  EXPECT_EQ(locale::date_in(kWhen, "de", "UTC"), "23.11.2026");
  EXPECT_EQ(locale::time_in(kWhen, "de", "Europe/Zurich"), "15:05");
}

TEST(Translator, SaysNumbersAndTimesAsItsLanguageDoes) {
  const auto languages = Languages::open({.texts = {{"de", {}}, {"de-CH", {}}}});
  ASSERT_TRUE(languages) << languages.error();
  for (const char* tag : {"de", "de-CH", "en"}) {
    const Translator tr = languages->translator(tag);
    const Locale here(tag);
    EXPECT_EQ(tr.number(-1234567.891), here.number(-1234567.891));
    EXPECT_EQ(tr.number(1234567, {.is_compact = true}), here.number(1234567, {.is_compact = true}));
    EXPECT_EQ(tr.decimal("1234567.10", {.decimals_min = 2}),
              here.decimal("1234567.10", {.decimals_min = 2}));
    EXPECT_EQ(tr.percent(0.256, 1), here.percent(0.256, 1));
    EXPECT_EQ(tr.money("1234.50", "CHF"), here.money("1234.50", "CHF"));
    EXPECT_EQ(tr.date(kWhen, TimeLength::full), here.date(kWhen, TimeLength::full));
    EXPECT_EQ(tr.date(std::chrono::year(2026) / 11 / 23), here.date(kWhen));
    EXPECT_EQ(tr.time(kWhen), here.time(kWhen));
    EXPECT_EQ(tr.date_time(kWhen), here.date_time(kWhen));
    EXPECT_EQ(tr.relative(kWhen, kWhen + 3min), here.relative(kWhen, kWhen + 3min));
  }
  EXPECT_EQ(languages->translator("de").number(1234.5), "1.234,5");
  EXPECT_EQ(languages->translator("de").date(std::chrono::year(2026) / 11 / 23), "23.11.2026");
}

}  // namespace
}  // namespace eider
