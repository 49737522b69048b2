// Which fields of a request or an answer go on to the other side of a proxy, and which are added.
// Must not know connections.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/client/detail/http_url.h"
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

/// All that an upstream is told of a request's fields, with Via and X-Forwarded-*. Host and framing
/// are for who writes the head. Names are compared as if '_' were '-', for upstreams that make
/// variables of them (RFC 3875, section 4.1.18).
void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take);

/// All that the client is told of an answer's fields, but for Content-Type.
void forward_answer_fields(std::span<const Field> fields, const TakeField& take);

/// Whether trailers of the answer will be read, which are passed on (RFC 9110, section 6.5.1).
[[nodiscard]] bool welcomes_trailers(const Request& request) noexcept;

/// A request that must not go on: its Max-Forwards is used up. Only OPTIONS counts (RFC 9110,
/// section 7.6.2); TRACE comes to no proxy.
[[nodiscard]] bool has_come_far_enough(const Request& request) noexcept;

/// What stands behind the prefix in a request's path, with the query, as it came: "", "?y", "/x?y".
///
/// segments  how many the prefix has
[[nodiscard]] std::string_view behind_prefix(const RequestHead& head,
                                             std::size_t segments) noexcept;

/// The request target for an upstream.
///
/// base    the upstream's URL; its target is "/" or ends in no slash
/// behind  as behind_prefix gives it
[[nodiscard]] std::string target_of(const HttpUrl& base, std::string_view behind);

}  // namespace eider::detail
