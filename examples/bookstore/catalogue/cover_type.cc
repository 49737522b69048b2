#include "catalogue/cover_type.h"

namespace bookstore {

using namespace std::string_view_literals;

std::optional<std::string_view> cover_type(std::string_view bytes) noexcept {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) {
    return "image/png";
  }
  if (bytes.starts_with("\xff\xd8\xff"sv)) {
    return "image/jpeg";
  }
  constexpr std::size_t kRiffHeader = 8;
  if (bytes.starts_with("RIFF"sv) && bytes.size() > kRiffHeader + 4 &&
      bytes.substr(kRiffHeader, 4) == "WEBP"sv) {
    return "image/webp";
  }
  return std::nullopt;
}

}  // namespace bookstore
