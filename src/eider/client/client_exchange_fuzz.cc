// Fuzzes complete responses with content codings, trailers and chunk extensions: the outcome must
// not depend on how the bytes are cut, and must respect the limits.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/client/test_client_line.h"
#include "eider/core/base/assert.h"

namespace {

using namespace eider;
using namespace eider::testing;

// Small, so that the fuzzer reaches the limits.
constexpr std::size_t kContentBytesMax = 200;

ClientOptions options() {
  return {.body_bytes_max = kContentBytesMax,
          .head_bytes_max = 300,
          .headers_max = 8,
          .decompression = {.bytes_max = kContentBytesMax},
          .redirects_max = 0,
          .retries_max = 0};
}

/// Returns the outcome of a request if the server sends `first`, then `second`, and closes.
std::string outcome(Method method, std::string_view first, std::string_view second) {
  ClientLine line(options());
  SentRequest& asked = line.ask(method, "http://a/");
  line.say(first);
  line.say(second);
  line.end();
  ensure(asked.is_there(), "an end is one");
  if (!asked.is_response()) {
    ensure(!asked.reply->error().text.empty(), "it is said what is wrong");
    // Invalid and incomplete may both be true: the pieces determine which is reported.
    return "none";
  }
  ensure(asked.response().body().size() <= kContentBytesMax, "the content has a bound");
  return asked.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const Method method = data[0] % 2 == 0 ? Method::get : Method::head;
  const std::string_view in(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t cut = std::min<std::size_t>(data[1], in.size());
  ensure(outcome(method, in, {}) == outcome(method, in.substr(0, cut), in.substr(cut)),
         "the judgement does not depend on the pieces");
  return 0;
}
