#include "eider/core/reflect/type_of.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "eider/core/reflect/constraints.h"

namespace eider::reflect {
namespace {

enum class Color { red, green, blue = 7, dark = -3 };
enum Unscoped : unsigned char { unscoped_first, unscoped_second };

struct Inner {
  int number;
};
struct Empty {};
struct NamedCircle {
  double radius;
};
struct NamedSquare {
  float side;
};
struct Node {
  std::string name;
  std::vector<Node> children;
};
template <class T>
struct Page {
  std::vector<T> items;
};

struct Everything {
  bool flag;
  std::int8_t small;
  std::uint64_t large;
  double real;
  std::string text;
  std::string_view view;
  const char* chars;
  Inner inner;
  std::vector<int> numbers;
  std::array<float, 3> triple;
  std::optional<Inner> maybe;
  std::map<std::string, Node> by_name;
  std::unordered_map<std::string, int> counts;
  Color color;
  std::variant<NamedCircle, NamedSquare> shape;
  Bounded<int, 1, 9> digit;
  Sized<std::string, 1, 5> word;
  std::optional<Bounded<int, 0, 5>> stars;
  std::optional<std::vector<Node>> nodes;
  Empty empty;
};

struct Wide {
  int m00, m01, m02, m03, m04, m05, m06, m07, m08, m09, m10, m11, m12, m13, m14, m15;
  int m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31;
};

Kind kind_of_member(std::string_view name) {
  const Member* const member = type_of<Everything>().structure().find(name);
  return member == nullptr ? Kind::kDynamic : member->type->kind;
}

TEST(TypeOf, is_a_constant_before_main) {
  static constinit const Type* const known_while_compiling = &type_of<Everything>();
  EXPECT_EQ(known_while_compiling, &type_of<Everything>());
}

TEST(TypeOf, is_one_object_per_type_whatever_the_qualifiers) {
  EXPECT_EQ(&type_of<const Inner&>(), &type_of<Inner>());
  EXPECT_NE(&type_of<Inner>(), &type_of<NamedCircle>());
}

TEST(TypeOf, members_stand_in_the_order_of_declaration) {
  std::string names;
  for (const Member& member : type_of<Everything>().structure()) {
    names += std::string(member.name) + " ";
  }
  EXPECT_EQ(names,
            "flag small large real text view chars inner numbers triple maybe by_name counts color "
            "shape digit word stars nodes empty ");
}

TEST(TypeOf, each_member_has_its_kind) {
  EXPECT_EQ(kind_of_member("flag"), Kind::kBool);
  EXPECT_EQ(kind_of_member("small"), Kind::kSigned);
  EXPECT_EQ(kind_of_member("large"), Kind::kUnsigned);
  EXPECT_EQ(kind_of_member("real"), Kind::kReal);
  EXPECT_EQ(kind_of_member("text"), Kind::kString);
  EXPECT_EQ(kind_of_member("view"), Kind::kView);
  EXPECT_EQ(kind_of_member("chars"), Kind::kChars);
  EXPECT_EQ(kind_of_member("inner"), Kind::kStruct);
  EXPECT_EQ(kind_of_member("numbers"), Kind::kSequence);
  EXPECT_EQ(kind_of_member("triple"), Kind::kArray);
  EXPECT_EQ(kind_of_member("maybe"), Kind::kOptional);
  EXPECT_EQ(kind_of_member("by_name"), Kind::kMap);
  EXPECT_EQ(kind_of_member("counts"), Kind::kMap);
  EXPECT_EQ(kind_of_member("color"), Kind::kEnum);
  EXPECT_EQ(kind_of_member("shape"), Kind::kVariant);
  EXPECT_EQ(kind_of_member("digit"), Kind::kConstrained);
  EXPECT_EQ(kind_of_member("word"), Kind::kConstrained);
  EXPECT_EQ(kind_of_member("stars"), Kind::kOptional);
  EXPECT_EQ(kind_of_member("nodes"), Kind::kOptional);
  EXPECT_EQ(kind_of_member("empty"), Kind::kStruct);
}

TEST(TypeOf, offsets_lead_to_the_members) {
  Everything object{};
  const Structure& structure = type_of<Everything>().structure();
  EXPECT_EQ(structure.find("large")->in(&object), &object.large);
  EXPECT_EQ(structure.find("triple")->in(&object), &object.triple);
  EXPECT_EQ(structure.find("shape")->in(&object), &object.shape);
  EXPECT_EQ(structure.find("empty")->in(&object), &object.empty);
  EXPECT_EQ(structure.find("absent"), nullptr);
}

TEST(TypeOf, names_lose_their_scopes) {
  struct Local {
    int x;
  };
  EXPECT_EQ(type_of<Inner>().name, "Inner");
  EXPECT_EQ(type_of<Local>().name, "Local");
  EXPECT_EQ(type_of<Color>().name, "Color");
  EXPECT_TRUE(type_of<Page<Inner>>().name.starts_with("Page<"));
  EXPECT_EQ(type_of<int>().name, "");
}

TEST(TypeOf, structs_of_no_member_and_of_the_most_members_are_described) {
  EXPECT_EQ(type_of<Empty>().structure().count, 0U);
  const Structure& wide = type_of<Wide>().structure();
  ASSERT_EQ(wide.count, kMembersMax);
  EXPECT_EQ(wide.first[31].name, "m31");
  EXPECT_EQ(wide.first[31].offset, 31 * sizeof(int));
}

TEST(TypeOf, a_struct_may_hold_itself_in_a_vector) {
  const Type& node = type_of<Node>();
  EXPECT_EQ(node.structure().find("children")->type->sequence().element, &node);
}

TEST(TypeOf, enumerators_are_known_by_name_and_by_value) {
  const Enumeration& color = type_of<Color>().enumeration();
  EXPECT_EQ(color.count, 4U);
  EXPECT_EQ(color.first->name, "dark");
  EXPECT_EQ(color.find("blue")->value, 7);
  EXPECT_EQ(color.find(std::int64_t{1})->name, "green");
  EXPECT_EQ(color.find("pink"), nullptr);
  EXPECT_EQ(color.find(std::int64_t{2}), nullptr);
  EXPECT_EQ(type_of<Unscoped>().enumeration().find("unscoped_second")->value, 1);
  EXPECT_EQ(enumerator_name(Color::blue), "blue");
  EXPECT_EQ(enumerator_name(static_cast<Color>(2)), "");
}

TEST(TypeOf, operations_reach_the_containers) {
  Everything object{};
  const Structure& structure = type_of<Everything>().structure();
  const Sequence& numbers = structure.find("numbers")->type->sequence();
  *static_cast<int*>(numbers.append(&object.numbers)) = 5;
  EXPECT_EQ(object.numbers, std::vector<int>{5});
  EXPECT_EQ(numbers.at(&object.numbers, 0), &object.numbers[0]);

  const Optional& maybe = structure.find("maybe")->type->optional();
  EXPECT_EQ(maybe.get(&object.maybe), nullptr);
  static_cast<Inner*>(maybe.emplace(&object.maybe))->number = 3;
  EXPECT_EQ(object.maybe->number, 3);
  maybe.reset(&object.maybe);
  EXPECT_FALSE(object.maybe.has_value());

  const Map& counts = structure.find("counts")->type->map();
  *static_cast<int*>(counts.insert(&object.counts, "a")) = 4;
  EXPECT_EQ(counts.insert(&object.counts, "a"), nullptr);
  EXPECT_EQ(*static_cast<const int*>(counts.find(&object.counts, "a")), 4);
  EXPECT_EQ(counts.find(&object.counts, "b"), nullptr);

  const Variant& shape = structure.find("shape")->type->variant();
  EXPECT_EQ(shape.find("NamedSquare")->get(&object.shape), nullptr);
  static_cast<NamedSquare*>(shape.find("NamedSquare")->emplace(&object.shape))->side = 2;
  EXPECT_EQ(std::get<NamedSquare>(object.shape).side, 2);
  EXPECT_EQ(shape.find("Round"), nullptr);
}

TEST(TypeOf, for_each_member_visits_names_and_values) {
  Node node{"root", {}};
  std::string visited;
  for_each_member(node, [&visited](std::string_view name, auto& member) {
    visited += std::string(name) + "/" + std::to_string(member.size()) + " ";
  });
  EXPECT_EQ(visited, "name/4 children/0 ");
  const Node& constant = node;
  for_each_member(constant, [](std::string_view, const auto&) {});
}

}  // namespace
}  // namespace eider::reflect
