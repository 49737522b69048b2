#include <gtest/gtest.h>

#include <string>

#include "eider/web/files/path_policy.h"

namespace eider::detail::files {
namespace {

TEST(Glob, matches_names_at_any_depth) {
  for (const auto& [pattern, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"*.css", "a.css"},
           {"*.css", "a/b/c.css"},
           {"*.css", ".css"},
           {"*", "a"},
           {"*", "a/b"},
           {"a?c", "abc"},
           {"app.*.js", "x/app.1234.js"},
           {"*a*b*", "xxaxxbxx"},
           {"*aab", "aaab"},
           {"index.html", "index.html"},
           {"index.html", "docs/index.html"},
           {"***.css", "a.css"},
       }) {
    EXPECT_TRUE(matches_glob(pattern, path)) << pattern << ' ' << path;
  }
}

TEST(Glob, matches_whole_paths) {
  for (const auto& [pattern, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"assets/*", "assets/a.css"},
           {"assets/**", "assets/a/b.css"},
           {"assets/**", "assets/"},
           {"**/a.css", "x/y/a.css"},
           {"a/*/c", "a/b/c"},
           {"a/**/c/*.js", "a/b/b/c/x.js"},
           {"a/**/*b/c", "a/x/y/bb/b/c"},
           {"**/x/*.js", "x/x/a.js"},
           {"/", "/"},
       }) {
    EXPECT_TRUE(matches_glob(pattern, path)) << pattern << ' ' << path;
  }
}

TEST(Glob, matches_nothing_else) {
  for (const auto& [pattern, path] : std::initializer_list<std::pair<const char*, const char*>>{
           {"*.css", "a.css.map"},
           {"*.css", "a.CSS"},
           {"*.css", "css"},
           {"", "a"},
           {"a", ""},
           {"?", ""},
           {"a?c", "ac"},
           {"assets/*", "assets/a/b.css"},
           {"assets/*", "x/assets/a.css"},
           {"assets/?", "assets//"},
           {"a/*/c", "a/b/b/c"},
           {"**/a.css", "a.css"},
           {"assets/**", "asset/a"},
           {"a/**/c/*.js", "a/b/c/d/x.js"},
           {"*a*b*c", "abcab"},
       }) {
    EXPECT_FALSE(matches_glob(pattern, path)) << pattern << ' ' << path;
  }
}

/// The definition, implemented by trying all matches.
bool matches_by_definition(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) {
    return path.empty();
  }
  if (pattern.front() != '*') {
    return !path.empty() &&
           (pattern.front() == '?' ? path.front() != '/' : path.front() == pattern.front()) &&
           matches_by_definition(pattern.substr(1), path.substr(1));
  }
  const bool is_wide = pattern.starts_with("**");
  const std::string_view rest = pattern.substr(is_wide ? 2 : 1);
  return matches_by_definition(rest, path) || (!path.empty() && (is_wide || path.front() != '/') &&
                                               matches_by_definition(pattern, path.substr(1)));
}

/// Returns the text whose digits, in base letters.size(), are those of `number`.
std::string spelled(std::string_view letters, std::size_t number) {
  std::string text;
  for (; number != 0; number /= letters.size()) {
    text += letters[number % letters.size()];
  }
  return text;
}

TEST(Glob, matches_what_its_definition_does) {
  std::size_t matches = 0;
  for (std::size_t i = 1; i < 6'000; ++i) {
    const std::string pattern = "/" + spelled("*a/?b", i);
    for (std::size_t j = 1; j < 400; j += 1 + i % 3) {
      const std::string path = "/" + spelled("ab/", j);
      const bool is_match = matches_by_definition(pattern, path);
      ASSERT_EQ(matches_glob(pattern, path), is_match) << pattern << ' ' << path;
      matches += is_match ? 1 : 0;
    }
  }
  EXPECT_GT(matches, 3'000U);
}

TEST(Glob, takes_no_longer_for_many_stars) {
  std::string pattern = "/";
  for (int i = 0; i < 30; ++i) {
    pattern += "**a*";
  }
  EXPECT_FALSE(matches_glob(pattern + "b", "/" + std::string(5000, 'a')));
}

TEST(FirstMatch, is_decided_by_the_order_of_the_rules) {
  const std::vector<FileRule> rules = {{"a.css", "1"}, {"*.css", "2"}, {"*", "3"}};
  EXPECT_EQ(first_match(rules, "x/a.css")->value, "1");
  EXPECT_EQ(first_match(rules, "b.css")->value, "2");
  EXPECT_EQ(first_match(rules, "b.js")->value, "3");
  EXPECT_EQ(first_match({}, "b.js"), nullptr);
}

}  // namespace
}  // namespace eider::detail::files
