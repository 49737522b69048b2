// An item, as lithium's JSON writes one.
// Must not know where items are kept.
#pragma once

#include <lithium_http_server.hh>

#include <ostream>
#include <string>
#include <vector>

#include "symbols.h"

namespace arena {

/// A bool that lithium's JSON writes as a word: its own it writes as a number.
struct Flag {
  bool is_set = false;

  const char* word() const { return is_set ? "true" : "false"; }
};

inline li::output_buffer& operator<<(li::output_buffer& out, Flag flag) {
  return out << flag.word();
}

inline std::ostream& operator<<(std::ostream& out, Flag flag) {
  return out << flag.word();
}

using Item = decltype(li::mmm(s::id = int(), s::name = std::string(), s::category = std::string(),
                              s::price = int(), s::quantity = int(), s::active = Flag(),
                              s::tags = std::vector<std::string>(),
                              s::rating = li::mmm(s::score = int(), s::count = int())));

}  // namespace arena
