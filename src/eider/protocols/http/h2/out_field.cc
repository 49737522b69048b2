#include "eider/protocols/http/h2/out_field.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::h2 {

namespace {

bool is_connection_specific(std::string_view name) noexcept {
  static constexpr std::array<std::string_view, 5> kNames = {
      "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"};
  return std::ranges::any_of(
      kNames, [name](std::string_view one) { return equals_ignoring_case(one, name); });
}

}  // namespace

void append_lines(std::vector<OutField>& fields, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find("\r\n"), lines.size());
    const std::string_view line = lines.substr(0, end);
    const std::size_t colon = std::min(line.find(':'), line.size());
    const std::string_view name = line.substr(0, colon);
    if (!name.empty() && colon != line.size() && !is_connection_specific(name)) {
      fields.push_back({.name = name, .value = trim(line.substr(colon + 1))});
    }
    lines.remove_prefix(std::min(end + 2, lines.size()));
  }
}

}  // namespace eider::h2
