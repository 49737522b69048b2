// Answers to the whole client, with codings, trailers and the extensions of chunks: what comes of
// them does not depend on how the bytes were cut, and keeps its bounds.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/client/test_client_line.h"
#include "eider/core/base/assert.h"

namespace {

using namespace eider;
using namespace eider::testing;

// Small ones, so that the limits are found too.
constexpr std::size_t kContentBytesMax = 200;

ClientOptions options() {
  return {.body_bytes_max = kContentBytesMax,
          .head_bytes_max = 300,
          .headers_max = 8,
          .decompression = {.bytes_max = kContentBytesMax},
          .redirects_max = 0,
          .retries_max = 0};
}

/// What a request comes to when the server says `first`, then `second`, and ends.
std::string outcome(Method method, std::string_view first, std::string_view second) {
  ClientLine line(options());
  SentRequest& asked = line.ask(method, "http://a/");
  line.say(first);
  line.say(second);
  line.end();
  ensure(asked.is_there(), "an end is one");
  if (!asked.is_response()) {
    ensure(!asked.reply->error().text.empty(), "it is said what is wrong");
    return "none";  // bad and cut off may both be true: which one is told depends on the pieces
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
