// The orders of the user as JSON.
// Layering: must not know carts.
#pragma once

#include <eider/eider.h>

namespace bookstore {

/// Adds routes below /api/orders.
void add_order_api(eider::Routes& api);

}  // namespace bookstore
