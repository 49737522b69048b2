// Replaces compressed.cc if the component compress is not built.
#include "eider/web/assets/embed/build.h"

namespace eider::detail::embed {

std::string gzipped(std::string_view /*content*/) {
  return {};
}

std::string brotlied(std::string_view /*content*/) {
  return {};
}

}  // namespace eider::detail::embed
