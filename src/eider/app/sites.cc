#include "eider/app/sites.h"

#include <algorithm>

#include "eider/base/text.h"

namespace eider {

namespace {

/// "Example.org.:8080" and "[::1]:80" without port and dot.
std::string_view host_of(std::string_view authority) noexcept {
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  std::string_view host = authority.substr(0, colon);
  if (host.size() > 1 && host.ends_with('.')) {
    host.remove_suffix(1);
  }
  return host;
}

bool is_below(std::string_view host, std::string_view suffix) noexcept {
  return host.size() > suffix.size() &&
         equals_ignoring_case(host.substr(host.size() - suffix.size()), suffix);
}

bool answers_for(const Site& site, std::string_view host) noexcept {
  return site.host.starts_with('*') ? is_below(host, std::string_view(site.host).substr(1))
                                    : equals_ignoring_case(host, site.host);
}

}  // namespace

Sites::Sites() : sites_(1) {}

Site& Sites::named(std::string_view host) {
  const auto found = std::ranges::find_if(
      sites_, [host](const Site& site) { return equals_ignoring_case(site.host, host); });
  if (found != sites_.end()) {
    return *found;
  }
  return sites_.emplace_back(Site{.host = std::string(host), .router = {}, .unrouted = {}});
}

void Sites::freeze() {
  for (Site& site : sites_) {
    site.router.freeze();
  }
}

const Site& Sites::search(std::string_view authority) const noexcept {
  const std::string_view host = host_of(authority);
  const Site* best = &sites_.front();
  for (const Site& site : sites_) {
    if (!site.host.empty() && answers_for(site, host)) {
      const bool is_exact = !site.host.starts_with('*');
      if (is_exact) {
        return site;
      }
      best = site.host.size() > best->host.size() ? &site : best;
    }
  }
  return *best;
}

}  // namespace eider
