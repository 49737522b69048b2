#include "eider/core/reflect/rule.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"

namespace eider {

std::string to_text(const Requirement& requirement) {
  std::string made;
  std::string_view rest = requirement.text;
  for (std::size_t open = rest.find('{'); open != rest.npos; open = rest.find('{')) {
    made += rest.substr(0, open);
    rest.remove_prefix(open);
    const std::size_t end = std::min(rest.find('}'), rest.size() - 1) + 1;
    const std::string_view name = rest.substr(1, end < 2 ? 0 : end - 2);
    const auto found = std::ranges::find(requirement.arguments, name, &Requirement::Argument::name);
    made += found == requirement.arguments.end() ? rest.substr(0, end) : found->value;
    rest.remove_prefix(end);
  }
  return made += rest;
}

std::string to_text(const std::vector<Requirement>& requirements) {
  return joined(requirements, ", ", [](const Requirement& one) { return to_text(one); });
}

FieldError field_error(std::string pointer, const Requirement& broken) {
  FieldError error{std::move(pointer), to_text(broken), std::string(broken.code)};
  for (const auto& [name, value] : broken.arguments) {
    error.arguments.push_back({std::string(name), value});
  }
  return error;
}

}  // namespace eider
