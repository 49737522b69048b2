// Compares each response with the expected one.
// Layering: must not find the end of a response; the protocol's connection does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/bench/faults.h"

namespace eider::bench {

/// Expected properties of a response. Empty members: any value.
struct Expected {
  std::optional<int> status;
  std::optional<std::string> body;
  std::optional<std::uint64_t> body_bytes;

  [[nodiscard]] bool is_anything() const noexcept { return !status && !body && !body_bytes; }
};

/// A difference between a response and its expectation, for counting and as text.
struct Difference {
  Fault fault = Fault::differs;
  std::string why;
};

/// Checks one response after the other, while their bodies arrive.
class ResponseCheck {
 public:
  /// expected  outlives it
  explicit ResponseCheck(const Expected& expected) noexcept
      : expected_(&expected), wants_content_(expected.body || expected.body_bytes) {}

  /// Starts a response with that status. If only the status is expected, and it matches, the body
  /// is not read.
  void begin(int status) noexcept {
    is_looking_ = wants_content_ || expected_->status.value_or(status) != status;
  }
  /// Checks the next bytes of the response body.
  void take(std::string_view content) {
    if (is_looking_) {
      compare(content);
    }
  }
  /// Returns whether the current response must be checked; otherwise it is correct.
  [[nodiscard]] bool is_looking() const noexcept { return is_looking_; }
  /// Ends the response, and returns its difference, if any. The next body belongs to another
  /// response.
  [[nodiscard]] std::optional<Difference> end(int status);
  /// Abandons the unfinished response: the next body belongs to another one.
  void reset() noexcept;

  /// Returns the received bytes of the unfinished response; 0 if one of them is not as expected.
  [[nodiscard]] std::uint64_t right_bytes() const noexcept { return is_alike_ ? seen_ : 0; }
  /// Returns false if the unfinished response already differs.
  [[nodiscard]] bool is_right_so_far() const noexcept { return is_alike_; }

 private:
  void compare(std::string_view content);
  [[nodiscard]] std::optional<Difference> difference(int status) const;

  const Expected* expected_;
  std::uint64_t seen_ = 0;
  std::string begin_;  // start of the body, for error messages
  bool wants_content_;
  bool is_looking_ = false;
  bool is_alike_ = true;
};

/// Returns the event stream that a server must send: "data: 0", an empty line, "data: 1", …
[[nodiscard]] std::string stream_text(unsigned events);

/// Returns the number of whole events in the first `bytes` bytes of such a stream.
[[nodiscard]] std::uint64_t events_within(std::uint64_t bytes, unsigned events) noexcept;

}  // namespace eider::bench
