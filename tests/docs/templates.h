// Declarations that the snippets of this page use without declaring them.
// Layering: must not be compiled alone; see common.h.
#pragma once

#include "common.h"

namespace docs::templates_page {

namespace demo {
struct NotePage {
  std::string title;
  std::vector<std::string> comments;
};
}  // namespace demo

}  // namespace docs::templates_page
