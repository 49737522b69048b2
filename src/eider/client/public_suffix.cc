#include <libpsl.h>

#include <string>

#include "eider/client/cookie_jar.h"

namespace eider {

// Uses the system's current list, or the one built into the library. It is loaded once and never
// freed, because a cookie may arrive while the program exits.
bool is_public_suffix(std::string_view domain) {
  static const psl_ctx_t* const list = psl_latest(nullptr);
  // Without a list, every name is treated as a public suffix.
  return list == nullptr || psl_is_public_suffix(list, std::string(domain).c_str()) != 0;
}

}  // namespace eider
