// Selects the virtual host of a request: a router for each name, and one for all other names.
// Layering: must not change after freeze(), because all event loops share it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/endpoint.h"
#include "eider/protocols/route/router.h"

namespace eider {

/// The routes of one host, and the endpoint for paths without a route.
struct Site {
  std::string host;  // lower case; "*.example.org": all names below; empty: any host
  Router router;
  Endpoint unrouted;
};

/// Returns whether `pattern`, as for App::host, matches the host of an authority "host[:port]".
/// Case and a trailing dot are ignored.
[[nodiscard]] bool stands_for(std::string_view pattern, std::string_view authority) noexcept;

class Sites {
 public:
  /// Returns the site with that name; creates it if there is none.
  [[nodiscard]] Site& named(std::string_view host);
  void freeze();

  /// Returns the site for an authority "host[:port]": the one with the exact name, else the one
  /// with the longest matching "*.suffix", else the site for any host. Case and a trailing dot are
  /// ignored.
  ///
  /// cost  none if the app has no virtual hosts
  [[nodiscard]] const Site& of(std::string_view authority) const noexcept {
    return named_.empty() ? any_ : search(authority);
  }

  /// Calls `visit` for the site for any host, then for each virtual host.
  template <class Visit>
  void each(Visit visit) {
    visit(any_);
    for (const std::unique_ptr<Site>& site : named_) {
      visit(*site);
    }
  }

 private:
  [[nodiscard]] const Site& search(std::string_view authority) const noexcept;

  Site any_;
  std::vector<std::unique_ptr<Site>> named_;
};

}  // namespace eider
