// What comes out of a database, on Drogon's DbClient: the tests of TechEmpower and of HttpArena.
// Must not open more connections of a loop than it is told.
#pragma once

#include <drogon/drogon.h>

#include <optional>
#include <string>

#include "../common/adapter.h"
#include "../common/rows.h"

namespace arena {

struct Fortune {
  int id = 0;
  std::string message;
};

/// A whole number of the query, or nothing.
inline std::optional<int> asked(const drogon::HttpRequestPtr& request, const std::string& name) {
  return whole(request->getParameter(name));
}

/// Registers the client that each loop has for itself, and all routes; options.database says where
/// PostgreSQL is.
void add_database(const Options& options);

/// A part of it: what concerns the table items.
void add_items();

}  // namespace arena
