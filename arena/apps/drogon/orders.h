// POST /unchecked and POST /checked: the typed order, read from jsoncpp's values and checked by
// hand, as Drogon brings neither. Must not parse anew what Drogon has parsed.
#pragma once

namespace arena {

/// Adds both; the latter stands behind the middlewares of around.h.
void add_orders();

}  // namespace arena
