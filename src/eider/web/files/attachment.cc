#include "eider/web/files/attachment.h"

#include <algorithm>

#include "eider/core/base/url.h"

namespace eider::detail::files {

std::string attachment_disposition(std::string_view filename) {
  std::string plain(filename);
  std::ranges::replace_if(
      plain, [](char byte) { return byte < ' ' || byte > '~' || byte == '"' || byte == '\\'; },
      '_');
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + percent_encode(filename);
}

}  // namespace eider::detail::files
