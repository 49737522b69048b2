// The received part of one response.
// Layering: must not refer to the connection that it came over.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/arena.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/head.h"

namespace eider::detail::client {

/// The version of HTTP.
struct ProtocolVersion {
  std::uint8_t major = 1;
  std::uint8_t minor = 1;
};

struct Received {
  ProtocolVersion version;
  int status = 0;
  std::span<const Field> fields;  // in the arena
  Buffer body;
  std::string trailer_lines;
  std::vector<Field> trailers;  // views into trailer_lines
  std::string url;              // the last requested URL
  Arena arena;

  /// Copies the status and headers.
  ///
  /// from  the bytes that the fields refer to
  void set_head(int its_status, std::span<const Field> its_fields, std::string_view from);
  void set_trailers(std::string_view lines);
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept {
    return find_field(fields, name);
  }
};

}  // namespace eider::detail::client
