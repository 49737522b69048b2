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

/// One host's routes, and what runs where none of them matches.
struct Site {
  std::string host;  // lower case; "*.example.org" stands for all below; empty: any
  Router router;
  Endpoint unrouted;
};

/// Whether `pattern`, as App::host takes one, stands for the host of an authority "host[:port]".
/// Case and a dot at the end do not count.
[[nodiscard]] bool stands_for(std::string_view pattern, std::string_view authority) noexcept;

class Sites {
 public:
  /// The site of that name, made when there is none.
  [[nodiscard]] Site& named(std::string_view host);
  void freeze();

  /// The site that answers for an authority "host[:port]": the name itself, else the longest
  /// "*.suffix" above it, else the site of any host. Case and a dot at the end do not count.
  ///
  /// cost  nothing where no host was named
  [[nodiscard]] const Site& of(std::string_view authority) const noexcept {
    return named_.empty() ? any_ : search(authority);
  }

  /// Of any host, then of each that was named.
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
