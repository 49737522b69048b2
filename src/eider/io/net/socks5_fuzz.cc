// Messages of a SOCKS5 proxy: no byte beyond those that were read is used, and the number of bytes
// to read next is limited.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/io/net/socks5.h"

namespace {

using namespace eider;
using namespace eider::net;

/// The length of an address is one byte, and a port follows it.
constexpr std::size_t kRestBytesMax = 255 + 2;

/// The proxy's bytes, message by message, each in memory of exactly its size.
class Said {
 public:
  explicit Said(std::string_view all) noexcept : all_(all) {}
  [[nodiscard]] bool has(std::size_t bytes) const noexcept { return all_.size() >= bytes; }
  std::vector<char> take(std::size_t bytes) {
    std::vector<char> part(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(bytes));
    all_.remove_prefix(bytes);
    return part;
  }

 private:
  std::string_view all_;
};

std::string_view view(const std::vector<char>& bytes) {
  return {bytes.data(), bytes.size()};
}

/// Returns whether the proxy accepts requests for a host.
bool agree(Said& said, const Proxy& proxy) {
  if (!said.has(kSocksChoiceBytes)) {
    return false;
  }
  const auto method = read_socks_choice(view(said.take(kSocksChoiceBytes)), proxy);
  if (!method) {
    ensure(!method.error().empty(), "it is said what is wrong");
    return false;
  }
  if (*method == SocksMethod::none) {
    return true;
  }
  ensure(!proxy.user.empty(), "no password is given that was not offered");
  return said.has(kSocksVerdictBytes) && is_socks_accepted(view(said.take(kSocksVerdictBytes)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  Proxy proxy;
  proxy.user = data[0] % 2 == 0 ? "" : "u";
  Said said({reinterpret_cast<const char*>(data) + 1, size - 1});
  if (!agree(said, proxy) || !said.has(kSocksReplyBytes)) {
    return 0;
  }
  const auto rest_bytes = read_socks_reply(view(said.take(kSocksReplyBytes)));
  if (rest_bytes) {
    ensure(*rest_bytes >= 2 && *rest_bytes <= kRestBytesMax, "what follows has a bound");
  } else {
    ensure(!rest_bytes.error().empty(), "it is said what is wrong");
  }
  return 0;
}
