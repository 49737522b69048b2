// Compresses with the highest levels, because it runs only once, in the build.
#include "eider/core/base/buffer.h"
#include "eider/core/compress/compressor.h"
#include "eider/web/assets/embed/build.h"

namespace eider::detail::embed {
namespace {

std::string compressed(ContentCoding coding, std::string_view content) {
  Buffer out;
  eider::compress(coding, content, out, {.gzip = 9, .brotli = 11});
  return out.view().size() < content.size() ? std::string(out.view()) : std::string();
}

}  // namespace

std::string gzipped(std::string_view content) {
  return compressed(ContentCoding::gzip, content);
}

std::string brotlied(std::string_view content) {
  return compressed(ContentCoding::brotli, content);
}

}  // namespace eider::detail::embed
