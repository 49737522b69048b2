// What the shop says, in a source of its own that tests change.
// Must not include Eider: it is what is compiled in a moment.
#pragma once

#include <string>

namespace shop {

std::string greeting();

}  // namespace shop
