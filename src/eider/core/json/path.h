// The position of the reader in a JSON text, built only for errors.
// Layering: must not outlive the frames that it points to: it is on the stack of the recursion.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::json::detail {

/// One step from the root: into a member, or into an element if there is no name.
class Path {
 public:
  Path() = default;
  [[nodiscard]] Path member(std::string_view name) const noexcept {
    return Path(this, name.data() == nullptr ? "" : name.data(), name.size());
  }
  /// Moves on to the next member of the same object. Pre: name.data() != nullptr.
  void set_name(std::string_view name) noexcept {
    name_ = name.data();
    size_or_index_ = name.size();
  }
  [[nodiscard]] Path element(std::size_t index) const noexcept {
    return Path(this, nullptr, index);
  }
  /// Moves on to an element of the same array.
  void set_index(std::size_t index) noexcept { size_or_index_ = index; }

  [[nodiscard]] std::size_t depth() const noexcept { return depth_; }

  /// Returns a JSON pointer (RFC 6901, section 3): "/tags/0". A longer pointer is cut and ends with
  /// "…", because the client chooses the names, and they are sent back with each error.
  static constexpr std::size_t kPointerBytesMax = 256;
  ///
  /// below  a pointer relative to this path, which is appended
  [[nodiscard]] std::string pointer(std::string_view below = {}) const;

 private:
  void append_to(std::string& pointer) const;

  Path(const Path* up, const char* name, std::size_t size_or_index) noexcept
      : up_(up), name_(name), size_or_index_(size_or_index), depth_(up->depth_ + 1) {}

  const Path* up_ = nullptr;
  const char* name_ = nullptr;
  std::size_t size_or_index_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace eider::json::detail
