// Headers that a guard or hook sets on the requests of a proxy to its upstreams.
// Layering: must not know connections.
#pragma once

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
/// The client's headers and trailers of the same names are not forwarded ('_' counts as '-'). If
/// several guards return headers, only the last ones are used.
class UpstreamHeaders {
 public:
  /// Sets a header, instead of an earlier one of that name. Without a value, the client's headers
  /// are removed, and none is added.
  ///
  /// errors  std::invalid_argument, thrown: the name or the value is not valid in HTTP, or the
  ///         header belongs to the connection or to the proxy, such as Host or X-Forwarded-For
  UpstreamHeaders& set(std::string name, std::string value = {});
  [[nodiscard]] bool has(std::string_view name) const noexcept;
  [[nodiscard]] const std::vector<UpstreamHeader>& all() const noexcept { return all_; }

 private:
  std::vector<UpstreamHeader> all_;
};

}  // namespace eider
