// URLs: decoding never grows a text, and what was decoded can be encoded and decoded again.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const auto decoded = percent_decode(in, Plus::space);
  if (decoded.has_value()) {
    ensure(decoded->size() <= in.size(), "decoding never grows");
    ensure(percent_decode(percent_encode(*decoded), Plus::space) == *decoded, "both ways");
  }
  ensure(percent_decode(percent_encode(in), Plus::literal) == in, "all bytes can be encoded");
  std::size_t bytes = 0;
  QueryReader pairs(in);
  while (const auto pair = pairs.next()) {
    bytes += pair->name.size() + pair->value.size();
  }
  ensure(bytes <= in.size(), "pairs are parts");
  return 0;
}
