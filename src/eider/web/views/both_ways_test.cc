// Templates rendered in both ways: by generated code, and by interpreting the tree.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>

#include "eider/web/views/rendering.h"
#include "eider/web/views/test_views.h"
#include "filters.html.h"
#include "fortunes.html.h"
#include "item.html.h"
#include "shop.html.h"

namespace eider::views {
namespace {

constexpr std::array<std::string_view, 9> kValues = {
    "",
    "Tea",
    "<script>alert('1')</script>\"&",
    "javascript:alert(1)",
    "//elsewhere.example/x?a=1&b=2",
    "#fa0",
    "\xe2\x80\xa8</title>\\ ?"
    "?/ \n\t",
    "\xff\xfe\x01 not UTF-8",
    "äöü with many characters – and more of them",
};

shop::Shop shop_of(std::string_view value, bool is_full) {
  shop::Shop made;
  made.title = value;
  made.motto = value;
  made.note = is_full ? value.data() : nullptr;
  made.is_open = is_full;
  made.visits = is_full ? 18446744073709551615U : 0;
  made.balance = is_full ? -9223372036854775807 : 12;
  made.rating = is_full ? 2.625F : 1;
  made.counts = {{std::string(value), -1}, {"__proto__", 2}};
  made.words = {std::string(value), "x"};
  if (!is_full) {
    return made;
  }
  made.state = shop::State::sold_out;
  made.notice = std::string(value);
  made.stars = 4;
  made.slogan = "<b>";
  made.shape = shop::Square{1, std::string(value)};
  made.owner = std::make_unique<shop::Maker>(shop::Maker{std::string(value), ""});
  made.items = {{std::string(value),
                 1e300,
                 -3,
                 shop::State::open,
                 shop::Maker{std::string(value), std::string(value)},
                 {std::string(value)}},
                {"two", 0.1, 0, static_cast<shop::State>(77), {}, {}}};
  made.featured = made.items[0];
  made.hidden = made.items;
  return made;
}

Tree tree_of(std::string_view name) {
  auto tree = assemble_page(name, [](std::string_view file) -> Result<std::string, std::string> {
    std::ifstream in(std::string(EIDER_TEST_VIEWS) + "/" + std::string(file));
    return std::string(std::istreambuf_iterator<char>(in), {});
  });
  if (!tree) {
    throw std::runtime_error(to_text(tree.error()));
  }
  return std::move(*tree);
}

template <class P>
void expect_same(const P& page) {
  const Tree tree = tree_of(View<P>::kName);
  const FilterSet filters = test_filters();
  const auto wrong = check_types(tree, reflect::type_of<P>(), filters);
  ASSERT_FALSE(wrong) << to_text(*wrong);
  std::string walked;
  EXPECT_FALSE(walk(tree, {ref(page)}, filters, walked));
  EXPECT_EQ(render_view(page), walked);
  EXPECT_FALSE(walked.empty());
}

TEST(BothWays, APageIsTheSameWhateverItIsGiven) {
  for (const std::string_view value : kValues) {
    for (const bool is_full : {false, true}) {
      expect_same(shop::ShopPage{shop_of(value, is_full), std::string(value)});
      expect_same(fortunes::FortunesPage{{{1, std::string(value)}, {-2147483648, "x"}}});
      expect_same(shop::Item{
          std::string(value), 3.5, 1, shop::State::open,
          is_full ? std::optional(shop::Maker{std::string(value), "/x"}) : std::nullopt});
    }
  }
}

TEST(BothWays, FiltersAreGivenAndGiveTheSame) {
  for (const std::string_view value : kValues) {
    expect_same(shop_of(value, true));
    expect_same(shop_of(value, false));
  }
}

TEST(BothWays, AFilterMayReturnAViewOfWhatAFilterMade) {
  shop::Shop shop;
  shop.title = "as-long-as-no-string-holds-in-place and more";
  const std::string page = render_view(shop);
  EXPECT_TRUE(page.contains("call: AS-LONG-AS-NO-STRING-HOLDS-IN-PLACE ")) << page;
  EXPECT_TRUE(page.contains(";AS-LONG-AS-NO-STRING-HOLDS-IN-PLACE;")) << page;
}

TEST(BothWays, IntegersAreDecimal) {
  const std::string page = render_view(shop::Shop());
  EXPECT_TRUE(page.contains("numbers: 8 012345678… -9223372036854775808 -70")) << page;
}

// A result that refers to the filtered value does not compile.
static_assert(detail::refers_to_text<std::vector<std::string_view>>());
static_assert(detail::refers_to_text<std::optional<const char*>>());
static_assert(detail::refers_to_text<std::map<std::string, shop::Shop>>());
static_assert(!detail::refers_to_text<std::vector<shop::Item>>());
static_assert(!detail::refers_to_text<std::variant<shop::Circle, shop::Square>>());

TEST(BothWays, AFragmentIsTheSame) {
  const shop::ShopPage page{shop_of("<x>", true)};
  std::string walked;
  const Tree tree = tree_of("shop.html");
  const Node* const rows = find_fragment(tree.nodes, "rows");
  ASSERT_NE(rows, nullptr);
  EXPECT_FALSE(walk_fragment(tree, *rows, {ref(page)}, test_filters(), walked));
  std::string compiled;
  EXPECT_TRUE(View<shop::ShopPage>::write_fragment(compiled, "rows", page));
  EXPECT_EQ(compiled, walked);
  EXPECT_FALSE(View<shop::ShopPage>::write_fragment(compiled, "row", page));
  EXPECT_EQ(compiled, walked);
}

TEST(BothWays, APageAppends) {
  std::string out = "before ";
  View<shop::Item>::write(out, {"Tea", 2, 1, {}, {}, {}});
  EXPECT_EQ(out, "before Tea: 2");
}

}  // namespace
}  // namespace eider::views
