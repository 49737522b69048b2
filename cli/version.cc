#include "cli/version.h"

namespace eider {

std::string_view version() noexcept {
  return EIDER_VERSION;  // a definition of the build
}

}  // namespace eider
