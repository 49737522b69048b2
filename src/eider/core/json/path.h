// The position of the reader in a JSON text, built only for errors.
// Layering: must not outlive the frames that it points to: it is on the stack, as the recursion is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::json::detail {

/// One step from the root: into a member, or into an element when `name` has no data.
class Path {
 public:
  Path() = default;
  [[nodiscard]] Path member(std::string_view name) const noexcept {
    return Path(this, name.data() == nullptr ? std::string_view("") : name, 0);
  }
  [[nodiscard]] Path element(std::size_t index) const noexcept { return Path(this, {}, index); }

  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

  /// As a JSON pointer (RFC 6901, section 3): "/tags/0".
  [[nodiscard]] std::string pointer() const;

 private:
  Path(const Path* up, std::string_view name, std::size_t index) noexcept
      : up_(up), name_(name), index_(index), depth_(up->depth_ + 1) {}

  const Path* up_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace eider::json::detail
