// Values of every kind that members have, written into a column and read again: the same for each
// database. Must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/data/db/database.h"

namespace eider {

enum class TripColour : std::uint8_t { red, dark_blue };

struct TripPlace {
  std::string name;
  std::vector<int> numbers;
  friend bool operator==(const TripPlace&, const TripPlace&) = default;
};

template <class T>
struct TripRow {
  T v{};
};

/// A name of its own, as a prepared statement has the types of the first table of its name.
inline std::string new_trip_table() {
  static int count = 0;
  return "trips_" + std::to_string(++count);
}

/// Writes it into a new column, and reads it as a member and as a single value.
///
/// type  of the column
template <class T>
Task<> round_trip(Database on, std::string type, T value) {
  const std::string table = new_trip_table();
  const db::RuntimeSql create{"create table " + table + "(v " + type + ")"};
  const db::RuntimeSql insert{"insert into " + table + " values($1)"};
  const db::RuntimeSql select{"select v from " + table};
  const db::RuntimeSql drop{"drop table " + table};
  co_await on.exec(create);
  try {
    co_await on.exec(insert, value);
    const auto row = co_await on.template one<TripRow<T>>(select);
    EXPECT_TRUE(row && row->v == value) << type;
    if constexpr (!std::same_as<T, TripPlace>) {  // a struct is a row
      const auto single = co_await on.template one<T>(select);
      EXPECT_TRUE(single == value) << type;
    }
    const auto some = co_await on.template one<TripRow<std::optional<T>>>(select);
    EXPECT_TRUE(some && some->v == value) << type;
  } catch (const db::Failure& failure) {
    ADD_FAILURE() << type << ": " << failure.what();
  }
  co_await on.exec(drop);
}

namespace trips {

using namespace std::chrono_literals;

inline const auto kInstant =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + 18h + 5min + 7s;
inline const auto kPrecise = kInstant + 250ms + 125us;
inline const std::chrono::local_time<std::chrono::seconds> kLocal{kInstant.time_since_epoch()};
inline const std::chrono::year_month_day kDay = std::chrono::year(1815) / 12 / 9;
inline const TimeOfDay kClock = TimeOfDay::at(14h + 30min + 15s + 250ms);
inline const Uuid kUuid = *Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
inline const Decimal kPrice = *Decimal::parse("-1234.50");
inline const db::Blob kBytes{std::byte{0}, std::byte{255}, std::byte{'x'}};
inline const TripPlace kPlace{.name = "a \"b\"", .numbers = {1, -2}};

}  // namespace trips

/// How a database calls the types of columns.
struct TripTypes {
  std::string boolean, small, integer, bigint, real, text, bytes, date, time, instant, local, uuid,
      decimal, json;
};

/// Those that each database has a column for.
inline Task<> round_trips(Database on, TripTypes types) {
  co_await round_trip(on, types.boolean, true);
  co_await round_trip(on, types.small, std::int16_t{-32768});
  co_await round_trip(on, types.integer, 2147483647);
  co_await round_trip(on, types.bigint, std::int64_t{INT64_MIN});
  co_await round_trip(on, types.bigint, std::uint64_t{INT64_MAX});
  co_await round_trip(on, types.real, 0.1);
  co_await round_trip(on, types.text, std::string("\xC3\xA4 'b' \\ \n"));
  co_await round_trip(on, types.text, TripColour::dark_blue);
  co_await round_trip(on, types.text, std::chrono::seconds(-0));
  co_await round_trip(on, types.text, std::chrono::milliseconds(93'784'250));
  co_await round_trip(on, types.bytes, trips::kBytes);
  co_await round_trip(on, types.date, trips::kDay);
  co_await round_trip(on, types.time, trips::kClock);
  co_await round_trip(on, types.instant, trips::kInstant);
  co_await round_trip(on, types.instant, trips::kPrecise);
  co_await round_trip(on, types.local, trips::kLocal);
  co_await round_trip(on, types.uuid, trips::kUuid);
  co_await round_trip(on, types.decimal, trips::kPrice);
  co_await round_trip(on, types.json, trips::kPlace);
  co_await round_trip(on, types.json, std::vector<TripPlace>{trips::kPlace, {}});
  co_await round_trip(on, types.json, std::map<std::string, int>{{"a", 1}});
  co_await round_trip(on, types.json, std::vector<TripColour>{TripColour::dark_blue});
}

}  // namespace eider
