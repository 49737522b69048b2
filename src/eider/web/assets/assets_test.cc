#include "eider/web/assets/assets.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"
#include "tests/support/served_directory.h"

namespace eider {
namespace {

constexpr EmbeddedAsset kEmbedded[] = {
    {"css/app.css", "css/app.0123.css", "sha256-aa+/=", "body { color: red }", "zipped", "br"},
    {"icon.svg", "icon.4567.svg", "sha256-bb", "<svg/>", {}, {}},
    {"void.txt", "void.89ab.txt", "sha256-cc", {}, {}, {}},
};

class AssetsTest : public ServedDirectory {
 protected:
  Assets embed(AssetsOptions options = {}) { return serve_assets(app_, kEmbedded, options); }
};

TEST_F(AssetsTest, AreKeptForGoodUnderTheirHashedNames) {
  const Assets assets = embed();
  EXPECT_EQ(asset_url(assets, "css/app.css"), "/assets/css/app.0123.css");
  const TestResponse reply = get(assets.url("css/app.css"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "body { color: red }");
  EXPECT_EQ(reply.header("Content-Type"), "text/css; charset=utf-8");
  EXPECT_EQ(reply.header("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(reply.header("Vary"), "Accept-Encoding");
  EXPECT_FALSE(reply.header("Last-Modified").has_value());
  EXPECT_EQ(assets.integrity("css/app.css"), "sha256-aa+/=");
}

TEST_F(AssetsTest, AreAskedAboutUnderTheirPlainNames) {
  embed();
  const TestResponse reply = get("/assets/icon.svg");
  EXPECT_EQ(reply.body, "<svg/>");
  EXPECT_EQ(reply.header("Cache-Control"), "no-cache");
  EXPECT_EQ(reply.header("Content-Type"), "image/svg+xml");
  EXPECT_FALSE(reply.header("Vary").has_value());
}

TEST_F(AssetsTest, EncodedSlashesDoNotSeparateFolders) {
  embed();
  for (const char* path : {"/assets/css%2Fapp.css", "/assets/%63ss%2fapp.0123.css"}) {
    EXPECT_EQ(get(path).status, 404) << path;
    EXPECT_EQ(head(path).status, 404) << path;
  }
}

TEST_F(AssetsTest, AreSentInTheSmallestCodingThatIsTaken) {
  embed();
  const TestResponse smallest = get("/assets/css/app.css", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(smallest.header("Content-Encoding"), "br");
  EXPECT_EQ(smallest.body, "br");
  const TestResponse zipped = get("/assets/css/app.css", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(zipped.header("Content-Encoding"), "gzip");
  EXPECT_EQ(zipped.body, "zipped");
  EXPECT_NE(zipped.header("ETag"), smallest.header("ETag"));
  EXPECT_EQ(get("/assets/icon.svg", {{"Accept-Encoding", "gzip, br"}}).body, "<svg/>");
}

TEST_F(AssetsTest, ResponseConditionsAndRanges) {
  embed();
  const std::string path = "/assets/css/app.0123.css";
  const std::string tag(get(path).header("ETag").value_or(""));
  const TestResponse known = get(path, {{"If-None-Match", tag}});
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.header("Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(get(path, {{"If-Match", "\"other\""}}).status, 412);
  const TestResponse part = get(path, {{"Range", "bytes=5-10"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "{ colo");
  EXPECT_EQ(get(path, {{"Range", "bytes=0-1,5-6"}}).status, 206);
  EXPECT_EQ(get(path, {{"Range", "bytes=99-"}}).status, 416);
  EXPECT_EQ(get(path, {{"Range", "bytes=0-1"}, {"If-Range", "\"other\""}}).status, 200);
}

TEST_F(AssetsTest, MayBeEmpty) {
  embed();
  const TestResponse reply = get("/assets/void.txt");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "");
}

TEST_F(AssetsTest, ThatAreNotThereAreToldByName) {
  const Assets assets = embed();
  for (const char* const name : {"app.css", "", "zzz", "css/app.0123.css"}) {
    EXPECT_THROW((void)assets.url(name), Failure) << name;
    EXPECT_THROW((void)assets.integrity(name), Failure) << name;
  }
  try {
    (void)assets.url("lost.js");
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "Asset not found: \"lost.js\" in the program");
  }
  for (const char* const path : {"/assets/", "/assets/app.css", "/assets/css/../icon.svg"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(AssetsTest, ComeFromADirectoryWhileOneDevelops) {
  write("root/css/app.css", "first");
  const Assets assets = embed({.development_directory = (base_ / "root").string()});
  EXPECT_EQ(assets.url("css/app.css"), "/assets/css/app.css");
  EXPECT_EQ(assets.integrity("css/app.css"), "");
  EXPECT_EQ(get("/assets/css/app.css").body, "first");
  EXPECT_EQ(get("/assets/css/app.css").header("Cache-Control"), "no-cache");
  write("root/css/app.css", "second");
  EXPECT_EQ(get("/assets/css/app.css").body, "second");
  EXPECT_THROW((void)assets.url("icon.svg"), Failure);
  EXPECT_THROW(serve_assets(app_, kEmbedded, {.prefix = "/b", .development_directory = "/none"}),
               Failure);
}

TEST_F(AssetsTest, LieBelowAnyPrefix) {
  EXPECT_EQ(embed({.prefix = "/"}).url("icon.svg"), "/icon.4567.svg");
  EXPECT_EQ(embed({.prefix = "/a/b/"}).url("icon.svg"), "/a/b/icon.4567.svg");
  EXPECT_EQ(get("/icon.4567.svg").body, "<svg/>");
  EXPECT_EQ(get("/a/b/icon.svg").body, "<svg/>");
}

TEST_F(AssetsTest, LieBelowThePrefixOfTheirGroup) {
  write("root/a.css", "first");
  Routes shop = app_.group("/shop");
  Routes inner = shop.group("/old");
  const Assets assets = serve_assets(shop, kEmbedded, {.prefix = "/files"});
  const Assets old = serve_assets(inner, kEmbedded);
  const Assets fresh = serve_assets(
      inner, kEmbedded, {.prefix = "/fresh", .development_directory = (base_ / "root").string()});
  EXPECT_EQ(assets.url("icon.svg"), "/shop/files/icon.4567.svg");
  EXPECT_EQ(old.url("icon.svg"), "/shop/old/assets/icon.4567.svg");
  EXPECT_EQ(old.name("icon.svg"), "icon.4567.svg");
  EXPECT_EQ(fresh.url("a.css"), "/shop/old/fresh/a.css");
  EXPECT_EQ(get(assets.url("icon.svg")).body, "<svg/>");
  EXPECT_EQ(get(old.url("icon.svg")).body, "<svg/>");
  EXPECT_EQ(get(fresh.url("a.css")).body, "first");
}

}  // namespace
}  // namespace eider
