#include "eider/data/servers/host_finder.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace eider::detail::servers {

Task<std::vector<Host>> HostFinder::find(std::vector<Host> hosts) {
  std::vector<Host> found;
  for (Host& host : hosts) {
    const bool is_skipped = hosts.size() > 1 && host.address.starts_with('/') &&
                            ::access(host.address.c_str(), W_OK) != 0;
    if (host.needs_lookup()) {
      co_await look_up(host, found);
    } else if (!is_skipped) {
      found.push_back(std::move(host));
    }
  }
  if (!found.empty()) {
    const auto first = static_cast<std::ptrdiff_t>(failures_ % found.size());
    std::ranges::rotate(found, found.begin() + first);
  }
  co_return found;
}

Task<> HostFinder::look_up(const Host& host, std::vector<Host>& found) {
  if (host.name == "localhost") {
    for (const char* address : {"127.0.0.1", "::1"}) {
      found.push_back({.name = host.name, .address = address, .port = host.port});
    }
    co_return;
  }
  if (dns_ == nullptr) {
    dns_ = std::make_unique<net::Dns>(loop_, net::DnsOptions());
  }
  for (const net::DnsFamily family : {net::DnsFamily::v6, net::DnsFamily::v4}) {
    const net::DnsAnswer answer = co_await dns_->find(host.name, family);
    for (const std::string& address : answer.value_or(std::vector<std::string>())) {
      found.push_back({.name = host.name, .address = address, .port = host.port});
    }
  }
}

}  // namespace eider::detail::servers
