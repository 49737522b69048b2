// Where the next attempt to connect goes: the hosts in their order, with the numbers of their
// names. Must not block for a name.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "eider/data/db/postgres/target.h"
#include "eider/io/net/dns.h"
#include "eider/io/runtime/task.h"

namespace eider::db::postgres {

class TargetFinder {
 public:
  /// said  outlives it
  TargetFinder(Loop& loop, const Target& said) noexcept : loop_(loop), said_(said) {}

  /// No hosts when a name was not found.
  [[nodiscard]] Task<Target> find();
  /// Each failure to connect moves the first host to the end: libpq waits for one that is silent
  /// for as long as it may, and asks no other.
  void note_failure() noexcept;

 private:
  [[nodiscard]] Task<> look_up(const Host& host, std::vector<Host>& found);

  Loop& loop_;
  const Target& said_;
  std::unique_ptr<net::Dns> dns_;  // made for the first name
  bool is_unix_first_ = true;
  std::size_t failures_ = 0;
};

}  // namespace eider::db::postgres
