// What the page of views.cc shows.
// Must not include the library: a page's struct is plain.
#pragma once

#include <string>

namespace outside {

struct Hello {
  std::string name;
};

}  // namespace outside
