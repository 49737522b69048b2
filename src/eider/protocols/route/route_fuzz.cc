// Patterns, and a path from a client: the router gives the same results as the obvious matcher.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/route/router.h"
#include "eider/protocols/route/test_slow_match.h"

namespace {

using namespace eider;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

/// First byte: the method. The rest: the pattern.
void add(Router& router, std::vector<route::slow::Route>& routes, std::string_view line) {
  if (line.empty()) {
    return;
  }
  const auto method = static_cast<Method>(static_cast<unsigned char>(line.front()) % 10U);
  const std::string pattern(line.substr(1));
  const auto endpoint = static_cast<std::uint32_t>(routes.size());
  if (router.add(method, pattern, endpoint)) {
    routes.push_back({method, pattern, endpoint});
  }
}

void compare(const Router& router, const std::vector<route::slow::Route>& routes, Method method,
             const std::string& path) {
  PathValues values;
  Buffer scratch;
  const Lookup lookup = router.find(method, path, values, scratch);
  const route::slow::Answer wanted = route::slow::find(routes, method, path);
  ensure(static_cast<int>(lookup.kind) == static_cast<int>(wanted.kind), "another kind");
  ensure(lookup.endpoint == wanted.endpoint, "another endpoint");
  ensure(lookup.allow_text() == wanted.allow, "another Allow");
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    ensure(values[i] == wanted.values[i], "another value");
  }
}

}  // namespace

/// The first line: a byte for the method, and the path. Then one route per line, at most 16.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view question = take_line(input);
  Router router;
  std::vector<route::slow::Route> routes;
  for (int i = 0; i < 16 && !input.empty(); ++i) {
    add(router, routes, take_line(input));
  }
  router.freeze();
  if (question.size() >= 2 && question[1] == '/') {
    const auto method = static_cast<Method>(static_cast<unsigned char>(question.front()) % 10U);
    compare(router, routes, method, std::string(question.substr(1)));
  }
  return 0;
}
