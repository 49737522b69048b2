// Which fields of a request or an answer go on to the other side of a proxy, and which are added.
// Must not know connections.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/http/head.h"
#include "eider/http/request.h"

namespace eider::detail {

/// The fields that are between two neighbours only: the well-known ones, and those that Connection
/// names.
///
/// source  RFC 9110, section 7.6.1
class HopFields {
 public:
  explicit HopFields(std::span<const Field> fields);
  [[nodiscard]] bool has(std::string_view name) const noexcept;

 private:
  std::vector<std::string_view> named_;
};

using TakeField = std::function<void(std::string_view name, std::string_view value)>;

enum class ForwardedTrust : std::uint8_t { none, some };

/// All that an upstream is told of a request's fields, with Via and X-Forwarded-*.
void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take);

/// All that the client is told of an answer's fields, but for Content-Type.
void forward_answer_fields(std::span<const Field> fields, const TakeField& take);

/// What stands behind the prefix in a request's path, with the query, as it came: "", "/x?y".
///
/// segments  how many the prefix has
[[nodiscard]] std::string_view behind_prefix(const RequestHead& head,
                                             std::size_t segments) noexcept;

}  // namespace eider::detail
