// Reads rows into structs: maps columns to members by name, and reports each mismatch.
// Layering: must not convert silently; a value that does not fit exactly is an error.
#pragma once

#include <span>
#include <string>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/connection.h"
#include "eider/data/db/row.h"

namespace eider::db {

/// Reads rows into a container, which is extended for each row.
///
/// Each row is a struct (with a column for each member that is neither optional nor has a default,
/// and a member for each column), or a single value if the statement has one column.
class RowReader final : public RowSink {
 public:
  using Append = void* (*)(void* container);

  RowReader(const reflect::Type& row, void* container, Append append) noexcept
      : row_(row), container_(container), append_(append) {}

  /// errors   Failure(row)  columns and members do not fit; both are named
  void begin(RowShape& shape) override;
  /// errors   Failure(row)  a cell does not fit its member; both are named
  void add(std::span<const Cell> cells) override;

 private:
  using Member = RowShape::Member;

  void bind_struct(RowShape& shape) const;
  void check_members(std::span<const Member> members) const;
  void check_row(const void* object) const;
  [[noreturn]] void refuse_cell(Member member, const Cell& cell, const std::string& fault) const;

  const reflect::Type& row_;
  void* container_;
  Append append_;
  const RowShape* shape_ = nullptr;  // of the current rows
};

/// The same for rows without a struct.
class DynamicRowReader final : public RowSink {
 public:
  DynamicRowReader(void* container, RowReader::Append append) noexcept
      : container_(container), append_(append) {}
  void begin(RowShape& shape) override;
  void add(std::span<const Cell> cells) override;

 private:
  void* container_;
  RowReader::Append append_;
  Row::Columns columns_;
};

}  // namespace eider::db
