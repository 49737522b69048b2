#include "eider/data/db/postgres/target_finder.h"

#include <algorithm>
#include <string>

namespace eider::db::postgres {

void TargetFinder::note_failure() noexcept {
  // The socket of this machine may let others in than its port does: both take turns.
  is_unix_first_ = !is_unix_first_;
  ++failures_;
}

Task<Target> TargetFinder::find() {
  const Target said = is_unix_first_ ? said_.with_unix_first() : said_;
  Target target{.hosts = {}, .others = said.others, .auth = said.auth, .warning = {}};
  for (const Host& host : said.hosts) {
    if (host.needs_lookup()) {
      co_await look_up(host, target.hosts);
    } else {
      target.hosts.push_back(host);
    }
  }
  if (!target.hosts.empty()) {
    const auto first = static_cast<std::ptrdiff_t>(failures_ % target.hosts.size());
    std::ranges::rotate(target.hosts, target.hosts.begin() + first);
  }
  co_return target;
}

Task<> TargetFinder::look_up(const Host& host, std::vector<Host>& found) {
  if (host.host == "localhost") {
    for (const char* address : {"127.0.0.1", "::1"}) {
      found.push_back({.host = host.host, .address = address, .port = host.port});
    }
    co_return;
  }
  if (dns_ == nullptr) {
    dns_ = std::make_unique<net::Dns>(loop_, net::DnsOptions());
  }
  for (const net::DnsFamily family : {net::DnsFamily::v6, net::DnsFamily::v4}) {
    const net::DnsAnswer answer = co_await dns_->find(host.host, family);
    for (const std::string& address : answer.value_or(std::vector<std::string>())) {
      found.push_back({.host = host.host, .address = address, .port = host.port});
    }
  }
}

}  // namespace eider::db::postgres
