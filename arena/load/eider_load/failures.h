// What goes wrong with a request, counted by kind, and the first of each in words.
// Must not decide whether a run counts: that is whose who reads the report.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace load {

enum class Failure : std::uint8_t {
  connect,       ///< no connection: refused, unreachable, out of descriptors or ports
  reset,         ///< the connection was ended by force
  closed,        ///< the server ended it before the whole answer
  timeout,       ///< no connection, or no whole answer, in time
  wrong_status,  ///< another status than the one expected
  wrong_body,    ///< another body, or one of another length
  malformed,     ///< no HTTP/1.1 answer
};
inline constexpr std::size_t kFailureKinds = 7;

[[nodiscard]] constexpr std::string_view name(Failure kind) noexcept {
  constexpr std::array<std::string_view, kFailureKinds> kNames = {
      "connect", "reset", "closed", "timeout", "wrong_status", "wrong_body", "malformed"};
  return kNames[static_cast<std::size_t>(kind)];
}

class Failures {
 public:
  /// Counts one; `text` is kept when it is the first of all.
  void add(Failure kind, std::string_view text) {
    ++counts_[static_cast<std::size_t>(kind)];
    if (first_.empty()) {
      first_ = std::string(name(kind)) + ": " + std::string(text);
    }
  }
  /// Counts all that the other has counted.
  void add(const Failures& other) {
    for (std::size_t i = 0; i < kFailureKinds; ++i) {
      counts_[i] += other.counts_[i];
    }
    if (first_.empty()) {
      first_ = other.first_;
    }
  }

  [[nodiscard]] std::uint64_t count(Failure kind) const noexcept {
    return counts_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t count() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t counted : counts_) {
      sum += counted;
    }
    return sum;
  }
  /// "wrong_body: …", of the first that was counted; empty when there was none.
  [[nodiscard]] const std::string& first() const noexcept { return first_; }

 private:
  std::array<std::uint64_t, kFailureKinds> counts_{};
  std::string first_;
};

}  // namespace load
