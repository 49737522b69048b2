#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/route/pattern.h"
#include "eider/protocols/route/router.h"
#include "eider/protocols/route/test_slow_match.h"

namespace eider {
namespace {

/// Creates routes and paths from few words, so that they often match.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }
  template <std::size_t N>
  std::string pick(const char* const (&words)[N]) {
    return words[below(N)];
  }
  Method method() { return static_cast<Method>(below(10)); }

  std::string pattern() {
    static constexpr const char* kWords[] = {"a",      "b",   "a", "{x}", "{x}",
                                             "{r...}", "a.b", "",  "{x}", "longer-than-a-word"};
    return join(4, [&](std::size_t i) {
      const std::string word = pick(kWords);
      return word == "{x}" ? "{x" + std::to_string(i) + "}" : word;
    });
  }
  std::string path() {
    static constexpr const char* kWords[] = {"a",
                                             "b",
                                             "a",
                                             "b",
                                             "a",
                                             "b",
                                             "c",
                                             "a.b",
                                             "",
                                             ".",
                                             "..",
                                             "%61",
                                             "a%2fb",
                                             "%2e%2e",
                                             "a%2F..",
                                             "%2525",
                                             "%",
                                             "%00",
                                             "longer-than-a-word",
                                             "a",
                                             "b",
                                             "x",
                                             "y"};
    return join(5, [&](std::size_t) { return pick(kWords); });
  }

 private:
  template <class Word>
  std::string join(std::size_t count_max, Word word) {
    std::string text;
    const std::size_t count = 1 + below(count_max);
    for (std::size_t i = 0; i < count; ++i) {
      text += "/" + word(i);
    }
    return text;
  }

  std::minstd_rand random_;
};

void expect_same(const Router& router, const std::vector<route::slow::Route>& routes, Method method,
                 const std::string& path) {
  PathValues values;
  Buffer scratch;
  const Lookup lookup = router.find(method, path, values, scratch);
  const route::slow::Answer wanted = route::slow::find(routes, method, path);
  ASSERT_EQ(static_cast<int>(lookup.kind), static_cast<int>(wanted.kind)) << path;
  ASSERT_EQ(lookup.endpoint, wanted.endpoint) << path;
  ASSERT_EQ(lookup.allow_text(), wanted.allow) << path;
  if (lookup.kind != Lookup::Kind::found) {
    return;
  }
  ASSERT_EQ(values.size(), wanted.values.size()) << path;
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], wanted.values[i]) << path;
  }
}

TEST(Router, answers_as_the_obvious_matcher_does_on_random_routes_and_paths) {
  int found = 0;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Dice dice(seed);
    Router router;
    std::vector<route::slow::Route> routes;
    const std::size_t wanted = 1 + dice.below(40);
    for (std::uint32_t i = 0; i < wanted; ++i) {
      const route::slow::Route route{dice.method(), dice.pattern(), i};
      if (router.add(route.method, route.pattern, i)) {
        routes.push_back(route);
      }
    }
    router.freeze();
    for (int i = 0; i < 250; ++i) {
      const std::string path = dice.path();
      expect_same(router, routes, dice.method(), path);
      found += route::slow::find(routes, Method::get, path).kind == route::slow::Answer::Kind::found
                   ? 1
                   : 0;
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(found, 1250) << "the draw is too wide to say much";
}

}  // namespace
}  // namespace eider
