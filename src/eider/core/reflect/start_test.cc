#include "eider/core/reflect/start.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/core/reflect/type_of.h"

namespace eider::reflect {
namespace {

enum class Mood { good, bad };
struct Point {
  int x;
  int y;
};
struct Named {
  std::string name = "anonymous";
  int age = 7;
};
struct Other {
  int value;
};

template <class T>
std::string defaults_of() {
  std::string names;
  const Structure& structure = type_of<T>().structure();
  for (std::size_t i = 0; i < structure.count; ++i) {
    names += structure.has_default(i) ? std::string(structure.first[i].name) + " " : "";
  }
  return names;
}

TEST(Defaults, none_where_no_member_has_an_initialiser) {
  struct Plain {
    int a;
    bool b;
    std::string c;
    std::vector<int> d;
    std::optional<int> e;
    Point f;
    Named g;
    Bounded<int, 0, 9> h;
    std::map<std::string, int> i;
    std::variant<Point, Other> j;
    std::array<int, 3> k;
    Mood l;
    double m;
  };
  EXPECT_EQ(defaults_of<Plain>(), "");
  EXPECT_EQ(type_of<Point>().structure().default_bits, nullptr);
}

TEST(Defaults, every_initialiser_of_a_trivial_member_is_seen_zero_too) {
  struct Zeros {
    int a = 0;
    bool b = false;
    Mood c = Mood::good;
    double d = 0;
    Point e = {};
    Bounded<int, 0, 9> f = 0;
    std::array<int, 3> g = {};
    const char* h = nullptr;
  };
  EXPECT_EQ(defaults_of<Zeros>(), "a b c d e f g h ");
}

TEST(Defaults, neighbours_of_an_initialised_member_stay_required) {
  struct Mixed {
    int a;
    int b = 1;
    int c;
    std::int8_t d = 2;
    std::int8_t e;
    bool f;
    bool g = true;
    std::int64_t h;
    std::int64_t i = 3;
    std::int64_t j;
    int k = 4;
  };
  EXPECT_EQ(defaults_of<Mixed>(), "b d g i k ");
}

TEST(Defaults, an_initialiser_beside_class_members_is_seen) {
  struct Paging {
    std::string search;
    int page = 1;
    int unset;
    Bounded<int, 1, 100> per_page = 20;
    std::vector<std::string> tags;
  };
  EXPECT_EQ(defaults_of<Paging>(), "page per_page ");
}

TEST(Defaults, of_class_members_those_that_differ_from_an_empty_one_are_seen) {
  struct Filled {
    std::string a = "x";
    std::string b = "";  // indistinguishable from no initializer, unlike kOptional
    std::vector<int> c = {1};
    std::map<std::string, int> d = {{"a", 1}};
    Named e = {"someone", 7};
    Named f = {};
    std::variant<Point, Other> g = Other{1};
    Sized<std::string, 1, 9> h = "y";
  };
  EXPECT_EQ(defaults_of<Filled>(), "a c d e g h ");
}

TEST(Defaults, a_class_member_that_is_empty_at_first_may_be_absent_when_it_says_so) {
  struct Hook {
    std::string name;
    std::string url = kOptional;
    std::vector<std::string> tags = kOptional;
    std::vector<std::string> more;
    std::map<std::string, int> counts = kOptional;
    Sized<std::string, 0, 9> label = kOptional;
    Named author = kOptional;
    int last;
  };
  EXPECT_EQ(defaults_of<Hook>(), "url tags counts label author ");
  const Hook hook{};
  EXPECT_EQ(hook.url, "");
  EXPECT_EQ(hook.author.name, "anonymous");
}

TEST(Defaults, what_kEmpty_makes_within_a_member_is_not_the_member) {
  struct Inner {
    std::string text = kOptional;
  };
  struct Outer {
    Inner inner;
    std::vector<Inner> many;
    std::string text;
  };
  EXPECT_EQ(defaults_of<Outer>(), "");
}

struct Deep {
  std::string text = kOptional;
};
struct Reading {
  std::string before = kOptional;
  bool has_default = type_of<Deep>().structure().has_default(0);
  std::string after = kOptional;
  std::string none;
};

TEST(Defaults, an_initialiser_may_ask_for_the_defaults_of_another_struct) {
  EXPECT_EQ(defaults_of<Reading>(), "before has_default after ");
}

TEST(Defaults, kEmpty_is_for_what_is_returned_in_place) {
  static_assert(std::convertible_to<OptionalInitializer, std::string>);
  static_assert(std::convertible_to<OptionalInitializer, Named>);
  static_assert(!std::convertible_to<OptionalInitializer, int>);
  static_assert(!std::convertible_to<OptionalInitializer, Point>);  // Point{} is detected
}

TEST(Defaults, a_member_is_required_unless_optional_or_with_a_default) {
  struct Note {
    std::string title;
    std::optional<std::string> body;
    int stars = 0;
  };
  const Structure& note = type_of<Note>().structure();
  EXPECT_TRUE(note.is_required(0));
  EXPECT_FALSE(note.is_required(1));
  EXPECT_FALSE(note.is_required(2));
}

TEST(DefaultsDeathTest, a_member_aligned_by_hand_ends_the_program) {
  const Type& type = type_of<Point>();
  const Point point{};
  const void* const addresses[] = {&point.x, &point.x};
  EXPECT_DEATH(detail::check_layout(type, &point, addresses), "struct Point: the member y");
}

}  // namespace
}  // namespace eider::reflect
