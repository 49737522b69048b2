#include "cli/project/routes.h"

#include <algorithm>
#include <charconv>

namespace eider {

namespace {

constexpr std::string_view kAhead = "before routing: ";

/// Splits a text at `between`; additional spaces after it belong to the separator.
std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = std::min(text.find(between), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) {
      return parts;
    }
    text.remove_prefix(end + between.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
}

/// Parses "4 KiB"; returns whether it is valid.
bool read_limit(std::string_view text, std::optional<std::uint64_t>& bytes) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, fault] = std::from_chars(text.data(), end, number);
  const std::string_view rest(unit, end);
  if (fault == std::errc() && (rest == " B" || rest == " KiB" || rest == " MiB")) {
    bytes = number << (rest == " B" ? 0U : rest == " KiB" ? 10U : 20U);
  }
  return bytes.has_value() || text == "any size";
}

std::optional<ListedRoute> read_route(std::string_view line) {
  const std::vector<std::string> columns = parts_of(line, "  ");
  if (columns.size() != 4) {
    return std::nullopt;
  }
  const std::size_t space = columns[0].find(' ');
  ListedRoute route{.method = columns[0].substr(0, space),
                    .path = space == std::string::npos ? "" : columns[0].substr(space + 1),
                    .middleware = parts_of(columns[1], " > "),
                    .body_bytes_max = {},
                    .where = columns[3]};
  const bool is_good = !route.path.empty() && read_limit(columns[2], route.body_bytes_max);
  return is_good ? std::optional(std::move(route)) : std::nullopt;
}

}  // namespace

Result<ListedRoutes, std::string> read_routes(std::string_view text) {
  ListedRoutes listed;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(kAhead)) {
      listed.rewrites.emplace_back(line.substr(kAhead.size()));
    } else if (auto route = read_route(line)) {
      listed.routes.push_back(std::move(*route));
    } else {
      return fail(std::string(line));
    }
  }
  if (listed.routes.empty()) {
    return fail(std::string());
  }
  return listed;
}

}  // namespace eider
