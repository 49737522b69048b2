// One request as it was asked for, before it is known where it goes.
// Must not hold anything of an attempt: it serves all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/client/client_error.h"
#include "eider/client/detail/http_url.h"
#include "eider/http/method.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"

namespace eider::detail {

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

  /// RFC 9110, section 9.2.2, unless the caller knows better.
  [[nodiscard]] bool is_idempotent() const noexcept;
  /// The content can be sent again.
  [[nodiscard]] bool is_repeatable() const noexcept {
    return content_kind != ContentKind::produced;
  }
};

/// What Content-Length says; nothing where it has no place, or is not known.
[[nodiscard]] std::optional<std::uint64_t> announced_length(const RequestParts& parts) noexcept;

/// How the request line names the target.
enum class TargetStyle : std::uint8_t { origin, absolute };

/// What one attempt adds.
struct HeadTerms {
  TargetStyle style = TargetStyle::origin;
  bool expects_continue = false;
  bool accepts_codings = true;
  std::string_view user_agent = {};
  /// Further field lines.
  std::string_view more = {};
};

/// "gzip, br, zstd", when they are to be asked for.
inline constexpr std::string_view kAcceptedCodings = "gzip, br, zstd";

/// Appends the head of an HTTP/1.1 request: line, Host, fields, framing, empty line.
void write_request_head(Buffer& out, const RequestParts& parts, const HttpUrl& url,
                        const HeadTerms& terms);

}  // namespace eider::detail
