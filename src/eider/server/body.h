// Collects the body of one request, up to its limit and the limit of all bodies.
// Layering: must not know framing: the caller has removed it.
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

/// Limits the memory of all bodies collected on one loop.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}
  /// Changes the limit. Bytes already taken stay valid, even if they exceed it.
  void set_max(std::size_t bytes_max) noexcept { bytes_max_ = bytes_max; }
  [[nodiscard]] bool try_take(std::size_t bytes) noexcept {
    const bool is_there = bytes <= left();
    taken_ += is_there ? bytes : 0;
    return is_there;
  }
  /// Like try_take, but always succeeds if nothing is taken.
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

/// Returns the loop's budget for decompressed request bodies (Limits::decoded_bytes_max). Call on
/// the loop's thread, or before it runs. Valid as long as the loop.
[[nodiscard]] BodyBudget& decoded_budget_of(Loop& loop);

class Body {
 public:
  /// budget  must outlive this
  explicit Body(BodyBudget& budget) noexcept : budget_(budget) {}
  ~Body() { budget_.give_back(content_.size()); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  /// length  Content-Length; 0 if the client sent none
  void begin(std::uint64_t bytes_max, std::uint64_t length);

  /// returns  nothing, or the rejection: more than `bytes_max`, or the budget is used up
  [[nodiscard]] std::optional<RequestRefusal> add(std::string_view content);

  /// Counts bytes that a handler reads directly from the receive buffer.
  ///
  /// returns  nothing, or the rejection of more than `bytes_max`
  [[nodiscard]] std::optional<RequestRefusal> count(std::size_t bytes) noexcept;

  /// Inserts bytes, which were counted already, before the rest.
  ///
  /// returns  nothing, or the rejection if the budget is used up
  [[nodiscard]] std::optional<RequestRefusal> add_first(std::string_view counted);

  /// Returns the bytes that were added and not taken.
  [[nodiscard]] std::string_view view() const noexcept { return content_.view(); }
  /// Returns the number of all bytes, including those taken.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  /// Moves the bytes to `into`, whose memory is reused for the next ones.
  void take(Buffer& into) noexcept {
    // The handler owns the bytes from here on, so they no longer count against the budget.
    budget_.give_back(content_.size());
    into.clear();
    into.swap(content_);
  }

  /// Resets to the initial state; a small buffer is kept for the next body.
  void reset() noexcept;

 private:
  BodyBudget& budget_;  // has reserved the size of content_
  Buffer content_;
  std::uint64_t bytes_max_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace eider::detail::server
