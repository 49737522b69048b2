// The measuring service's answers out of a database: TechEmpower's five tests.
// Must not be tuned for the arena: it is what the documentation shows.
#pragma once

#include <eider/eider.h>

#include <string>
#include <vector>

namespace arena {

struct Fortune {
  int id = 0;
  std::string message;
};

struct FortunesPage {
  std::vector<Fortune> fortunes;
};

struct DatabaseOptions {
  std::string where;    // of PostgreSQL, "mysql://…" or "sqlite:FILE"; empty: there is none
  int connections = 4;  // of each loop, save with SQLite
};

/// GET /db, /queries?count=, /updates?count=, /fortunes, /cached-queries?count=
///
/// Pre: there is a `where`
/// errors  db::Failure(open), thrown: it is not understood
void add_database(eider::App& app, const DatabaseOptions& options);

}  // namespace arena
