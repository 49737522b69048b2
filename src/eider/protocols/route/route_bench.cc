#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/route/router.h"

namespace eider {
namespace {

/// The measured route and `others` more, half of them with parameters.
Router make_router(const char* pattern, std::size_t others) {
  Router router;
  (void)router.add(Method::get, pattern, 1);
  for (std::size_t i = 0; i < others; ++i) {
    const std::string number = std::to_string(i);
    const std::string other = i % 2 == 0 ? "/api/v1/things" + number + "/{id}/parts/{part}"
                                         : "/pages/section-" + number + "/index";
    (void)router.add(Method::get, other, static_cast<std::uint32_t>(i + 2));
  }
  router.freeze();
  return router;
}

void look_up(benchmark::State& state, const char* pattern, std::string path) {
  const Router router = make_router(pattern, static_cast<std::size_t>(state.range(0)) - 1);
  PathValues values;
  Buffer scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(path.data());
    benchmark::ClobberMemory();
    benchmark::DoNotOptimize(router.find(Method::get, path, values, scratch));
  }
}

void plain(benchmark::State& state) {
  look_up(state, "/plaintext", "/plaintext");
}
void two_parameters(benchmark::State& state) {
  look_up(state, "/users/{id}/posts/{pid}", "/users/123/posts/4567");
}
void rest(benchmark::State& state) {
  look_up(state, "/files/{rest...}", "/files/css/site.css");
}
void escaped(benchmark::State& state) {
  look_up(state, "/tags/{tag}", "/tags/caf%C3%A9%2Fbar");
}
void absent(benchmark::State& state) {
  look_up(state, "/plaintext", "/nothing/here");
}

/// One path for each of `count` routes of make_router, in random order, contiguous in memory like
/// requests.
class Paths {
 public:
  explicit Paths(std::size_t count) {
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      paths.push_back(i % 2 == 0 ? "/api/v1/things" + number + "/7/parts/8"
                                 : "/pages/section-" + number + "/index");
    }
    std::shuffle(paths.begin(), paths.end(), std::minstd_rand(1));
    for (const std::string& path : paths) {
      bytes_ += path;
      ends_.push_back(bytes_.size());
    }
  }

  std::string_view next() {
    const std::size_t begin = next_ == 0 ? 0 : ends_[next_ - 1];
    const std::string_view path(bytes_.data() + begin, ends_[next_] - begin);
    next_ = next_ + 1 == ends_.size() ? 0 : next_ + 1;
    return path;
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::size_t next_ = 0;
};

/// Another route each time: measures the effect of the caches with ten thousand routes.
void each_in_turn(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const Router router = make_router("/plaintext", count);
  Paths paths(count);
  PathValues values;
  Buffer scratch;
  for (auto _ : state) {
    benchmark::DoNotOptimize(router.find(Method::get, paths.next(), values, scratch));
  }
}

BENCHMARK(plain)->Arg(1)->Arg(5)->Arg(200)->Arg(10000);
BENCHMARK(two_parameters)->Arg(1)->Arg(5)->Arg(200)->Arg(10000);
BENCHMARK(rest)->Arg(1)->Arg(200)->Arg(10000);
BENCHMARK(escaped)->Arg(1)->Arg(10000);
BENCHMARK(absent)->Arg(1)->Arg(200)->Arg(10000);
BENCHMARK(each_in_turn)->Arg(1)->Arg(8)->Arg(200)->Arg(10000);

}  // namespace
}  // namespace eider
