#include "eider/core/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace eider {

void assertion_failed(const char* what, const std::source_location& where) noexcept {
  std::fprintf(stderr, "%s:%u: %s: assertion failed: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), where.function_name(), what);
  std::abort();
}

}  // namespace eider
