// Counts errors of requests by kind, and stores the text of the first one.
// Layering: must not judge responses; a 500 is a response, unless another status was expected.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace eider::bench {

enum class Fault : std::uint8_t {
  connect,       ///< no connection: refused, unreachable, out of descriptors or ports
  tls,           ///< the handshake failed, or the certificate is not trusted
  reset,         ///< the connection was reset
  closed,        ///< the server closed the connection before the whole response
  timeout,       ///< no connection, or no whole response, in time
  malformed,     ///< not a response of the protocol, or bytes without a request
  declined,      ///< the server does not switch to WebSocket
  wrong_status,  ///< another status than the one expected
  differs,       ///< the response has another body than expected
};
inline constexpr std::size_t kFaultKinds = 9;

[[nodiscard]] constexpr std::string_view name(Fault kind) noexcept {
  constexpr std::array<std::string_view, kFaultKinds> kNames = {
      "connect",   "tls",      "reset",        "closed", "timeout",
      "malformed", "declined", "wrong_status", "differs"};
  return kNames[static_cast<std::size_t>(kind)];
}

class Faults {
 public:
  /// Counts an error; the text of the first one is stored.
  void add(Fault kind, std::string_view text) {
    ++counts_[static_cast<std::size_t>(kind)];
    if (first_.empty()) {
      first_ = text;
    }
  }
  /// Adds the counts of another object.
  void add(const Faults& other) {
    for (std::size_t i = 0; i < kFaultKinds; ++i) {
      counts_[i] += other.counts_[i];
    }
    if (first_.empty()) {
      first_ = other.first_;
    }
  }

  [[nodiscard]] std::uint64_t count(Fault kind) const noexcept {
    return counts_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t count() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t counted : counts_) {
      sum += counted;
    }
    return sum;
  }
  /// Returns the text of the first error; empty if there was none.
  [[nodiscard]] const std::string& first() const noexcept { return first_; }

 private:
  std::array<std::uint64_t, kFaultKinds> counts_{};
  std::string first_;
};

}  // namespace eider::bench
