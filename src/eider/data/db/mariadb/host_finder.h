// Where the next attempt to connect goes: the hosts in their order, with the numbers of their
// names. Must not block for a name.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "eider/data/db/mariadb/target.h"
#include "eider/io/net/dns.h"
#include "eider/io/runtime/task.h"

namespace eider::db::mariadb {

class HostFinder {
 public:
  /// said  outlives it
  HostFinder(Loop& loop, const Target& said) noexcept : loop_(loop), said_(said) {}

  /// None when no name was found.
  [[nodiscard]] Task<std::vector<Host>> find();
  /// Each failure to connect moves the first host to the end: one that is silent takes the time of
  /// others.
  void note_failure() noexcept { ++failures_; }

 private:
  [[nodiscard]] Task<> look_up(const Host& host, std::vector<Host>& found);

  Loop& loop_;
  const Target& said_;
  std::unique_ptr<net::Dns> dns_;  // made for the first name
  std::size_t failures_ = 0;
};

}  // namespace eider::db::mariadb
