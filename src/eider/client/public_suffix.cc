#include <libpsl.h>

#include <string>

#include "eider/client/cookie_jar.h"

namespace eider {

// What the system has now, else what the library was built with. It is read once, and never freed:
// a cookie may come while the program ends.
bool is_public_suffix(std::string_view domain) {
  static const psl_ctx_t* const list = psl_latest(nullptr);
  // Without a list each name may be anybody's.
  return list == nullptr || psl_is_public_suffix(list, std::string(domain).c_str()) != 0;
}

}  // namespace eider
