// Rows into structs: columns to members by name, with every misfit named.
// Must not convert quietly: what does not fit exactly is an error.
#pragma once

#include <cstddef>
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
  struct Target {
    const reflect::Type* type;
    std::size_t offset;
    std::string_view member;
    std::string column;
  };

  void bind_value(std::span<const std::string_view> columns);
  void bind_struct(std::span<const std::string_view> columns);
  void check_members() const;
  void check_row(const void* object) const;

  const reflect::Type& row_;
  void* container_;
  Append append_;
  std::vector<Target> targets_;  // one per column
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
