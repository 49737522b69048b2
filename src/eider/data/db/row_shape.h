// The columns of a result, and the member of a struct that each one maps to.
// Layering: must not outlive the names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type_of.h"

namespace eider::db {

/// Stays with a statement for as long as its columns are the same, so that their members are found
/// once and not for each result.
class RowShape {
 public:
  using Member = const reflect::Member*;

  /// Room for as many names, to be filled with such as stay for as long as this is used.
  [[nodiscard]] std::span<std::string_view> make_columns(std::size_t count) {
    bound_to_ = nullptr;
    columns_.resize(count);
    return columns_;
  }
  /// names  the same
  void set(std::span<const std::string_view> names) {
    std::ranges::copy(names, make_columns(names.size()).begin());
  }
  [[nodiscard]] std::span<const std::string_view> columns() const noexcept { return columns_; }

  /// Whether the members are those of `row`.
  [[nodiscard]] bool is_bound_to(const reflect::Type& row) const noexcept {
    return bound_to_ == &row;
  }
  /// One for each column; to be filled before this is bound. There is one struct's at a time.
  [[nodiscard]] std::span<Member> make_members() {
    bound_to_ = nullptr;
    members_.resize(columns_.size());
    return members_;
  }
  void note_bound(const reflect::Type& row) noexcept { bound_to_ = &row; }
  [[nodiscard]] std::span<const Member> members() const noexcept { return members_; }

 private:
  std::vector<std::string_view> columns_;
  std::vector<Member> members_;
  const reflect::Type* bound_to_ = nullptr;
};

}  // namespace eider::db
