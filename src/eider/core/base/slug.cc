#include "eider/core/base/slug.h"

#include "eider/core/base/text.h"

namespace eider {

std::string to_slug(std::string_view text, std::size_t bytes_max) {
  std::string slug;
  for (const char byte : text) {
    const bool stays = is_letter(byte) || is_digit(byte);
    if (slug.size() < bytes_max && (stays || (!slug.empty() && slug.back() != '-'))) {
      slug += stays ? to_lower(byte) : '-';
    }
  }
  if (slug.ends_with('-')) {
    slug.pop_back();
  }
  return slug;
}

}  // namespace eider
