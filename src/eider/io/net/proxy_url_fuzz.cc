// URLs of proxies, and lists of hosts without a proxy.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/io/net/proxy.h"

using namespace eider;

/// A proxy's URL, and after a line feed a list.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(in.find('\n'), in.size());
  const auto proxy = net::read_proxy(in.substr(0, end));
  ensure(!proxy || (proxy->port != 0 && !proxy->host.empty()), "a proxy is somewhere");
  const net::ProxyExceptions exceptions(in.substr(std::min(end + 1, in.size())));
  static_cast<void>(exceptions.cover("10.0.0.1", 80));
  static_cast<void>(exceptions.cover("a.example.com", 8080));
  return 0;
}
