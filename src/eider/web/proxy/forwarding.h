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

/// Of the request's own word about proxies in front; `unseen` leaves all of it as it came, and adds
/// none.
enum class ForwardedTrust : std::uint8_t { none, some, unseen };

/// Appends one line of a head that is written for an upstream.
///
/// name, value  a field as HTTP has it: anything else is a bug of ours, and ends the process
void write_field(Buffer& out, std::string_view name, std::string_view value);

/// All that an upstream is told of a request's fields, with Via and X-Forwarded-* unless this is
/// to stay unseen. Host and framing
/// are for who writes the head. Names are compared as if '_' were '-', for upstreams that make
/// variables of them (RFC 3875, section 4.1.18).
void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take);

/// All that the client is told of a response's fields, but for Content-Type.
///
/// version  of the response, for Via
void forward_response_fields(std::span<const Field> fields, client::ProtocolVersion version,
                             const TakeField& take);

/// What goes on of the fields behind a message's content, either way: nothing between two
/// neighbours, and nothing that would mean something in a head, for those on the other side that do
/// not tell the two apart.
///
/// head     the fields of the same message's head, whose Connection counts here, too
/// source   RFC 9110, sections 6.5.1 and 7.6.1
void forward_trailers(std::span<const Field> head, std::span<const Field> trailers,
                      const TakeField& take);

/// Whether trailers of the response will be read, which are passed on (RFC 9110, section 6.5.1).
[[nodiscard]] bool welcomes_trailers(const Request& request) noexcept;

/// A request that must not go on: its Max-Forwards is used up. Only OPTIONS counts (RFC 9110,
/// section 7.6.2); TRACE comes to no proxy.
[[nodiscard]] bool has_come_far_enough(const Request& request) noexcept;

/// The end of a proxy's pattern.
inline constexpr std::string_view kRest = "/{rest...}";

/// Returns how many segments of the path belong to the prefix, with the segments of the groups and
/// mounts around it.
///
/// route  the matched pattern: the whole prefix, or the prefix and kRest
[[nodiscard]] std::size_t prefix_segments(std::string_view route) noexcept;

/// The part of a request's path after the prefix, with the query, as it came: "", "?y", "/x?y".
///
/// segments  how many the prefix has
[[nodiscard]] std::string_view behind_prefix(const RequestHead& head,
                                             std::size_t segments) noexcept;

/// What a proxy forwards although its router and an upstream may read it as different paths.
struct AmbiguousPaths {
  bool encoded_slashes = false;
  bool semicolons = false;
  bool double_encodings = false;
};

/// Finds a part of a path that upstreams may read otherwise than the router does, so that a guard
/// of "/admin" would not see a request for it: an encoded slash or backslash, ';' and "%3B" (path
/// parameters), a percent sign encoded before two hexadecimal digits, an overlong form of an
/// ASCII character, and encoded control characters.
///
/// behind   as behind_prefix gives it
/// returns  a sentence for the client; empty: there is no such part, or `passed` allows it
[[nodiscard]] std::string_view ambiguity_of(std::string_view behind, AmbiguousPaths passed);

/// Whether upstreams that take "..;" for ".." or an escaped slash or backslash for a slash (Tomcat,
/// IIS and others do) would go above the path that they were given.
///
/// behind  as behind_prefix gives it
[[nodiscard]] bool may_climb(std::string_view behind);

/// The request target for an upstream.
///
/// base    the upstream's URL; its target is "/" or ends in no slash
/// behind  as behind_prefix gives it
[[nodiscard]] std::string target_of(const http::HttpUrl& base, std::string_view behind);

}  // namespace eider::detail::proxy
