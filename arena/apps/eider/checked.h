// The typed order of the arena: checked and behind five middlewares, and as it is.
// Must not be measured against anything that checks less.
#pragma once

#include <eider/eider.h>

namespace arena {

/// POST /checked and POST /unchecked: an order of twelve members, answered by its number and total.
void add_orders(eider::App& app);

}  // namespace arena
