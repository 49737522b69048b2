#include "eider/web/assets/embed/build.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"

namespace eider::detail::embed {
namespace {

std::vector<BuiltAsset> built(std::vector<AssetSource> sources) {
  auto assets = build_assets(std::move(sources));
  EXPECT_TRUE(assets) << assets.error();
  return assets ? std::move(*assets) : std::vector<BuiltAsset>();
}

std::string error_of(std::vector<AssetSource> sources) {
  const auto assets = build_assets(std::move(sources));
  return assets ? "none" : assets.error();
}

TEST(BuiltAssets, HaveTheHashOfTheirContentInTheirNames) {
  const auto assets = built({{"js/app.min.js", "let a;"}, {"LICENSE", "free"}, {".x", "hidden"}});
  ASSERT_EQ(assets.size(), 3U);
  EXPECT_TRUE(assets[0].hashed_name.starts_with(".x."));
  EXPECT_TRUE(assets[1].hashed_name.starts_with("LICENSE."));
  EXPECT_EQ(assets[2].hashed_name.size(), std::string("js/app.min.123456789012.js").size());
  EXPECT_TRUE(assets[2].hashed_name.starts_with("js/app.min.") &&
              assets[2].hashed_name.ends_with(".js"));
  EXPECT_EQ(assets[2].integrity, "sha256-" + to_base64(to_view(sha256("let a;"))));
  EXPECT_NE(assets[2].hashed_name, built({{"js/app.min.js", "let b;"}})[0].hashed_name);
}

TEST(BuiltAssets, AreReferredToByTheirHashedNames) {
  const auto assets =
      built({{"css/app.css", "@import 'base.css';\na{b:url(../img/x.png?v#f)} c{d:url(./y.png)}"},
             {"css/base.css", "e{f:url(\"y.png\")}"},
             {"css/y.png", "y"},
             {"img/x.png", "x"}});
  ASSERT_EQ(assets.size(), 4U);
  const auto file = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
  EXPECT_EQ(assets[0].content, "@import '" + file(assets[1].hashed_name) + "';\na{b:url(../img/" +
                                   file(assets[3].hashed_name) + "?v#f)} c{d:url(./" +
                                   file(assets[2].hashed_name) + ")}");
  EXPECT_EQ(assets[1].content, "e{f:url(\"" + file(assets[2].hashed_name) + "\")}");
}

TEST(BuiltAssets, ChangeTheirNamesWithWhatTheyReferTo) {
  const std::string css = "a{b:url(x.png)}";
  EXPECT_NE(built({{"a.css", css}, {"x.png", "1"}})[0].hashed_name,
            built({{"a.css", css}, {"x.png", "2"}})[0].hashed_name);
}

TEST(BuiltAssets, LeaveOtherReferencesAlone) {
  const std::string css =
      "a{b:url(data:image/png;base64,AA/A);c:url(https://x/y.png);d:url(//x/y);e:url(/"
      "y);f:url(#g)}";
  EXPECT_EQ(built({{"a.css", css}})[0].content, css);
}

TEST(BuiltAssets, TellWhatIsNotThere) {
  EXPECT_EQ(error_of({{"css/a.css", "\nb{c:url(x.png)}"}}),
            "css/a.css:2: Asset not found: \"x.png\"");
  EXPECT_EQ(error_of({{"a.css", "b{c:url(../../etc/passwd)}"}}),
            "a.css:1: Asset not found: \"../../etc/passwd\"");
  EXPECT_EQ(error_of({{"a.css", "@import 'b.css'"}, {"b.css", "@import 'a.css'"}}),
            "a.css:1: b.css:1: a.css: style sheets import each other in a cycle, so their hashes "
            "cannot be computed");
  EXPECT_NE(error_of({{"a.css", "@import 'a.css'"}}), "none");
  EXPECT_NE(error_of({{"a b.css", ""}}), "none");
  EXPECT_NE(error_of({{"a\".css", ""}}), "none");
}

TEST(BuiltAssets, AreCompressedWhereThatGains) {
  const auto assets =
      built({{"a.js", std::string(5000, 'x')}, {"b.js", "x"}, {"c.png", std::string(5000, 'x')}});
  EXPECT_LT(assets[0].gzip.size(), 100U);
  EXPECT_FALSE(assets[0].gzip.empty());
  EXPECT_FALSE(assets[0].brotli.empty());
  EXPECT_TRUE(assets[1].gzip.empty() && assets[1].brotli.empty());
  EXPECT_TRUE(assets[2].gzip.empty() && assets[2].brotli.empty());
}

TEST(BuiltAssets, AreBroughtInByTheAssembler) {
  const auto assets = built({{"a.txt", "one"}, {"b.txt", ""}, {"c.txt", "three"}});
  EXPECT_EQ(contents_of(assets), "onethree");
  const std::string source = source_of(assets, "my_assets", "/build/my_assets.bin");
  EXPECT_TRUE(source.contains(".incbin \\\"/build/my_assets.bin\\\"")) << source;
  EXPECT_TRUE(source.contains("{my_assets_contents + 3, 5}, {}, {}},")) << source;
  EXPECT_TRUE(source_of({}, "none", "/x").contains("return {kAssets, 0};"));
  EXPECT_TRUE(header_of("my_assets").contains("EmbeddedAssets my_assets() noexcept;"));
}

}  // namespace
}  // namespace eider::detail::embed
