// Messages of PostgreSQL's protocol, for either side.
// Layering: must not be linked into an application.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::db::postgres {

/// Returns a message with its length, which includes itself.
inline std::string message(char kind, std::string_view body) {
  const std::size_t length = body.size() + 4;
  std::string text(1, kind);
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += static_cast<char>(length >> shift);
  }
  return text.append(body);
}

}  // namespace eider::db::postgres
