// The connections of one event loop to one PostgreSQL server.
// Layering: must not repeat the code for all drivers in db/loop_sessions.h.
#pragma once

#include <cstddef>
#include <string_view>

#include "eider/data/db/loop_sessions.h"
#include "eider/data/db/postgres/session.h"
#include "eider/data/db/postgres/statement_kinds.h"
#include "eider/data/db/postgres/target_finder.h"

namespace eider::db::postgres {

struct PostgresDriver {
  using Session = postgres::Session;
  using Place = Target;
  using Finder = TargetFinder;
  using Settings = postgres::Settings;
  static constexpr std::string_view kServer = "PostgreSQL";
  static constexpr std::size_t kBatchMax = 16;
  static bool may_go_together(std::string_view sql) { return is_plain_read(sql); }
  static bool may_do_again(const Settings& settings) noexcept { return settings.is_replica; }
};

using LoopSessions = db::LoopSessions<PostgresDriver>;

}  // namespace eider::db::postgres
