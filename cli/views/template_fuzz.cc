// Fuzzes templates: a file is a page, or rejected with a place in it; a page contains no hostile
// value as markup.
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/views/generate.h"
#include "eider/core/base/assert.h"
#include "eider/web/views/test_views.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string in(reinterpret_cast<const char*>(data), size);
  const views::TestFiles files = {{"page.html", "{# page shop::Shop #}\n" + in}, {"part.html", in}};
  const auto tree = views::assemble_test(files);
  if (!tree) {
    ensure(tree.error().line >= 1 && tree.error().column >= 1, "a refusal has a place");
    ensure(!views::to_text(tree.error()).empty(), "a refusal says why");
    return 0;
  }
  ensure(!views::generate(*tree, "/root", "page.html.h").source.empty(), "a page is code");
  shop::Shop page;
  page.items.resize(2);
  page.title = "javascript:\"'<x>";
  const views::FilterSet filters = views::test_filters();
  if (!views::check_types(*tree, reflect::type_of<shop::Shop>(), filters)) {
    std::string out;
    (void)views::walk(*tree, {views::ref(page)}, filters, out);
  }
  return 0;
}
