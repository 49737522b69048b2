// Headers that a guard or hook sets on the requests of a proxy to its upstreams.
// Layering: must not know connections. Not in the proxy, because the response cache must know that
// a response depends on them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eider {

struct UpstreamHeader {
  std::string name;
  std::string value;
};

/// Headers for the upstream of a proxy, such as the user that a guard has authenticated. A guard of
/// the proxy returns them, or a hook stores them in the request:
///
///     api.guard([](const User& user) { return UpstreamHeaders().set("X-User-Id", user.id); });
///     proxy_to(api, "/", {"http://127.0.0.1:9000"});
///
/// The client's headers and trailers of the same names are not forwarded. Names are compared
/// without case, and as if each character except letters and digits were '-'. A later guard
/// replaces headers of the same names, and keeps the others. `response_cache` does not store the
/// responses.
class UpstreamHeaders {
 public:
  /// Sets a header, instead of an earlier one of that name. Without a value, the client's headers
  /// are removed, and none is added.
  ///
  /// errors  std::invalid_argument, thrown: the name or the value is not valid in HTTP, or the
  ///         header belongs to the connection or to the proxy, such as Host or X-Forwarded-For
  UpstreamHeaders& set(std::string name, std::string value = {});
  /// Adds the headers of an earlier guard whose names are not set here.
  void add_missing(const UpstreamHeaders& earlier);
  /// Returns the value, or nothing if none was set.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
  /// Returns whether the client's headers of that name are not forwarded.
  [[nodiscard]] bool replaces(std::string_view name) const noexcept;
  [[nodiscard]] const std::vector<UpstreamHeader>& all() const noexcept { return all_; }

 private:
  std::vector<UpstreamHeader> all_;
};

namespace detail::middleware {

inline constexpr std::array<std::string_view, 8> kHop{
    "Connection",          "Keep-Alive", "Proxy-Connection",  "Proxy-Authenticate",
    "Proxy-Authorization", "TE",         "Transfer-Encoding", "Upgrade"};
/// Headers that the HTTP client or the proxy sets.
inline constexpr std::array<std::string_view, 5> kRequestAnew{"Host", "Content-Length", "Trailer",
                                                              "Expect", "Early-Data"};
/// Headers about the path of the request through proxies.
inline constexpr std::array<std::string_view, 5> kWay{"Via", "X-Forwarded-For", "X-Forwarded-Proto",
                                                      "X-Forwarded-Host", "Forwarded"};
inline constexpr std::string_view kForwardedPrefix = "X-Forwarded-";

/// Compares names of headers without case, and as if each character except letters and digits were
/// '-': CGI and similar interfaces use the same variable for all of them (RFC 3875, section 4.1.18,
/// and lighttpd for more characters than '-').
[[nodiscard]] bool is_alike(std::string_view known, std::string_view name) noexcept;
[[nodiscard]] bool begins_alike(std::string_view prefix, std::string_view name) noexcept;
[[nodiscard]] bool is_one_of(std::span<const std::string_view> names,
                             std::string_view name) noexcept;
/// Returns whether the header applies to one connection only, or is set by the proxy or its client.
[[nodiscard]] bool is_set_by_proxy(std::string_view name) noexcept;

}  // namespace detail::middleware

}  // namespace eider
