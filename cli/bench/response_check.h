// Compares each response with the expected one.
// Layering: must not find the end of a response; the protocol's connection does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/bench/faults.h"

namespace eider::bench {

/// Whatever is not said may be anything.
struct Expected {
  std::optional<int> status;
  std::optional<std::string> body;
  std::optional<std::uint64_t> body_bytes;

  [[nodiscard]] bool is_anything() const noexcept { return !status && !body && !body_bytes; }
};

/// How a response differs, for the counts and for people.
struct Difference {
  Fault fault = Fault::differs;
  std::string why;
};

/// Looks at one response after the other, as their content comes.
class ResponseCheck {
 public:
  /// expected  outlives it
  explicit ResponseCheck(const Expected& expected) noexcept
      : expected_(&expected), wants_content_(expected.body || expected.body_bytes) {}

  /// A response with that status begins. Where its status is all that is expected, and it is that,
  /// the content costs nothing.
  void begin(int status) noexcept {
    is_looking_ = wants_content_ || expected_->status.value_or(status) != status;
  }
  /// The next bytes of the response's content.
  void take(std::string_view content) {
    if (is_looking_) {
      compare(content);
    }
  }
  /// Whether the response under way has to be judged; else it is right.
  [[nodiscard]] bool is_looking() const noexcept { return is_looking_; }
  /// The response is whole: what is wrong with it. The next content is that of another one.
  [[nodiscard]] std::optional<Difference> end(int status);
  /// The unfinished answer is given up: the next content is that of another one.
  void reset() noexcept;

  /// How many bytes of the unfinished answer have come; 0 when one of them is not as expected.
  [[nodiscard]] std::uint64_t right_bytes() const noexcept { return is_alike_ ? seen_ : 0; }
  /// False when the unfinished answer differs already.
  [[nodiscard]] bool is_right_so_far() const noexcept { return is_alike_; }

 private:
  void compare(std::string_view content);
  [[nodiscard]] std::optional<Difference> difference(int status) const;

  const Expected* expected_;
  std::uint64_t seen_ = 0;
  std::string begin_;  // of the content, for people
  bool wants_content_;
  bool is_looking_ = false;
  bool is_alike_ = true;
};

/// The stream of events that a server has to give: "data: 0", an empty line, "data: 1", …
[[nodiscard]] std::string stream_text(unsigned events);

/// How many events are whole in the first `bytes` bytes of such a stream.
[[nodiscard]] std::uint64_t events_within(std::uint64_t bytes, unsigned events) noexcept;

}  // namespace eider::bench
