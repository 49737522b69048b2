// Which virtual host a request is for: a router for each name, and one for all others.
// Must not change once it is frozen: all loops share it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "eider/app/endpoint.h"
#include "eider/route/router.h"

namespace eider {

/// One host's routes, and what runs where none of them matches.
struct Site {
  std::string host;  // lower case; "*.example.org" stands for all below; empty: any
  Router router;
  Endpoint unrouted;
};

class Sites {
 public:
  Sites();

  /// The site of that name, made when there is none.
  [[nodiscard]] Site& named(std::string_view host);
  void freeze();

  /// The site that answers for an authority "host[:port]": the name itself, else the longest
  /// "*.suffix" above it, else the site of any host. Case and a dot at the end do not count.
  ///
  /// cost  nothing where no host was named
  [[nodiscard]] const Site& of(std::string_view authority) const noexcept {
    return sites_.size() == 1 ? sites_.front() : search(authority);
  }

  [[nodiscard]] std::deque<Site>& all() noexcept { return sites_; }

 private:
  [[nodiscard]] const Site& search(std::string_view authority) const noexcept;

  std::deque<Site> sites_;  // the first is any host's; the others from the longest name on
};

}  // namespace eider
