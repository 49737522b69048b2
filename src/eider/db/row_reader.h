// Rows into structs: columns to members by name, with every misfit named.
// Must not convert quietly: what does not fit exactly is an error.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "eider/db/connection.h"
#include "eider/db/row.h"
#include "eider/reflect/type_of.h"

namespace eider::db {

/// Where rows go: into a container that makes room for one at a time.
///
/// Each row is a struct (a column for each member that is neither optional nor has a default, and
/// a member for each column), or a single value when the statement has one column.
class RowReader final : public RowSink {
 public:
  using Append = void* (*)(void* container);

  RowReader(const reflect::Type& row, void* container, Append append) noexcept
      : row_(row), container_(container), append_(append) {}

  /// errors   Failure(row)  columns and members do not fit; both are named
  void begin(std::span<const std::string_view> columns) override;
  /// errors   Failure(row)  a cell does not fit its member; both are named
  void add(std::span<const Cell> cells) override;

 private:
  using Member = const reflect::Member*;
  static constexpr std::size_t kFew = 12;

  void bind_value(std::span<const std::string_view> columns);
  void bind_struct(std::span<const std::string_view> columns);
  /// A member for each of so many columns, for which few structs need the heap.
  [[nodiscard]] std::span<Member> make_members(std::size_t count);
  void check_members(std::span<const Member> members) const;
  void check_row(const void* object) const;
  [[noreturn]] void refuse_cell(Member member, const Cell& cell, const std::string& fault) const;

  const reflect::Type& row_;
  void* container_;
  Append append_;
  std::span<Member> members_;  // one for each column; none for a single value
  std::array<Member, kFew> few_;
  std::vector<Member> many_;
  std::string column_;  // of a single value
};

/// The same for rows without a struct.
class DynamicRowReader final : public RowSink {
 public:
  DynamicRowReader(void* container, RowReader::Append append) noexcept
      : container_(container), append_(append) {}
  void begin(std::span<const std::string_view> columns) override;
  void add(std::span<const Cell> cells) override;

 private:
  void* container_;
  RowReader::Append append_;
  Row::Columns columns_;
};

}  // namespace eider::db
