// Connects to one server: tries the hosts in order, logs in and sets up the session.
// Layering: must not run twice at a time.
#pragma once

#include <string>
#include <vector>

#include "eider/data/db/mariadb/canceller.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/mariadb/target.h"
#include "eider/data/db/mariadb/wire.h"
#include "eider/io/runtime/timer.h"

namespace eider::db::mariadb {

/// What all loops share.
struct Settings {
  Target target;
  MariadbOptions options;
};

class Connecting final : private Timer {
 public:
  /// The others outlive it.
  Connecting(Loop& loop, Wire& wire, const Settings& settings) noexcept
      : loop_(loop), wire_(wire), settings_(settings) {}

  /// finding  gives hosts with numbers; none when no name was found
  /// errors   throws Broken
  [[nodiscard]] Task<Thread> connect(Task<std::vector<Host>> finding);

 private:
  void expire() override { wire_.give_up("the server does not respond"); }
  [[nodiscard]] Task<std::string> try_host(const Host& host, Thread* thread);

  Loop& loop_;
  Wire& wire_;
  const Settings& settings_;
};

}  // namespace eider::db::mariadb
