// For tests: structs and functions that render templates.
// Layering: must not be included outside of tests.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eider/web/views/assemble.h"
#include "eider/web/views/check.h"
#include "eider/web/views/test_shop.h"
#include "eider/web/views/walk.h"

namespace eider::views {

/// Templates by name.
using TestFiles = std::map<std::string, std::string, std::less<>>;

inline ViewResult<Tree> assemble_test(const TestFiles& files, std::string_view page = "page.html") {
  return assemble_page(page, [&files](std::string_view name) -> Result<std::string, std::string> {
    const auto found = files.find(name);
    return found == files.end()
               ? Result<std::string, std::string>(fail(std::string("is not there")))
               : found->second;
  });
}

inline FilterSet test_filters() {
  FilterSet filters;
  filters.add("shout", shop::shout).add("times", shop::times).add("label", shop::label);
  filters.add("first_word", shop::first_word).add("doubled", shop::doubled);
  filters.add("words_of", shop::words_of);
  return filters;
}

/// Returns the page, or its error without the line.
template <class P>
std::string render_test(const TestFiles& files, const P& page) {
  const auto tree = assemble_test(files);
  if (!tree) {
    return to_text(tree.error());
  }
  const FilterSet filters = test_filters();
  if (const auto wrong = check_types(*tree, reflect::type_of<P>(), filters)) {
    return to_text(*wrong);
  }
  std::string out;
  const auto failed = walk(*tree, {ref(page)}, filters, out);
  return failed ? to_text(*failed) : out;
}

/// Renders a page of a shop::Shop with that content.
inline std::string render_shop(std::string_view content, const shop::Shop& page) {
  return render_test({{"page.html", "{# page shop::Shop #}\n" + std::string(content)}}, page);
}

/// Renders a page whose title is input.
inline std::string with_title(std::string_view content, std::string title) {
  shop::Shop page;
  page.title = std::move(title);
  return render_shop(content, page);
}

}  // namespace eider::views
