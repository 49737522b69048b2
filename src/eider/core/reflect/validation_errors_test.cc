#include "eider/core/reflect/validation_errors.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eider/app/handlers/pairs.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/constraints.h"

namespace eider {
namespace {

using Pointers = std::vector<std::string>;

template <class T>
Pointers told(std::string_view text) {
  const auto read = json::read<T>(text);
  Pointers all;
  if (!read) {
    for (const FieldError& field : read.error().fields()) {
      all.push_back(field.pointer + " " + field.detail);
    }
  }
  return all;
}

struct Span {
  int from;
  Bounded<int, 0, 99> to;

  void check(ValidationErrors& errors) const {
    if (to < from) {
      errors.add(to, "must not be before /from");
    }
    if (from == 13) {
      errors.add("must not begin with 13");
    }
  }
};

struct Item {
  std::string name;
  int count = 1;
};

struct Order {
  Item first;
  std::vector<Item> items;
  std::optional<Item> gift;
  std::array<int, 2> pair = {};
  std::optional<Span> span;
  std::vector<Span> spans = {{}};

  void check(ValidationErrors& errors) const {
    if (first.name.empty()) {
      errors.add(first, "must have a name");
      errors.add(first.name, "must be there");
    }
    for (const Item& item : items) {
      if (item.count == 0) {
        errors.add(item.count, "must be more");
      }
    }
    if (gift && gift->count != 1) {
      errors.add(gift->count, Requirement{"one", "must be {one}", {{"one", "1"}}});
    }
    if (pair[1] < pair[0]) {
      errors.add(pair[1], "must rise");
    }
  }
};

TEST(ValidationErrors, are_told_of_members_and_of_the_whole) {
  EXPECT_EQ(told<Span>(R"({"from":1,"to":2})"), Pointers());
  EXPECT_EQ(told<Span>(R"({"from":3,"to":2})"), Pointers{"/to must not be before /from"});
  EXPECT_EQ(told<Span>(R"({"from":13,"to":2})"),
            (Pointers{"/to must not be before /from", " must not begin with 13"}));
}

TEST(ValidationErrors, are_not_asked_for_where_members_are_wrong) {
  EXPECT_EQ(told<Span>(R"({"from":3,"to":-1})"), Pointers{"/to must be between 0 and 99"});
  EXPECT_EQ(told<Span>(R"({"to":2})"), Pointers{"/from is missing"});
  EXPECT_EQ(told<Span>(R"({"from":3,"to":2,"x":0})"), Pointers{"/x is not an allowed member"});
}

TEST(ValidationErrors, name_members_of_structs_within_and_of_lists) {
  EXPECT_EQ(
      told<Order>(R"({"first":{"name":""},"items":[{"name":"a"},{"name":"b","count":0}],)"
                  R"("gift":{"name":"c","count":2},"pair":[2,1],"spans":[]})"),
      (Pointers{"/first must have a name", "/first/name must be there",
                "/items/1/count must be more", "/gift/count must be 1", "/pair/1 must rise"}));
}

TEST(ValidationErrors, of_structs_within_come_with_their_path) {
  EXPECT_EQ(told<Order>(R"({"first":{"name":"a"},"items":[],"spans":[{"from":0,"to":1},)"
                        R"({"from":2,"to":1}],"span":{"from":13,"to":14}})"),
            (Pointers{"/spans/1/to must not be before /from", "/span must not begin with 13"}));
}

TEST(ValidationErrors, hold_in_variants) {
  struct Other {
    int x;
  };
  struct Holder {
    std::variant<Span, Other> either;
  };
  EXPECT_EQ(told<Holder>(R"({"either":{"type":"Span","from":3,"to":2}})"),
            Pointers{"/either/to must not be before /from"});
}

TEST(ValidationErrors, hold_in_queries_by_name) {
  Span span{};
  const auto errors = read_pairs(reflect::type_of<Span>(), &span, "from=13&to=2");
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].pointer, "to");
  EXPECT_EQ(errors[1].pointer, "");
}

struct Loose {
  int value;
  std::unique_ptr<Item> owned;
  std::map<std::string, int> named;

  void check(ValidationErrors& errors) const {
    const int copy = value;
    errors.add(copy, "a copy");
    if (owned != nullptr) {
      errors.add(owned->count, "owned");
    }
    if (!named.empty()) {
      errors.add(named.begin()->second, "named");
    }
  }
};

TEST(ValidationErrors, of_what_is_not_a_member_are_the_structs) {
  EXPECT_EQ(told<Loose>(R"({"value":1,"owned":{"name":"a"},"named":{"a":1}})"),
            (Pointers{" a copy", " owned", " named"}));
}

struct Many {
  int value;
  void check(ValidationErrors& errors) const {
    for (int i = 0; i < 1000; ++i) {
      errors.add(value, "again");
    }
  }
};

TEST(ValidationErrors, are_bounded) {
  EXPECT_EQ(told<Many>(R"({"value":1})").size(), ValidationErrors::kMax);
  EXPECT_EQ(told<std::vector<Many>>(R"([{"value":1},{"value":1}])").size(), 32U);
}

struct Flagged {
  bool check;  // a data member with that name is not a rule
};

TEST(ValidationErrors, are_not_looked_for_in_a_member_named_check) {
  EXPECT_EQ(json::read<Flagged>(R"({"check":true})")->check, true);
}

}  // namespace
}  // namespace eider
