#include "eider/db/row_reader.h"

#include <algorithm>

#include "eider/db/failure.h"
#include "eider/db/store.h"
#include "eider/reflect/faults.h"

namespace eider::db {
namespace {

using reflect::Kind;

[[noreturn]] void refuse_row(std::string cause) {
  throw Failure(FailureKind::row, std::move(cause));
}

std::string quote(std::string_view name) {
  std::string text("\"");
  text += name;
  text += '"';
  return text;
}

}  // namespace

const Value& Row::operator[](std::string_view column) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if ((*columns_)[i] == column) {
      return values_[i];
    }
  }
  refuse_row("the row has no column " + quote(column));
}

void RowReader::begin(std::span<const std::string_view> columns) {
  targets_.clear();
  if (row_.kind == Kind::kStruct) {
    bind_struct(columns);
    check_members();
  } else {
    bind_value(columns);
  }
}

void RowReader::bind_value(std::span<const std::string_view> columns) {
  if (columns.size() != 1) {
    refuse_row("a single value was asked for, but the statement has " +
               std::to_string(columns.size()) + " columns");
  }
  targets_.push_back({&row_, 0, "", std::string(columns[0])});
}

void RowReader::bind_struct(std::span<const std::string_view> columns) {
  for (const std::string_view column : columns) {
    const reflect::Member* member = row_.structure().find(column);
    if (member == nullptr) {
      refuse_row("the column " + quote(column) + " has no member in " + std::string(row_.name) +
                 ": add it there, or leave it out of the statement");
    }
    const auto is_same = [&](const Target& target) { return target.column == column; };
    if (std::any_of(targets_.begin(), targets_.end(), is_same)) {
      refuse_row("two columns are named " + quote(column) + ": rename one with `as`");
    }
    targets_.push_back({member->type, member->offset, member->name, std::string(column)});
  }
}

void RowReader::check_members() const {
  const reflect::Structure& structure = row_.structure();
  for (std::size_t i = 0; i < structure.count; ++i) {
    const std::string_view name = structure.first[i].name;
    const auto is_same = [&](const Target& target) { return target.column == name; };
    if (structure.is_required(i) && std::none_of(targets_.begin(), targets_.end(), is_same)) {
      refuse_row("the member " + std::string(row_.name) + "::" + std::string(name) +
                 " has no column: select it, or give the member a default");
    }
  }
}

void RowReader::add(std::span<const Cell> cells) {
  auto* object = static_cast<char*>(append_(container_));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Target& target = targets_[i];
    const std::string fault = store_cell(*target.type, object + target.offset, cells[i]);
    if (!fault.empty()) {
      refuse_row("the column " + quote(target.column) + " is " +
                 std::string(to_text(cells[i].kind)) +
                 (target.member.empty() ? " and "
                                        : ", but the member " + std::string(row_.name) +
                                              "::" + std::string(target.member) + " ") +
                 fault);
    }
  }
  check_row(object);
}

/// What the struct says of itself.
void RowReader::check_row(const void* object) const {
  if (row_.kind != Kind::kStruct || row_.structure().check == nullptr) {
    return;
  }
  Faults faults(row_.structure(), object);
  row_.structure().check(object, faults);
  if (!faults.found().empty()) {
    const FieldError& first = faults.found().front();
    refuse_row("the row of " + std::string(row_.name) + first.pointer + " " + first.detail);
  }
}

void DynamicRowReader::begin(std::span<const std::string_view> columns) {
  columns_ = std::make_shared<const std::vector<std::string>>(columns.begin(), columns.end());
}

void DynamicRowReader::add(std::span<const Cell> cells) {
  std::vector<Value> values;
  values.reserve(cells.size());
  for (const Cell& cell : cells) {
    values.push_back(cell.copy());
  }
  *static_cast<Row*>(append_(container_)) = Row(columns_, std::move(values));
}

}  // namespace eider::db
