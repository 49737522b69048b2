#include "eider/web/assets/embed/build.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::detail::embed {
namespace {

std::vector<std::string> texts(const std::string& css) {
  std::vector<std::string> found;
  for (const CssReference& reference : css_references(css)) {
    EXPECT_EQ(css.substr(reference.offset, reference.text.size()), reference.text);
    found.emplace_back(reference.text);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(CssReferences, AreUrlsAndImports) {
  EXPECT_EQ(texts("a{b:url(x.png)} c{d:URL( 'y z.png' )} @import \"base.css\" screen;"),
            (Texts{"x.png", "y z.png", "base.css"}));
  EXPECT_EQ(texts("@import url(\"a.css\");@import url(b.css);"), (Texts{"a.css", "b.css"}));
  EXPECT_EQ(texts("src:url(a.woff2)format('woff2'),url(a.woff?x#y)"),
            (Texts{"a.woff2", "a.woff?x#y"}));
}

TEST(CssReferences, AreNoneInCommentsStringsAndOtherNames) {
  EXPECT_EQ(texts("/* url(a) */ b{content:\"url(c)\"} d:my-url(e) f:\\url(g)"), Texts());
  EXPECT_EQ(texts("a{content:\"\\\"url(b)\"} c:url(d)"), Texts{"d"});
  EXPECT_EQ(texts("url() url( ) url('')"), Texts());
  EXPECT_EQ(texts("url(a\\)b)"), Texts());
}

TEST(CssReferences, KnowTheirLines) {
  const auto found = css_references("\n\na:url(b)\nc:url(d)");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].line, 3U);
  EXPECT_EQ(found[1].line, 4U);
}

TEST(CssReferences, CutAnywhereLieWithinTheText) {
  const std::string css = "/*a*/b{c:url( 'd.png' )} @import \"e.css\"; f:url(g\\)h) \"i\\";
  for (std::size_t size = 0; size <= css.size(); ++size) {
    const std::string cut = css.substr(0, size);
    for (const CssReference& reference : css_references(cut)) {
      EXPECT_LE(reference.offset + reference.text.size(), size);
    }
  }
}

}  // namespace
}  // namespace eider::detail::embed
