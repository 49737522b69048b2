#include "eider/data/db/row_reader.h"

#include <algorithm>
#include <optional>

#include "eider/core/reflect/validation_errors.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/misfits.h"
#include "eider/data/db/store.h"

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

bool is_among(std::span<const reflect::Member* const> members, const reflect::Member* member) {
  return std::ranges::find(members, member) != members.end();
}

/// Throws an error that describes the value, if its problem is known.
///
/// member  that cannot store the value; empty if the row is a single value
void refuse_misfit(std::string_view column, const std::string& member,
                   const std::optional<Misfit>& misfit) {
  if (misfit) {
    refuse_row("the column " + quote(column) + " " + misfit->is +
               (member.empty() ? "" : ", and does not fit the member " + member) + ": " +
               misfit->fix);
  }
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

void RowReader::begin(RowShape& shape) {
  shape_ = &shape;
  if (row_.kind == Kind::kStruct) {
    if (!shape.is_bound_to(row_)) {
      bind_struct(shape);
    }
  } else if (shape.columns().size() != 1) {
    refuse_row("a single value was requested, but the statement has " +
               std::to_string(shape.columns().size()) + " columns");
  }
}

void RowReader::bind_struct(RowShape& shape) const {
  const std::span<const std::string_view> columns = shape.columns();
  const std::span<Member> members = shape.make_members();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Member member = row_.structure().find(columns[i]);
    if (member == nullptr) {
      refuse_row("the column " + quote(columns[i]) + " has no member in " + std::string(row_.name) +
                 ": add the member, or remove the column from the statement");
    }
    if (is_among(members.first(i), member)) {
      refuse_row("two columns have the name " + quote(columns[i]) + ": rename one with `as`");
    }
    members[i] = member;
  }
  check_members(members);
  shape.note_bound(row_);
}

void RowReader::check_members(std::span<const Member> members) const {
  const reflect::Structure& structure = row_.structure();
  for (std::size_t i = 0; i < structure.count; ++i) {
    const Member member = &structure.first[i];
    if (!is_among(members, member) && structure.is_required(i)) {
      refuse_row("the member " + std::string(row_.name) + "::" + std::string(member->name) +
                 " has no column: select one, or give the member a default");
    }
  }
}

void RowReader::add(std::span<const Cell> cells) {
  auto* object = static_cast<char*>(append_(container_));
  if (row_.kind != Kind::kStruct) {
    if (const std::string fault = store_cell(row_, object, cells[0]); !fault.empty()) {
      refuse_misfit(shape_->columns().front(), "", find_misfit(row_, object, cells[0]));
      refuse_cell(nullptr, cells[0], fault);
    }
    return;
  }
  const std::span<const Member> members = shape_->members();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Member member = members[i];
    const std::string fault = store_cell(*member->type, object + member->offset, cells[i]);
    if (!fault.empty()) {
      refuse_misfit(member->name, std::string(row_.name) + "::" + std::string(member->name),
                    find_misfit(*member->type, object + member->offset, cells[i]));
      refuse_cell(member, cells[i], fault);
    }
  }
  check_row(object);
}

/// Errors name a column by its member.
void RowReader::refuse_cell(Member member, const Cell& cell, const std::string& fault) const {
  const std::string_view column = member == nullptr ? shape_->columns().front() : member->name;
  refuse_row("the column " + quote(column) + " is " + std::string(to_text(cell.kind)) +
             (member == nullptr ? " and "
                                : ", but the member " + std::string(row_.name) +
                                      "::" + std::string(member->name) + " ") +
             fault);
}

/// Runs the struct's own check.
void RowReader::check_row(const void* object) const {
  if (row_.structure().check == nullptr) {
    return;
  }
  ValidationErrors faults(row_.structure(), object);
  row_.structure().check(object, faults);
  if (!faults.found().empty()) {
    const FieldError& first = faults.found().front();
    refuse_row("the row of " + std::string(row_.name) + first.pointer + " " + first.detail);
  }
}

void DynamicRowReader::begin(RowShape& shape) {
  const std::span<const std::string_view> columns = shape.columns();
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
