// Collects the body of one request, up to its limit and the limit of all bodies.
// Layering: must not know framing: that has been taken off.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/refusal.h"

namespace eider {
class Loop;
}

namespace eider::detail::server {

/// What all contents that one loop has gathered may hold together.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
  /// What is taken by now stays so, also where it is more than that.
  void set_max(std::size_t bytes_max) noexcept { bytes_max_ = bytes_max; }
  [[nodiscard]] bool try_take(std::size_t bytes) noexcept {
    const bool is_there = bytes <= left();
    taken_ += is_there ? bytes : 0;
    return is_there;
  }
  /// The same, but for the first one there is always room.
  [[nodiscard]] bool try_take_one(std::size_t bytes) noexcept {
    const bool is_there = taken_ == 0 || bytes <= left();
    taken_ += is_there ? bytes : 0;
    return is_there;
  }
  void give_back(std::size_t bytes) noexcept { taken_ -= bytes; }
  [[nodiscard]] std::size_t left() const noexcept {
    return bytes_max_ - std::min(bytes_max_, taken_);
  }

 private:
  std::size_t bytes_max_;
  std::size_t taken_ = 0;
};

/// Of the request bodies that the loop holds decompressed: Limits::decoded_bytes_max. On the loop's
/// thread, or before it runs; as long as the loop.
[[nodiscard]] BodyBudget& decoded_budget_of(Loop& loop);

class Body {
 public:
  /// budget  outlives it
  explicit Body(BodyBudget& budget) noexcept : budget_(budget) {}
  ~Body() { budget_.give_back(content_.size()); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  /// length  as the client has announced it; 0 when it has not
  void begin(std::uint64_t bytes_max, std::uint64_t length);

  /// returns  nothing, or why it is refused: more than `bytes_max`, or than there is room for
  [[nodiscard]] std::optional<RequestRefusal> add(std::string_view content);

  /// Counts content that a handler reads in the memory that it was received into.
  ///
  /// returns  nothing, or the refusal of more than `bytes_max`
  [[nodiscard]] std::optional<RequestRefusal> count(std::size_t bytes) noexcept;

  /// Adds content before the rest, that was counted already.
  ///
  /// returns  nothing, or that there is no room for it
  [[nodiscard]] std::optional<RequestRefusal> add_first(std::string_view counted);

  /// The content so far, but for what was taken.
  [[nodiscard]] std::string_view view() const noexcept { return content_.view(); }
  /// How much there was, with what was taken.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Moves what there is into `into`, whose own memory is used for what comes next.
  void take(Buffer& into) noexcept {
    // The bytes are the handler's from here on: they no longer count as gathered.
    budget_.give_back(content_.size());
    into.clear();
    into.swap(content_);
  }

  /// As new; a small buffer is kept for the next content.
  void reset() noexcept;

 private:
  BodyBudget& budget_;  // what content_ holds is taken from it
  Buffer content_;
  std::uint64_t bytes_max_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace eider::detail::server
