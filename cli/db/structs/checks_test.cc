#include <gtest/gtest.h>

#include "cli/db/structs/schema.h"

namespace eider::structs {
namespace {

using db::Dialect;

/// Returns the descriptions of the columns that a check changes: "stars: 0 to 5".
std::string checked(std::string_view sql, Dialect dialect = Dialect::sqlite) {
  Table table{"notes", {{"title"}, {"stars"}, {"state"}, {"data"}}};
  add_checks(sql, dialect, table);
  std::string all;
  for (const Column& column : table.columns) {
    const std::string description = description_of(column);
    if (description != "without a type") {
      all += (all.empty() ? "" : "; ") + column.name + ": " +
             description.substr(description.starts_with("without a type, ") ? 16 : 0);
    }
  }
  return all;
}

TEST(CheckConstraints, with_a_range_limit_a_number) {
  EXPECT_EQ(checked("check(stars between 0 and 5)"), "stars: 0 to 5");
  EXPECT_EQ(checked("CHECK ((\"stars\" >= -3) and stars < 10)"), "stars: -3 to 9");
  EXPECT_EQ(checked("check(stars > 0)"), "stars: at least 1");
  EXPECT_EQ(checked("CHECK (((stars >= 0) AND (stars <= 5)))", Dialect::postgres), "stars: 0 to 5");
  EXPECT_EQ(checked("CHECK ((stars >= '-5'::integer))", Dialect::postgres), "stars: at least -5");
  EXPECT_EQ(checked("check (`stars` between 0 and 5)", Dialect::mariadb), "stars: 0 to 5");
  EXPECT_EQ(checked("check(stars is null or stars between 0 and 5)"), "stars: 0 to 5");
  EXPECT_EQ(
      checked("CHECK (((stars IS NULL) OR ((stars >= 0) AND (stars <= 5))))", Dialect::postgres),
      "stars: 0 to 5");
}

TEST(CheckConstraints, with_a_list_give_the_labels) {
  EXPECT_EQ(checked("check(state in ('open', 'it''s'))"), "state: in ('open', 'it's')");
  EXPECT_EQ(checked("CHECK ((state = ANY (ARRAY['open'::text, 'done'::text])))", Dialect::postgres),
            "state: in ('open', 'done')");
  EXPECT_EQ(checked("CHECK (((state)::text = ANY ((ARRAY['open'::character varying, 'done'::"
                    "character varying])::text[])))",
                    Dialect::postgres),
            "state: in ('open', 'done')");
  EXPECT_EQ(checked("CHECK ((state = 'open'::text))", Dialect::postgres), "state: in ('open')");
  EXPECT_EQ(checked("check (`state` in ('open','done'))", Dialect::mariadb),
            "state: in ('open', 'done')");
}

TEST(CheckConstraints, with_a_length_limit_the_characters) {
  EXPECT_EQ(checked("check(length(title) between 1 and 200)"), "title: 1 to 200 characters");
  EXPECT_EQ(checked("CHECK (((char_length((title)::text) >= 1) AND (char_length((title)::text) <= "
                    "200)))",
                    Dialect::postgres),
            "title: 1 to 200 characters");
  // `length` counts bytes: 8 bytes may be 2 characters.
  EXPECT_EQ(checked("check (length(`title`) between 8 and 200)", Dialect::mariadb),
            "title: 1 to 200 characters");
}

TEST(CheckConstraints, of_bytes_limit_the_characters) {
  EXPECT_EQ(checked("check (octet_length(`title`) between 3 and 9)", Dialect::mariadb),
            "title: 1 to 9 characters");
  EXPECT_EQ(checked("CHECK ((octet_length(title) <= 9))", Dialect::postgres),
            "title: at most 9 characters");
}

TEST(CheckConstraints, that_are_combined_in_brackets_are_not_read_without_them) {
  EXPECT_EQ(checked("check((stars > 3 and stars < 10) = false)"), "");
  EXPECT_EQ(checked("check(false = (stars > 3 and stars < 10))"), "");
  EXPECT_EQ(checked("check(((stars > 3) and (stars < 10)) and state = 'a')"),
            "stars: 4 to 9; state: in ('a')");
}

TEST(CheckConstraints, with_two_lists_give_the_labels_of_both) {
  EXPECT_EQ(checked("check(state in ('a', 'b', 'c')) check(state in ('c', 'b', 'x'))"),
            "state: in ('c', 'b')");
}

TEST(CheckConstraints, are_found_in_the_text_of_a_table) {
  EXPECT_EQ(checked("create table notes(title text check(length(title) <= 9), -- check(stars > 1)\n"
                    "stars int, state text default 'check(x)', "
                    "constraint s check(state in ('a', 'b') and stars >= 0))"),
            "title: at most 9 characters; stars: at least 0; state: in ('a', 'b')");
  EXPECT_EQ(checked("check (json_valid(`data`))", Dialect::mariadb), "data: json");
}

TEST(CheckConstraints, that_end_anywhere_are_read_as_far_as_they_go) {
  constexpr std::string_view kAll =
      "check(((stars)::numeric(9)[] is null or stars between - '5'::integer and 'x\" '' y') and "
      "length((title)::character varying) >= 1 and state = ANY (ARRAY['a'::text, 'b'::text]) and "
      "json_valid(`data`) and [stars] in ('a', $$b$$, e'\\''))";
  for (std::size_t begin = 0; begin < kAll.size(); ++begin) {
    for (const Dialect dialect : {Dialect::sqlite, Dialect::postgres, Dialect::mariadb}) {
      (void)checked(kAll.substr(begin), dialect);
      (void)checked(kAll.substr(0, begin), dialect);
      (void)checked("check(" + std::string(kAll.substr(begin)), dialect);
    }
  }
}

TEST(CheckConstraints, of_another_form_change_nothing) {
  for (const char* sql :
       {"check(stars > 1 or state = 'open')", "check(not stars > 1)", "check(stars < rank)",
        "check(abs(stars) between 0 and 5)", "check(stars + 1 > 5)", "check(stars between 0 and n)",
        "check(state in (select name from states))", "check(lower(state) in ('a', 'b'))",
        "check(state in ('a', other))", "check(case when stars > 1 then state = 'a' end)",
        "check(stars > 1.5)", "check(stars >", "check(", "check", "check(stars in (1, 2))",
        "check(other between 0 and 5)", "check(stars > 99999999999999999999)"}) {
    EXPECT_EQ(checked(sql), "") << sql;
  }
}

}  // namespace
}  // namespace eider::structs
