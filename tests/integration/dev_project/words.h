// The texts of the shop, in a separate source that tests change.
// Layering: must not include Eider, so that the source compiles quickly.
#pragma once

#include <string>

namespace shop {

std::string greeting();

}  // namespace shop
