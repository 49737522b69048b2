// Addresses and blocks: accepted values are written so that they read the same.
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/cidr.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto block = Cidr::parse(text)) {
    ensure(Cidr::parse(block->to_text()) == *block, "a block is written as it is read");
  }
  if (const auto address = IpAddress::parse(text)) {
    ensure(IpAddress::parse(address->to_text()) == address, "an address is written as it is read");
    ensure(Cidr::parse(text).value().contains(*address), "an address is a block of one");
  }
  (void)TrustedPeers::parse(text);
  return 0;
}
