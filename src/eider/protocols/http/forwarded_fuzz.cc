// Forwarding fields: an untrusted end is the origin, regardless of the text to its left.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/forwarded.h"

namespace {

using namespace eider;

void check(std::string_view left, std::string_view name, std::string_view right,
           ForwardedHeaders kind) {
  static const TrustedPeers trusted = TrustedPeers::parse("10.0.0.0/8").value();
  const IpAddress peer = IpAddress::parse("10.0.0.1").value();
  const std::array<Field, 1> alone{{{name, left}}};
  const RequestOrigin from_left = find_origin(peer, alone, kind, trusted);
  ensure(from_left.hops <= kForwardedHopsMax, "chains are bounded");
  const std::string line = std::string(left) + "," + std::string(right);
  const std::array<Field, 1> followed{{{name, line}}};
  const RequestOrigin origin = find_origin(peer, followed, kind, trusted);
  ensure(origin.address == IpAddress::parse("192.0.2.1"), "the left changes nothing");
  ensure(origin.hops == 1, "and is not looked at");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, "Forwarded", "for=\"192.0.2.1:80\"", ForwardedHeaders::forwarded);
  check(text, "X-Forwarded-For", "192.0.2.1", ForwardedHeaders::x_forwarded);
  (void)read_forwarded_element(text);
  (void)read_x_forwarded_node(text);
  return 0;
}
