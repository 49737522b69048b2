// The data of the pages in the test's shop.
// Layering: must not have member functions; templates use only data members.
#pragma once

#include <string>

namespace shop {

struct FrontPage {
  std::string words;
  std::string style;
};

}  // namespace shop
