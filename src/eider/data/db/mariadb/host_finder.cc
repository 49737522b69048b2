#include "eider/data/db/mariadb/host_finder.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace eider::db::mariadb {

Task<std::vector<Host>> HostFinder::find() {
  std::vector<Host> hosts;
  for (const Host& host : said_.hosts) {
    // Where the socket was not written, it is one of two ways to this machine.
    const bool is_passed_over =
        host.is_unix() && said_.hosts.size() > 1 && ::access(host.address.c_str(), W_OK) != 0;
    if (host.address.empty()) {
      co_await look_up(host, hosts);
    } else if (!is_passed_over) {
      hosts.push_back(host);
    }
  }
  if (!hosts.empty()) {
    const auto first = static_cast<std::ptrdiff_t>(failures_ % hosts.size());
    std::ranges::rotate(hosts, hosts.begin() + first);
  }
  co_return hosts;
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

}  // namespace eider::db::mariadb
