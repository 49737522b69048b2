// Accept-Encoding fields: the chosen coding is acceptable, and none is preferred to it.
#include <array>
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/accept_encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  constexpr std::array<std::string_view, 3> kOffered = {"zstd", "br", "gzip"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');  // two fields if there is a line break
  AcceptEncoding accepted;
  accepted.add(text.substr(0, line));
  accepted.add(line == std::string_view::npos ? "" : text.substr(line + 1));
  const auto chosen = accepted.choose(kOffered);
  const Weight weight = chosen ? accepted.weight_of(kOffered[*chosen]) : Weight{0};
  ensure(!chosen || weight > 0, "what is chosen is acceptable");
  for (const std::string_view coding : kOffered) {
    ensure(!chosen || accepted.weight_of(coding) <= weight, "nothing is wanted more");
  }
  ensure(!chosen || accepted.identity_weight().value_or(Weight{0}) <= weight,
         "not even the content as it is");
  return 0;
}
