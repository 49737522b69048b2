// Each ID is unique on a page, for any names of members.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "eider/core/reflect/optional_initializer.h"
#include "eider/web/forms/forms.h"

namespace eider {
namespace {

enum class Way { post, rail };

struct Within {
  std::string hint = kOptional;
  std::string fault = kOptional;
  std::string hint_field = kOptional;
  Way way = Way::post;
};
struct Colliding {
  Within x;
  std::string x_hint = kOptional;

  static constexpr FieldText kFormFields[] = {{.member = "x", .hint = "All of it."},
                                              {.member = "x.hint", .hint = "A hint."},
                                              {.member = "x.way", .control = Control::radios}};
};

TEST(FormIds, are_one_each_on_a_page_and_lead_to_what_they_name) {
  const Colliding shown{};
  const std::string page = views::form(forms::detail::view_of(forms::detail::shape_of<Colliding>(),
                                                              {}, {}, &shown, false))
                               .html();
  std::set<std::string> ids;
  for (std::size_t at = 0; (at = page.find(" id=\"", at)) != std::string::npos;) {
    at += std::string_view(" id=\"").size();
    const std::string id = page.substr(at, page.find('"', at) - at);
    EXPECT_TRUE(ids.insert(id).second) << id << " stands twice in " << page;
  }
  for (const char* part :
       {R"(<p class="hint" id="x-hint">All of it.</p>)",
        R"(<label for="x-hint-field">Hint</label>)", R"(aria-describedby="x-hint-field-hint")"}) {
    EXPECT_TRUE(page.contains(part)) << part << " is not in " << page;
  }
}

}  // namespace
}  // namespace eider
