#include "eider/app/sites.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/target.h"

namespace eider {

namespace {

/// Removes the port and a trailing dot: "Example.org.:8080", "[::1]:80".
std::string_view site_name_of(std::string_view authority) noexcept {
  std::string_view host = host_of(authority);
  if (host.size() > 1 && host.ends_with('.')) {
    host.remove_suffix(1);
  }
  return host;
}

bool is_below(std::string_view host, std::string_view suffix) noexcept {
  return host.size() > suffix.size() &&
         equals_ignoring_case(host.substr(host.size() - suffix.size()), suffix);
}

bool covers(std::string_view pattern, std::string_view host) noexcept {
  return pattern.starts_with('*') ? is_below(host, pattern.substr(1))
                                  : equals_ignoring_case(host, pattern);
}

}  // namespace

bool stands_for(std::string_view pattern, std::string_view authority) noexcept {
  return covers(pattern, site_name_of(authority));
}

Site& Sites::named(std::string_view host) {
  if (host.empty()) {
    return any_;
  }
  for (const std::unique_ptr<Site>& site : named_) {
    if (equals_ignoring_case(site->host, host)) {
      return *site;
    }
  }
  named_.push_back(std::make_unique<Site>());
  named_.back()->host = host;
  return *named_.back();
}

void Sites::freeze() {
  each([](Site& site) { site.router.freeze(); });
}

const Site& Sites::search(std::string_view authority) const noexcept {
  const std::string_view host = site_name_of(authority);
  const Site* best = &any_;
  for (const std::unique_ptr<Site>& site : named_) {
    if (!covers(site->host, host)) {
      continue;
    }
    // The exact name takes precedence over every "*.": a host with its own routes must not use
    // those of the wildcard.
    const bool is_exact = !site->host.starts_with('*');
    if (is_exact) {
      return *site;
    }
    best = site->host.size() > best->host.size() ? site.get() : best;
  }
  return *best;
}

}  // namespace eider
