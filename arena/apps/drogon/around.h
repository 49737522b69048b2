// The five middlewares around the checked order, on Drogon's HttpMiddleware.
// Must not stand around any other route.
#pragma once

#include <string>
#include <vector>

namespace arena {

/// Registers them; their names, in the order in which a request comes by.
std::vector<std::string> add_middlewares_of_orders();

}  // namespace arena
