// A row whose columns are known only at run time: `db->all<Row>(…)`.
// Layering: must not be used if a struct is possible.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/value.h"

namespace eider::db {

class Row {
 public:
  using Columns = std::shared_ptr<const std::vector<std::string>>;

  Row() = default;
  Row(Columns columns, std::vector<Value> values)
      : columns_(std::move(columns)), values_(std::move(values)) {}

  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }
  /// Pre: index < size().
  [[nodiscard]] const std::string& column(std::size_t index) const { return (*columns_)[index]; }
  [[nodiscard]] const Value& operator[](std::size_t index) const { return values_[index]; }
  /// Returns the first column with that name. Throws Failure(row) if it does not exist.
  [[nodiscard]] const Value& operator[](std::string_view column) const;

 private:
  Columns columns_;
  std::vector<Value> values_;
};

}  // namespace eider::db
