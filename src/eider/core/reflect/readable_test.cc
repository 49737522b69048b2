#include "eider/core/reflect/readable.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eider/core/reflect/constraints.h"

namespace eider::reflect {
namespace {

struct Owned {
  std::string text;
  std::optional<Bounded<int, 0, 5>> stars;
};
struct Borrowed {
  int number;
  std::string_view text;
};
struct Chars {
  const char* text;
};
struct Tree {
  std::string name;
  std::vector<Tree> children;
};
struct BorrowedTree {
  std::vector<BorrowedTree> children;
  std::string_view name;
};
template <class T>
struct Holder {
  int before;
  T held;
};

TEST(Readable, what_owns_its_text) {
  EXPECT_TRUE(kIsReadable<int>);
  EXPECT_TRUE(kIsReadable<std::string>);
  EXPECT_TRUE(kIsReadable<Owned>);
  EXPECT_TRUE(kIsReadable<Tree>);
  EXPECT_TRUE((kIsReadable<std::map<std::string, std::variant<Owned, Tree>>>));
}

TEST(Readable, no_view_however_deep) {
  EXPECT_FALSE(kIsReadable<std::string_view>);
  EXPECT_FALSE(kIsReadable<Borrowed>);
  EXPECT_FALSE(kIsReadable<Chars>);
  EXPECT_FALSE(kIsReadable<BorrowedTree>);
  EXPECT_FALSE(kIsReadable<Holder<Holder<Borrowed>>>);
  EXPECT_FALSE(kIsReadable<std::vector<Chars>>);
  EXPECT_FALSE((kIsReadable<std::array<std::optional<std::string_view>, 2>>));
  EXPECT_FALSE((kIsReadable<std::map<std::string, Chars>>));
  EXPECT_FALSE((kIsReadable<std::variant<Owned, Borrowed>>));
}

}  // namespace
}  // namespace eider::reflect
