// What comes out of a database, on lithium's pgsql client: TechEmpower's tests and HttpArena's.
// Must not capture anything in a handler: lithium writes over the last one while that waits.
#pragma once

#include <lithium_http_server.hh>
#include <lithium_pgsql.hh>

#include "../common/adapter.h"
#include "../common/rows.h"
#include "symbols.h"

namespace arena {

/// Where all handlers ask. Each loop opens connections of its own.
li::pgsql_database& database();

/// Says where PostgreSQL is and adds all routes, if options.database says it.
void add_database(li::http_api& api, const Options& options);

/// A part of it: what concerns the table items.
void add_items(li::http_api& api);

}  // namespace arena
