// Dates: accepted dates can be written and read again.
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/date.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const auto seconds = parse_date({reinterpret_cast<const char*>(data), size}, 1'700'000'000);
  if (seconds.has_value() && *seconds <= 253402300799) {
    const DateText text = format_date(*seconds);
    ensure(parse_date({text.data(), text.size()}, 0) == seconds, "a date is read as written");
  }
  return 0;
}
