// Numbers out of queries that are lenient by HttpArena's and TechEmpower's rules.
// Must not refuse anything: what is no number counts as one.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

namespace arena {

inline int number_or_one(std::string_view text) {
  int number = 1;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? number : 1;
}

}  // namespace arena
