// The data of the page.
// Layering: must not know the library; the struct of a page is plain.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace home {

struct KnownPasskey {
  std::string id;
  std::string reached_by;
};

/// user  empty: not logged in
struct HomePage {
  std::string script;
  std::string style;
  std::string user = {};
  std::vector<KnownPasskey> passkeys = {};
};

}  // namespace home
