#include "eider/web/openapi/path_template.h"

namespace eider::detail::openapi {

bool takes_rest(std::string_view pattern) noexcept {
  return pattern.ends_with("...}");
}

std::string template_of(std::string_view pattern) {
  std::string path(pattern);
  if (takes_rest(pattern)) {
    path.erase(path.size() - 4, 3);
  }
  return path;
}

std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t begin = path.find('{');
    const std::size_t end = path.find('}', begin);
    if (begin == path.npos || end == path.npos) {
      return names;
    }
    names.emplace_back(path.substr(begin + 1, end - begin - 1));
    path.remove_prefix(end + 1);
  }
}

std::string without_names(std::string_view path) {
  std::string made;
  bool is_within = false;
  for (const char byte : path) {
    is_within = is_within && byte != '}';
    if (!is_within) {
      made += byte;
    }
    is_within = is_within || byte == '{';
  }
  return made;
}

bool is_below(std::string_view pattern, std::string_view prefix) noexcept {
  if (prefix.ends_with('/')) {
    prefix.remove_suffix(1);
  }
  return pattern.starts_with(prefix) &&
         (pattern.size() == prefix.size() || pattern[prefix.size()] == '/');
}

}  // namespace eider::detail::openapi
