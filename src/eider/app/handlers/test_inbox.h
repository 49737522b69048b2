// A request body that arrives in the pieces that a test specifies.
// Layering: for tests only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/server/body_stream.h"

namespace eider::detail::app {

class TestInbox final : public BodyInbox {
 public:
  /// Adds all of `content` in pieces of that size, and the end.
  void give(std::string_view content, std::size_t piece_bytes) {
    for (; !content.empty(); content.remove_prefix(std::min(piece_bytes, content.size()))) {
      push(std::string(content.substr(0, piece_bytes)));
    }
    end();
  }
  void push(std::string piece) {
    pieces_.push_back(std::move(piece));
    arrival_.set();
  }
  void end() {
    has_ended_ = true;
    arrival_.set();
  }
  void say_length(std::uint64_t length) { length_ = length; }
  [[nodiscard]] std::size_t pieces_left() const noexcept { return pieces_.size(); }

  void want() noexcept override {}
  bool has_news() const noexcept override { return has_ended_ || !pieces_.empty(); }
  std::string_view take() override {
    taken_.clear();
    if (!pieces_.empty()) {
      taken_ = std::move(pieces_.front());
      pieces_.pop_front();
    }
    if (!has_news()) {
      arrival_.reset();
    }
    // In memory of its own, so that a sanitizer detects a view that is kept too long.
    taken_.shrink_to_fit();
    return taken_;
  }
  void gather() noexcept override {}
  std::string_view gathered() override { return {}; }
  AsyncEvent& arrival() noexcept override { return arrival_; }
  std::optional<std::uint64_t> length() const noexcept override { return length_; }

 private:
  std::deque<std::string> pieces_;
  std::string taken_;
  AsyncEvent arrival_;
  std::optional<std::uint64_t> length_;
  bool has_ended_ = false;
};

}  // namespace eider::detail::app
