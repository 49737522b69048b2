// What the pages of the test's shop are made of.
// Must not have behaviour: templates see members alone.
#pragma once

#include <string>

namespace shop {

struct FrontPage {
  std::string words;
  std::string style;
};

}  // namespace shop
