// The data of the page in views.cc.
// Layering: must not include the library; the struct of a page is a plain struct.
#pragma once

#include <string>

namespace outside {

struct Hello {
  std::string name;
};

}  // namespace outside
