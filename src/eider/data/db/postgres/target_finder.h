// Chooses the target of the next connection attempt, with a local Unix socket first.
// Layering: must not block for name resolution.
#pragma once

#include <utility>
#include <vector>

#include "eider/data/db/postgres/target.h"
#include "eider/data/servers/host_finder.h"

namespace eider::db::postgres {

class TargetFinder {
 public:
  /// target  must outlive this
  TargetFinder(Loop& loop, const Target& target) noexcept : target_(target), hosts_(loop) {}

  /// No hosts if a name was not found.
  [[nodiscard]] Task<Target> find() {
    std::vector<Host> hosts = is_unix_first_ ? target_.unix_first() : target_.hosts;
    Target found{.hosts = {}, .others = target_.others, .auth = target_.auth, .warning = {}};
    found.hosts = co_await hosts_.find(std::move(hosts));
    co_return found;
  }
  void note_failure() noexcept {
    // The server may accept users at its port that it rejects at its socket, so both take turns.
    is_unix_first_ = !is_unix_first_;
    hosts_.note_failure();
  }

 private:
  const Target& target_;
  eider::detail::servers::HostFinder hosts_;
  bool is_unix_first_ = true;
};

}  // namespace eider::db::postgres
