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

/// Returns the next piece of the body; an empty one is the end.
using Producer = std::function<Task<std::string>()>;

enum class ContentKind : std::uint8_t { none, bytes, produced };

struct RequestParts {
  Method method = Method::get;
  std::string url;
  /// Additional headers, each "Name: value\r\n".
  std::string field_lines;
  ContentKind content_kind = ContentKind::none;
  std::string content;
  Producer producer;
  /// Of a produced body, if known.
  std::optional<std::uint64_t> content_length;
  /// Total time limit; nothing: ClientOptions::total.
  std::optional<Duration> within;
  /// Whether it may be retried if it may have been processed; nothing: depends on its method.
  std::optional<bool> may_repeat;
  /// An error found while the request was built.
  std::optional<ClientError> fault;

  /// Adds a header, or stores the error if it cannot be sent.
  void add_field(std::string_view name, std::string_view value);
  [[nodiscard]] bool has_field(std::string_view name) const noexcept;
  /// Removes all headers with these names.
  void remove_fields(std::span<const std::string_view> names);
  /// Removes all headers except those that are known to contain no secret.
  void keep_plain_fields();

  /// RFC 9110, section 9.2.2, unless the caller has set it.
  [[nodiscard]] bool is_idempotent() const noexcept;
  /// Returns whether the body can be sent again.
  [[nodiscard]] bool is_repeatable() const noexcept {
    return content_kind != ContentKind::produced;
  }
};

}  // namespace eider::detail::client
