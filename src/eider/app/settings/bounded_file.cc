#include "eider/app/settings/bounded_file.h"

#include <system_error>
#include <utility>

#include "eider/core/base/read_file.h"
#include "eider/core/base/utf8.h"

namespace eider::detail::app {

Result<std::string, std::string> read_bounded_file(const std::string& path, std::size_t bytes_max) {
  const auto refuse = [&path](const std::string& why) {
    return fail("names '" + path + "', which " + why);
  };
  auto text = base::read_file(path, bytes_max + 1);
  if (!text) {
    return refuse("cannot be read: " + std::generic_category().message(text.error()));
  }
  if (text->size() > bytes_max) {
    return refuse("is larger than " + std::to_string(bytes_max / 1024) + " KiB");
  }
  if (is_utf16(*text)) {
    return refuse("is UTF-16 text. Save it as UTF-8");
  }
  text->erase(0, text->size() - without_bom(*text).size());
  return *std::move(text);
}

}  // namespace eider::detail::app
