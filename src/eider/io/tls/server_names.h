// Which of many certificates a client means by the name it asks for (SNI, RFC 6066, section 3).
// Must not know certificates: names in, numbers out.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::tls {

class ServerNames {
 public:
  /// name   "example.org" or "*.example.org", in lower case; others are left out index the caller's
  void add(std::string_view name, std::size_t index);

  /// Those of the very name, or else of the wildcard for its first label (RFC 9525, section 6.3);
  /// in the order they were added. Letters of both cases are the same.
  [[nodiscard]] std::span<const std::size_t> find(std::string_view name) const;

  [[nodiscard]] bool empty() const noexcept { return indexes_.empty(); }

 private:
  std::map<std::string, std::vector<std::size_t>, std::less<>> indexes_;
};

}  // namespace eider::detail::tls
