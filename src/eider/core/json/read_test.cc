#include "eider/core/json/read.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "eider/core/base/shortened.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/value.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/validation_errors.h"

namespace eider::json {
namespace {

enum class Color { red, green };
struct Circle {
  double radius;
};
struct Square {
  float side = 1;
  std::optional<std::string> label;
};
struct Point {
  int x;
  int y;
};
struct Node {
  int id;
  std::vector<Node> children = {};
  std::optional<std::vector<Node>> more;
};
struct ReadNote {
  Sized<std::string, 1, 10> title;
  std::string body;
  std::optional<Bounded<int, 0, 5>> stars;
};
struct Kinds {
  bool flag = false;
  std::int8_t small = 0;
  std::uint32_t count = 0;
  std::int64_t large = 0;
  double real = 0;
  float single = 0;
  std::string text = "default";
  std::vector<std::string> words = {"default"};
  std::optional<int> maybe = 5;
  std::map<std::string, int> by_name = {{"default", 1}};
  std::unordered_map<std::string, Point> points = {{"default", {}}};
  std::array<int, 3> triple = {};
  Color color = Color::red;
  std::variant<Circle, Square> shape = Square{};
  Point point = {};
  Value any = 1;
};

std::string joined(const Error& error) {
  std::string all = std::to_string(error.status());
  for (const FieldError& field : error.fields()) {
    all += " | " + field.pointer + ": " + field.detail;
  }
  return all;
}

template <class T>
std::string problems(std::string_view text, const Limits& limits = {}) {
  const auto value = read<T>(text, limits);
  return value ? "none" : joined(value.error());
}

TEST(Read, passes_over_a_byte_order_mark_at_the_front) {
  EXPECT_EQ(read<int>("\xEF\xBB\xBF"
                      "7"),
            7);
  EXPECT_EQ(read<std::string>("\xEF\xBB\xBF\r\n \"a\""), "a");
  EXPECT_EQ(read<std::string>("\"\xEF\xBB\xBF\""), "\xEF\xBB\xBF") << "it is content there";
}

TEST(Read, takes_every_kind_of_member) {
  const auto kinds = read<Kinds>(R"({
    "flag": true, "small": -128, "count": 4294967295, "large": -9223372036854775808,
    "real": 1e2, "single": 0.1, "text": "a\u0041\n", "words": ["x", ""], "maybe": 7,
    "by_name": {"b": 2, "a": 1}, "points": {"p": {"y": 2, "x": 1}}, "triple": [1, 2, 3],
    "color": "green", "shape": {"radius": 3, "type": "Circle"}, "point": {"x": 4, "y": 5},
    "any": [null, {"k": "v"}]
  })");
  ASSERT_TRUE(kinds) << joined(kinds.error());
  EXPECT_TRUE(kinds->flag);
  EXPECT_EQ(kinds->small, -128);
  EXPECT_EQ(kinds->count, 4294967295U);
  EXPECT_EQ(kinds->large, INT64_MIN);
  EXPECT_EQ(kinds->real, 100.0);
  EXPECT_EQ(kinds->single, 0.1F);
  EXPECT_EQ(kinds->text, "aA\n");
  EXPECT_EQ(kinds->words, (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(*kinds->maybe, 7);
  EXPECT_EQ(kinds->by_name, (std::map<std::string, int>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(kinds->points.at("p").y, 2);
  EXPECT_EQ(kinds->triple, (std::array{1, 2, 3}));
  EXPECT_EQ(kinds->color, Color::green);
  EXPECT_EQ(std::get<Circle>(kinds->shape).radius, 3.0);
  EXPECT_EQ(kinds->point.y, 5);
  EXPECT_EQ(kinds->any, array({nullptr, object({{"k", "v"}})}));
}

TEST(Read, absent_members_keep_their_defaults) {
  const auto kinds = read<Kinds>("{}");
  ASSERT_TRUE(kinds) << joined(kinds.error());
  EXPECT_EQ(kinds->text, "default");
  EXPECT_EQ(*kinds->maybe, 5);
  EXPECT_EQ(std::get<Square>(kinds->shape).side, 1.0F);
}

TEST(Read, given_containers_replace_their_defaults) {
  const auto kinds = read<Kinds>(R"({"words": [], "maybe": null, "by_name": {}})");
  ASSERT_TRUE(kinds);
  EXPECT_TRUE(kinds->words.empty());
  EXPECT_FALSE(kinds->maybe);
  EXPECT_TRUE(kinds->by_name.empty());
}

TEST(Read, takes_a_tree) {
  const auto node = read<Node>(R"({"id":1,"children":[{"id":2,"children":[]}],
                                   "more":[{"id":3,"children":[],"more":null}]})");
  ASSERT_TRUE(node) << joined(node.error());
  EXPECT_EQ(node->children[0].id, 2);
  EXPECT_EQ((*node->more)[0].id, 3);
}

TEST(Read, a_number_without_a_fractional_part_is_an_integer_and_exact) {
  EXPECT_EQ(*read<int>("84.0"), 84);
  EXPECT_EQ(*read<int>("8.4e1"), 84);
  EXPECT_EQ(*read<int>("8400E-2"), 84);
  EXPECT_EQ(*read<unsigned>("-0.0"), 0U);
  EXPECT_EQ(*read<std::int64_t>("9007199254740993.0"), 9007199254740993);  // not a double
  EXPECT_EQ(*read<std::int64_t>("-9.223372036854775808e18"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*read<std::uint64_t>("18446744073709551615.000"), 18446744073709551615U);
  EXPECT_FALSE(read<std::uint64_t>("18446744073709551616.0"));
  EXPECT_FALSE(read<int>("84.5"));
}

TEST(Read, takes_a_double_without_an_exponent_as_databases_write_it) {
  for (const double number : {1e300, -2.5e22, 1.7976931348623157e308, 18446744073709552000.0}) {
    std::array<char, 400> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                   std::chars_format::scientific);
    std::string digits(text.data(), end.ptr);
    const int exponent = std::stoi(digits.substr(digits.find('e') + 1));
    digits.erase(digits.find('e'));
    std::erase(digits, '.');
    digits.resize(static_cast<std::size_t>(exponent) + 1 + (number < 0 ? 1 : 0), '0');
    const auto value = read<Value>(digits);
    ASSERT_TRUE(value) << digits;
    EXPECT_EQ(*value, Value(number));
  }
}

TEST(Read, takes_what_is_no_object_too) {
  EXPECT_EQ(*read<int>(" 5 "), 5);
  EXPECT_EQ(*read<std::string>("\"x\""), "x");
  EXPECT_EQ(*read<std::vector<int>>("[1,2]"), (std::vector{1, 2}));
  EXPECT_EQ(read<std::optional<int>>("null")->has_value(), false);
}

struct BadCase {
  std::string_view text;
  std::string_view problem;
};

const BadCase kBadKinds[] = {
    {"[]", "422 | : must be an object"},
    {"null", "422 | : must be an object"},
    {R"({"flag":1})", "422 | /flag: must be true or false"},
    {R"({"flag":"true"})", "422 | /flag: must be true or false"},
    {R"({"flag":null})", "422 | /flag: must be true or false"},
    {R"({"small":128})", "422 | /small: must be between -128 and 127"},
    {R"({"small":1.5})", "422 | /small: must be an integer"},
    {R"({"small":1e-1})", "422 | /small: must be an integer"},
    {R"({"small":128.0})", "422 | /small: must be between -128 and 127"},
    {R"({"small":1e400})", "422 | /small: must be between -128 and 127"},
    {R"({"large":9223372036854775807.5})", "422 | /large: must be an integer"},
    {R"({"large":9223372036854775808.0})",
     "422 | /large: must be between -9223372036854775808 and 9223372036854775807"},
    {R"({"count":-1.0})", "422 | /count: must be between 0 and 4294967295"},
    {R"({"small":1.})", "400"},
    {R"({"small":"1"})", "422 | /small: must be an integer"},
    {R"({"small":true})", "422 | /small: must be an integer"},
    {R"({"small":[1]})", "422 | /small: must be an integer"},
    {R"({"count":-1})", "422 | /count: must be between 0 and 4294967295"},
    {R"({"large":9223372036854775808})",
     "422 | /large: must be between -9223372036854775808 and 9223372036854775807"},
    {R"({"large":1111111111111111111111111111111111111111})",
     "422 | /large: must be between -9223372036854775808 and 9223372036854775807"},
    {R"({"real":1e309})", "422 | /real: is too large"},
    {R"({"real":"1"})", "422 | /real: must be a number"},
    {R"({"real":null})", "422 | /real: must be a number"},
    {R"({"single":1e39})", "422 | /single: is too large"},
    {R"({"text":1})", "422 | /text: must be a string"},
    {R"({"text":null})", "422 | /text: must be a string"},
    {R"({"text":["a"]})", "422 | /text: must be a string"},
    {R"({"words":"a"})", "422 | /words: must be an array"},
    {R"({"words":{}})", "422 | /words: must be an array"},
    {R"({"words":["a",1,null]})", "422 | /words/1: must be a string | /words/2: must be a string"},
    {R"({"maybe":"x"})", "422 | /maybe: must be an integer"},
    {R"({"by_name":[]})", "422 | /by_name: must be an object"},
    {R"({"by_name":{"a":1,"a":2}})", "422 | /by_name/a: is a duplicate"},
    {R"({"by_name":{"a":1,"\u0061":2}})", "422 | /by_name/a: is a duplicate"},
    {R"({"by_name":{"a/b~c":"x"}})", "422 | /by_name/a~1b~0c: must be an integer"},
    {R"({"by_name":{"":"x"}})", "422 | /by_name/: must be an integer"},
    {R"({"points":{"p":{"x":1}}})", "422 | /points/p/y: is missing"},
    {R"({"triple":[1,2]})", "422 | /triple: must be an array of 3 elements"},
    {R"({"triple":[1,2,3,4]})", "422 | /triple: must be an array of 3 elements"},
    {R"({"color":"blue"})", "422 | /color: must be one of red, green"},
    {R"({"color":0})", "422 | /color: must be one of red, green"},
    {R"({"shape":{}})", "422 | /shape/type: is missing"},
    {R"({"shape":{"radius":1}})", "422 | /shape/type: is missing"},
    {R"({"shape":{"type":1}})", "422 | /shape/type: must be one of Circle, Square"},
    {R"({"shape":{"type":"circle"}})", "422 | /shape/type: must be one of Circle, Square"},
    {R"({"shape":{"type":"Circle"}})", "422 | /shape/radius: is missing"},
    {R"({"shape":{"type":"Circle","radius":1,"side":2}})",
     "422 | /shape/side: is not an allowed member"},
    {R"({"shape":{"type":"Circle","radius":1,"type":"Square"}})",
     "422 | /shape/type: is a duplicate"},
    {R"({"shape":"Circle"})", "422 | /shape: must be an object"},
    {R"({"point":{"x":1,"x":2,"y":3}})", "422 | /point/x: is a duplicate"},
    {R"({"point":{"x":1,"y":2,"z":3}})", "422 | /point/z: is not an allowed member"},
    {R"({"any":{"a":1,"a":1}})", "422 | /any/a: is a duplicate"},
    {R"({"any":1e999})", "422 | /any: is too large"},
    {R"({"any":18446744073709551616})", "422 | /any: is too large"},
    {R"({"any":-9223372036854775809})", "422 | /any: is too large"},
    {R"({"Flag":true})", "422 | /Flag: is not an allowed member"},
    {R"({"flag":tru})", "400"},
    {R"({"flag":truefalse})", "400"},
    {R"({"small":01})", "400"},
    {R"({"small":"\x"})", "400"},
    {R"({"maybe":nul})", "400"},
    {R"({"maybe":nullx})", "400"},
    {R"({"text":"\ud800"})", "400"},
    {R"({"color":"\ud800"})", "400"},
    {R"({"unknown":tru})", "400"},
    {R"({"unknown":["\q"]})", "400"},
    {R"({"unknown":{"\q":1}})", "400"},
    {R"({"shape":{"\q":1,"type":"Circle"}})", "400"},
    {R"({"shape":{"type":"Circ\le"}})", "400"},
    {R"({"shape":{"type":"Round","a":[1,}})", "400"},
    {R"({"shape":{"a":[1}],"type":"Circle"}})", "400"},
    {R"({"triple":[1,2,3,tru]})", "400"},
};

TEST(Read, says_what_does_not_fit_and_where) {
  for (const auto& [text, problem] : kBadKinds) {
    EXPECT_EQ(problems<Kinds>(text), problem) << text;
  }
}

TEST(Read, every_cut_of_a_full_object_is_a_syntax_error) {
  const std::string_view text =
      R"({"flag":true,"small":-1,"real":1.5,"text":"a\u00e9\"","words":["x","y"],"maybe":null,)"
      R"("by_name":{"a":1},"points":{"p":{"y":2,"x":1}},"triple":[1,2,3],"color":"green",)"
      R"("shape":{"side":3,"label":"é","type":"Square"},"any":[{"k":[1.5,false]}]})";
  ASSERT_EQ(problems<Kinds>(text), "none");
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    EXPECT_EQ(problems<Kinds>(text.substr(0, bytes)), "400") << text.substr(0, bytes);
  }
}

TEST(Read, every_problem_of_an_object_is_told_at_once) {
  EXPECT_EQ(problems<ReadNote>(R"({"title":"","stars":6,"x":0})"),
            "422 | /title: must have 1 to 10 characters | /stars: must be between 0 and 5 | /x: is "
            "not an allowed member | /body: is missing");
}

TEST(Read, a_length_counts_characters_not_bytes) {
  EXPECT_EQ(problems<ReadNote>(R"({"title":"ééééé€€€😀😀","body":""})"), "none");
  EXPECT_EQ(problems<ReadNote>(R"({"title":"ééééé€€€😀😀!","body":""})"),
            "422 | /title: must have 1 to 10 characters");
}

TEST(Read, unknown_members_can_be_ignored_but_must_be_json) {
  const Limits lenient{.unknown_members = UnknownMembers::kIgnore};
  EXPECT_EQ(problems<Point>(R"({"x":1,"z":{"a":[1,"b"]},"y":2,"z":0})", lenient), "none");
  EXPECT_EQ(problems<Point>(R"({"x":1,"z":{"a":[1,"b]},"y":2})", lenient), "400");
  EXPECT_EQ(problems<Point>(R"({"x":1,"z":01,"y":2})", lenient), "400");
}

TEST(Read, problems_reported_are_bounded_and_syntax_still_counts) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) {
    many += "\"x\",";
  }
  const auto result = read<std::vector<int>>(many + "1]");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().status(), 422);
  EXPECT_EQ(result.error().fields().size(), 32U);
  EXPECT_EQ(problems<std::vector<int>>(many + "1"), "400");
  EXPECT_EQ(problems<std::vector<int>>(many + "1]", {.errors_max = 0}), "422");
}

TEST(Read, elements_of_a_set_are_duplicates_if_their_values_are_equal) {
  EXPECT_EQ(problems<std::set<std::string>>(R"(["a","A"," a","","é","e\u0301"])"), "none");
  EXPECT_EQ(problems<std::set<std::string>>(R"(["a","\u0061"])"), "422 | /1: is a duplicate");
  EXPECT_EQ(problems<std::set<int>>("[1,1.0]"), "422 | /1: is a duplicate");
  EXPECT_EQ(problems<std::set<int>>("[0,-0]"), "422 | /1: is a duplicate");
  EXPECT_EQ(problems<std::set<double>>("[0,-0.0,1,1.5]"), "422 | /1: is a duplicate");
  EXPECT_EQ(problems<std::set<bool>>("[true,false]"), "none");
  EXPECT_EQ(problems<std::set<std::optional<int>>>("[null,0]"), "none");
  EXPECT_EQ(problems<std::set<std::optional<int>>>("[null,null]"), "422 | /1: is a duplicate");
  EXPECT_EQ(problems<std::unordered_set<std::string>>(R"(["a","b","a"])"),
            "422 | /2: is a duplicate");
}

TEST(Read, an_element_of_a_set_with_an_error_is_no_duplicate) {
  const std::string errors = "422 | /1: must be an integer | /2: must be an integer";
  EXPECT_EQ(problems<std::set<int>>(R"([0,"x",null])"), errors);
  EXPECT_EQ(problems<std::unordered_set<int>>(R"([0,"x",null])"), errors);
  EXPECT_EQ(problems<std::set<std::optional<int>>>(R"([0,"x","y"])"), errors);
  EXPECT_EQ(problems<std::set<Color>>(R"(["red","blue","pink"])"),
            "422 | /1: must be one of red, green | /2: must be one of red, green");
  EXPECT_EQ(problems<std::set<int>>(R"(["x",0,0])"),
            "422 | /0: must be an integer | /2: is a duplicate");
  EXPECT_EQ(problems<std::set<int>>(R"(["x",0)"), "400");
  EXPECT_EQ(problems<std::set<int>>(R"([0,nul])"), "400");
}

struct SameHash {
  template <class T>
  std::size_t operator()(const T& /*one*/) const {
    return 7;
  }
};

TEST(Read, keys_with_equal_hashes_are_refused_ahead_of_quadratic_time) {
  constexpr std::size_t kCount = 200'000;
  std::unordered_set<std::int64_t> buckets;
  for (std::size_t i = 0; i < kCount; ++i) {
    buckets.insert(static_cast<std::int64_t>(i));
  }
  std::string members;
  std::string chosen;
  std::string plain;
  for (std::size_t i = 0; i < kCount; ++i) {
    const char* const comma = i == 0 ? "" : ",";
    members += comma + ("\"" + std::to_string(i)) + "\":0";
    chosen += comma + std::to_string(i * buckets.bucket_count());
    plain += comma + std::to_string(i * 1000);
  }
  const auto is_refused = [](const auto& result) {
    return !result && result.error().fields().front().code == "hash";
  };
  const std::string object = "{" + members + "}";
  const std::string list = "[" + plain + "]";
  EXPECT_TRUE(is_refused(read<std::unordered_map<std::string, int, SameHash>>(object)));
  EXPECT_TRUE(is_refused(read<std::unordered_set<std::int64_t, SameHash>>(list)));
  EXPECT_TRUE(is_refused(read<std::unordered_set<std::int64_t>>("[" + chosen + "]")));
  EXPECT_EQ((read<std::unordered_map<std::string, int>>(object))->size(), kCount);
  EXPECT_EQ(read<std::unordered_set<std::int64_t>>(list)->size(), kCount);
  EXPECT_EQ(read<std::set<std::int64_t>>("[" + chosen + "]")->size(), kCount);
}

TEST(Read, few_keys_with_equal_hashes_are_read) {
  using Map = std::unordered_map<std::string, int, SameHash>;
  std::string members = R"({"0":0)";
  for (int i = 1; i < 128; ++i) {
    members += ",\"" + std::to_string(i) + "\":0";
  }
  EXPECT_EQ(read<Map>(members + "}")->size(), 128U);
  EXPECT_EQ(problems<Map>(members + R"(,"5":0})"), "422 | /5: is a duplicate");
  EXPECT_EQ(problems<Map>(members + R"(,"x":0})"),
            "422 | /x: has the same hash as too many others");
  using Set = std::unordered_set<int, SameHash>;
  std::string elements = "[0";
  for (int i = 1; i < 128; ++i) {
    elements += "," + std::to_string(i);
  }
  EXPECT_EQ(read<Set>(elements + "]")->size(), 128U);
  EXPECT_EQ(problems<Set>(elements + ",128]"), "422 | /128: has the same hash as too many others");
}

TEST(Read, names_of_the_client_do_not_multiply_the_errors) {
  std::string members;
  for (int i = 0; i < 100; ++i) {
    members += (i == 0 ? "\"a" : ",\"a") + std::to_string(i) + "\":{}";
  }
  for (const std::string part : {"x", "/", "~", R"(\u0001)", "é", "€", "😀"}) {
    std::string name;
    for (int i = 0; i < 100'000; ++i) {
      name += part;
    }
    const std::string nested = "{\"" + name + "\":{\"" + name + "\":{" + members + "}}}";
    const auto read_one = read<std::map<std::string, std::map<std::string, Point>>>(nested);
    ASSERT_FALSE(read_one);
    EXPECT_EQ(read_one.error().fields().size(), 32U);
    for (const FieldError& field : read_one.error().fields()) {
      EXPECT_LE(field.pointer.size(), 256U + std::string_view("…").size());
      EXPECT_TRUE(field.pointer.starts_with("/") && field.pointer.ends_with("…"));
      EXPECT_TRUE(is_utf8(field.pointer)) << part;
    }
  }
  const std::string fits(255, 'x');
  EXPECT_EQ(problems<Point>("{\"x\":1,\"y\":1,\"" + fits + "\":1}"),
            "422 | /" + fits + ": is not an allowed member");
  EXPECT_EQ(problems<Point>("{\"x\":1,\"y\":1,\"" + fits + "x\":1}"),
            "422 | /" + fits + "…: is not an allowed member");
}

TEST(Read, the_pointer_of_a_long_name_ends_with_a_whole_character) {
  for (const std::string part : {"é", "€", "😀"}) {
    for (std::size_t count = 248; count <= 256; ++count) {
      const std::string name = std::string(count, 'a') + part;
      for (const std::string after : {"", "b", "bcde"}) {
        const std::string fits =
            name.size() < 256 ? name + after.substr(0, 255 - name.size()) : std::string(count, 'a');
        const bool is_whole = fits == name + after;
        EXPECT_EQ(
            problems<Point>("{\"x\":1,\"y\":1,\"" + name + after + "\":1}"),
            "422 | /" + fits.substr(0, 255) + (is_whole ? "" : "…") + ": is not an allowed member");
      }
    }
  }
}

struct Span {
  int from;
  int to;
  void check(ValidationErrors& errors) const {
    errors.add("must be a span");
    errors.add(to, "must not be before the start");
  }
};

TEST(Read, the_pointers_of_a_check_are_cut_as_a_whole) {
  for (std::size_t count = 240; count <= 300; ++count) {
    for (const std::string part : {"", "é", "€", "😀"}) {
      const std::string name = std::string(count, 'a') + part;
      const auto result =
          read<std::map<std::string, Span>>(R"({")" + name + R"(":{"from":1,"to":0}})");
      ASSERT_FALSE(result);
      ASSERT_EQ(result.error().fields().size(), 2U);
      const auto cut = [](const std::string& pointer) {
        return eider::detail::base::shortened(pointer, 256);
      };
      EXPECT_EQ(result.error().fields()[0].pointer, cut("/" + name));
      EXPECT_EQ(result.error().fields()[1].pointer, cut("/" + name + "/to"));
    }
  }
}

TEST(Read, into_an_object_at_hand) {
  Point point{1, 2};
  ASSERT_TRUE(read_into(reflect::type_of<Point>(), &point, R"({"y":3,"x":4})"));
  EXPECT_EQ(point.x, 4);
}

TEST(Read, doubled_members_of_large_objects_cost_no_quadratic_time) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += "\"k" + std::to_string(i) + "\":0,";
  }
  EXPECT_EQ(problems<Value>(text + R"("k7":1})"), "422 | /k7: is a duplicate");
}

struct Reentrant {
  std::vector<Point> points = *read<std::vector<Point>>(R"([{"x":1,"y":2}])");
  int number = 0;
};

TEST(Read, may_happen_while_another_text_is_read) {
  const auto all = read<std::vector<Reentrant>>(R"([{"number":1},{"number":2},{"points":[]}])");
  ASSERT_TRUE(all) << joined(all.error());
  EXPECT_EQ((*all)[1].number, 2);
  EXPECT_EQ((*all)[1].points[0].y, 2);
  EXPECT_TRUE((*all)[2].points.empty());
}

TEST(Read, a_large_text_after_small_ones_and_before) {
  const std::string large = "\"" + std::string(1'000'000, 'x') + "\"";
  EXPECT_EQ(*read<int>("1"), 1);
  EXPECT_EQ(read<std::string>(large)->size(), 1'000'000U);
  EXPECT_EQ(*read<int>("2"), 2);
}

void* read_large_texts(void* is_right) {
  const std::string plain = "\"" + std::string(4'000'000, 'x') + "\"";
  const std::string name = "{\"" + std::string(4'000'000, 'y') + "\":1}";
  *static_cast<bool*>(is_right) = read<std::string>(plain)->size() == 4'000'000U &&
                                  (read<std::map<std::string, int>>(name))->size() == 1U;
  return nullptr;
}

TEST(Read, a_long_string_does_not_use_the_stack) {
  constexpr std::size_t kStackBytes = 512UL * 1024;  // sanitizers need some of it
  pthread_attr_t small_stack;
  ASSERT_EQ(::pthread_attr_init(&small_stack), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&small_stack, kStackBytes), 0);
  pthread_t thread{};
  bool is_right = false;
  ASSERT_EQ(::pthread_create(&thread, &small_stack, read_large_texts, &is_right), 0);
  ::pthread_join(thread, nullptr);
  ::pthread_attr_destroy(&small_stack);
  EXPECT_TRUE(is_right);
}

TEST(Read, builds_nothing_more_when_no_more_errors_are_reported) {
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) {
    many += "\"x\",";
  }
  std::vector<int> numbers;
  const Limits limits{.errors_max = 2};
  EXPECT_FALSE(read_into(reflect::type_of<std::vector<int>>(), &numbers, many + "1]", limits));
  EXPECT_LE(numbers.size(), 3U);
  std::map<std::string, int> named;
  EXPECT_FALSE(read_into(reflect::type_of<std::map<std::string, int>>(), &named,
                         R"({"a":"","b":"","c":"","d":"","e":""})", limits));
  EXPECT_LE(named.size(), 3U);
  EXPECT_EQ(problems<std::vector<int>>(many + "1", limits).substr(0, 3), "400")
      << "it is still checked that the rest is JSON";
}

}  // namespace
}  // namespace eider::json
