// The parts of one request, before its destination is resolved.
// Layering: must not contain the state of an attempt: all attempts use it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/method.h"

namespace eider::detail::client {

/// Gives the next piece of content; an empty one is the end.
using Producer = std::function<Task<std::string>()>;

enum class ContentKind : std::uint8_t { none, bytes, produced };

struct RequestParts {
  Method method = Method::get;
  std::string url;
  /// Further field lines as they stand on the wire, each "Name: value\r\n".
  std::string field_lines;
  ContentKind content_kind = ContentKind::none;
  std::string content;
  Producer producer;
  /// Of produced content, when it is known.
  std::optional<std::uint64_t> content_length;
  /// The whole of it; nothing: as the client's options say.
  std::optional<Duration> within;
  /// Whether it may be asked again when it may have been done; nothing: as its method says.
  std::optional<bool> may_repeat;
  /// What was wrong with it when it was made.
  std::optional<ClientError> fault;

  /// Adds a field line, or notes why it cannot be sent.
  void add_field(std::string_view name, std::string_view value);
  [[nodiscard]] bool has_field(std::string_view name) const noexcept;
  /// Takes all field lines out whose name is one of those.
  void remove_fields(std::span<const std::string_view> names);
  /// All but those that are known to hold no secret.
  void keep_plain_fields();

  /// RFC 9110, section 9.2.2, unless the caller knows better.
  [[nodiscard]] bool is_idempotent() const noexcept;
  /// The content can be sent again.
  [[nodiscard]] bool is_repeatable() const noexcept {
    return content_kind != ContentKind::produced;
  }
};

}  // namespace eider::detail::client
