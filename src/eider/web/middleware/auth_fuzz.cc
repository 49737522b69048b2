// Fuzzes Authorization: credentials can be written again, and contain no byte that could end a line
// of a log or a header.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/core/base/base64.h"
#include "eider/web/middleware/auth.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view field(reinterpret_cast<const char*>(data), size);
  if (const auto basic = parse_basic(field)) {
    const std::string pair = basic->user + ":" + basic->password;
    const auto again = parse_basic("Basic " + to_base64(pair));
    ensure(again && again->user == basic->user && again->password == basic->password,
           "credentials mean the same when they are written again");
    ensure(std::ranges::none_of(pair, [](char byte) { return byte >= 0 && byte < 0x20; }),
           "credentials have no control bytes");
    ensure(!basic->user.contains(':'), "a name has no colon");
  }
  if (const auto token = parse_bearer(field)) {
    ensure(!token->empty() && token->find_first_of(" \t\r\n\",;") == std::string_view::npos,
           "a token is a token68");
    ensure(parse_bearer("Bearer " + std::string(*token)) == token, "and is read again");
    ensure(!parse_basic(field), "no field is of two schemes");
  }
  return 0;
}
