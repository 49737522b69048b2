// The headers that a proxy forwards, removes and adds.
// Layering: must not know connections.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/client/received.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/request.h"

namespace eider::detail::proxy {

/// The headers that apply to one connection only: the standard ones, and those listed in
/// Connection.
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

/// Whether to trust the request's information about earlier proxies. `unseen` forwards it unchanged
/// and adds none.
enum class ForwardedTrust : std::uint8_t { none, some, unseen };

/// Appends a header line for an upstream.
///
/// name, value  must be valid in HTTP: otherwise it is an internal error, which ends the process
void write_field(Buffer& out, std::string_view name, std::string_view value);

/// Passes on the headers of a request for an upstream, with Via and X-Forwarded-* unless `trust` is
/// `unseen`. The request's UpstreamHeaders replace those of the client. The caller writes Host and
/// the framing headers.
void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take);

/// Passes on the headers of a response for the client, except Content-Type.
///
/// version  of the response, for Via
void forward_response_fields(std::span<const Field> fields, client::ProtocolVersion version,
                             const TakeField& take);

/// Passes on the trailers of a request as below, and none that UpstreamHeaders replace.
void forward_request_trailers(const Request& request, std::span<const Field> trailers,
                              const TakeField& take);

/// Passes on trailers, in either direction: none that apply to one connection only, and none that
/// would have a meaning as a header, because some receivers do not distinguish them.
///
/// head    the headers of the same message, whose Connection applies here, too
/// source  RFC 9110, sections 6.5.1 and 7.6.1
void forward_trailers(std::span<const Field> head, std::span<const Field> trailers,
                      const TakeField& take);

/// Returns whether the client accepts trailers of the response, which are then forwarded (RFC 9110,
/// section 6.5.1).
[[nodiscard]] bool welcomes_trailers(const Request& request) noexcept;

/// Returns whether Max-Forwards is 0, so that the request must not be forwarded. Only OPTIONS is
/// checked (RFC 9110, section 7.6.2); TRACE does not reach a proxy.
[[nodiscard]] bool has_come_far_enough(const Request& request) noexcept;

/// The end of a proxy's pattern.
inline constexpr std::string_view kRest = "/{rest...}";

/// Returns how many segments of the path belong to the prefix, with the segments of the groups and
/// mounts around it.
///
/// route  the matched pattern: the whole prefix, or the prefix and kRest
[[nodiscard]] std::size_t prefix_segments(std::string_view route) noexcept;

/// Returns the part of a request's path after the prefix, with the query, unchanged: "", "?y",
/// "/x?y".
///
/// segments  number of segments of the prefix
[[nodiscard]] std::string_view behind_prefix(const RequestHead& head,
                                             std::size_t segments) noexcept;

/// Paths that a proxy forwards although its router and an upstream may interpret them differently.
struct AmbiguousPaths {
  bool encoded_slashes = false;
  bool semicolons = false;
  bool double_encodings = false;
};

/// Finds a part of a path that upstreams may interpret differently than the router does, so that a
/// guard of "/admin" would not see a request for it: an encoded slash or backslash, ';' and "%3B"
/// (path parameters), an escape in the decoded path, an overlong form of a character in UTF-8, and
/// encoded control characters.
///
/// behind   the result of behind_prefix
/// returns  a sentence for the client; empty: there is no such part, or `passed` allows it
[[nodiscard]] std::string_view ambiguity_of(std::string_view behind, AmbiguousPaths passed);

/// Returns whether the path could leave its prefix on upstreams that treat "..;" as "..", or an
/// encoded slash or backslash as a slash (Tomcat, IIS and others do).
///
/// behind  the result of behind_prefix
[[nodiscard]] bool may_climb(std::string_view behind);

/// Returns the request target for an upstream.
///
/// base    the upstream's URL; its target is "/" or has no trailing slash
/// behind  the result of behind_prefix
[[nodiscard]] std::string target_of(const http::HttpUrl& base, std::string_view behind);

}  // namespace eider::detail::proxy
