// Declarations that the snippets of this page use without declaring them.
// Cannot be compiled alone: see common.h.
#pragma once

#include "common.h"

namespace docs::shared_state_page {

struct Settings {
  std::string title;
  std::string host = "localhost";
  int connections = 4;
};
struct Pool {
  Pool(std::string host, int connections);
};
struct Mailer {
  std::string host;
};

}  // namespace docs::shared_state_page
