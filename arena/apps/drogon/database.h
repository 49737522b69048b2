// What comes out of a database, on Drogon's DbClient: the tests of TechEmpower and of HttpArena.
// Must not open more connections of a loop than it is told.
#pragma once

#include <drogon/drogon.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "../common/adapter.h"

namespace arena {

struct Fortune {
  int id = 0;
  std::string message;
};

/// A whole number of the query, or nothing.
inline std::optional<int> asked(const drogon::HttpRequestPtr& request, const std::string& name) {
  const std::string& text = request->getParameter(name);
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional<int>(value) : std::nullopt;
}

/// Registers the client that each loop has for itself, and all routes; options.database says where
/// PostgreSQL is.
void add_database(const Options& options);

/// A part of it: what concerns the table items.
void add_items();

}  // namespace arena
