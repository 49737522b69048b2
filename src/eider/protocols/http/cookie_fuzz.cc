// Cookie fields: each pair that is found can be set again.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/cookie.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  CookieReader cookies({reinterpret_cast<const char*>(data), size});
  while (const auto cookie = cookies.next()) {
    SetCookie set;
    set.name = std::string(cookie->name);
    set.value = std::string(cookie->value);
    const bool has_prefix = set.name.starts_with("__");
    ensure(has_prefix || to_header_value(set).has_value(), "what was read can be written");
  }
  return 0;
}
