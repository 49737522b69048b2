// The connections of one loop to one server of PostgreSQL.
// Must not repeat what they do for every driver: db/loop_sessions.h.
#pragma once

#include <string_view>

#include "eider/db/loop_sessions.h"
#include "eider/db/postgres/session.h"
#include "eider/db/postgres/target_finder.h"

namespace eider::db::postgres {

struct PostgresDriver {
  using Session = postgres::Session;
  using Place = Target;
  using Finder = TargetFinder;
  using Settings = postgres::Settings;
  static constexpr std::string_view kServer = "PostgreSQL";
  static bool may_do_again(const Settings& settings) noexcept { return settings.is_replica; }
};

using LoopSessions = db::LoopSessions<PostgresDriver>;

}  // namespace eider::db::postgres
