#include "eider/data/db/record_sql.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/core/kinds/times.h"
#include "eider/data/db/column_names.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/statement_text.h"
#include "eider/data/db/store.h"

namespace eider::db::detail {
namespace {

using reflect::Kind;

/// as  " values(", or " select "
template <class Columns>
void add_values(StatementText& to, const Columns& columns, std::string_view as) {
  std::string_view between = "(";
  for (const auto& column : columns) {
    to << between << column_sql(column.name);
    between = ", ";
  }
  to << ")";
  between = as;
  for (const auto& column : columns) {
    to << between << column.value;
    between = ", ";
  }
}

template <class Columns>
StatementText insertion(const std::string& table, const Columns& columns, Dialect dialect) {
  StatementText text("insert into " + table);
  if (columns.empty()) {
    text << (dialect == Dialect::mariadb ? "() values()" : " default values");
  } else {
    add_values(text, columns, " values(");
    text << ")";
  }
  return text;
}

Cell as_cell(const Value& value) {
  Cell cell{.kind = value.kind(),
            .integer = value.integer().value_or(0),
            .real = value.real().value_or(0)};
  cell.bytes = value.text() == nullptr ? std::string_view() : std::string_view(*value.text());
  return cell;
}

/// Returns whether the database compares the value by a collation, which ignores case, accents and
/// trailing spaces by default: records of "ada" would include those of "ADA" and "ada ".
bool is_folded(Dialect dialect, const Value& value) noexcept {
  return dialect == Dialect::mariadb && value.text() != nullptr;
}

}  // namespace

Ahead ahead_of(RecordChange& change, bool is_within_transaction) {
  Ahead ahead{.is_within_transaction = is_within_transaction};
  for (BoundSql& one : change.ahead) {
    ahead.statements.push_back(make_statement(std::move(one)));
  }
  return ahead;
}

RecordSql::RecordSql(const Table& table, const reflect::Type& row, Dialect dialect)
    : row_(row.structure()),
      dialect_(dialect),
      table_(table.name),
      key_(table.key),
      version_(table.version),
      deleted_(table.deleted) {
  if (!is_table_name(table_)) {
    refuse("\"" + table_ + "\" is not a valid table name");
  }
  table_ = table_sql(table_);
  (void)member_of(key_);
  if (!version_.empty()) {
    (void)member_of(version_);
  }
  if (!deleted_.empty()) {
    is_marked_ = reflect::without_rules(*member_of(deleted_).type).kind == Kind::kBool;
  }
  name_columns();
}

void RecordSql::name_columns() {
  columns_.clear();
  for (const reflect::Member& member : row_) {
    if (find_column(member.name) != nullptr) {
      columns_.append(columns_.empty() ? "" : ", ").append(result_sql(member.name));
    }
  }
}

const reflect::Member* RecordSql::find_column(std::string_view name) const {
  const bool is_related = std::ranges::find(relations_, name, &Relation::into) != relations_.end();
  return is_related ? nullptr : row_.find(name);
}

const reflect::Member& RecordSql::member_of(std::string_view name) const {
  const reflect::Member* member = find_column(name);
  if (member == nullptr || !is_name(name)) {
    refuse("records of " + table_ + " have no member " + std::string(name));
  }
  return *member;
}

Value RecordSql::column_of(const void* record, std::string_view name) const {
  const reflect::Member& member = member_of(name);
  return value_of(*member.type, member.in(record));
}

void RecordSql::take_place(const void* record, const reflect::Type& place, void* into) const {
  for (const reflect::Member& member : place.structure()) {
    const Value value = column_of(record, member.name);
    const std::string fault = store_cell(*member.type, member.in(into), as_cell(value));
    if (!fault.empty()) {
      refuse("a place's member " + std::string(member.name) + " " + fault);
    }
  }
}

void RecordSql::hold_to(std::string_view column, Value value) {
  if (value.is_null()) {  // NULL equals nothing, and inserted records would have no owner
    throw Failure(FailureKind::statement, "records of " + table_ + " have no owner column");
  }
  held_.push_back({std::string(member_of(column).name), std::move(value)});
}

bool RecordSql::is_held(std::string_view name) const {
  return std::ranges::find(held_, name, &Held::column) != held_.end();
}

/// Parses "org, email".
std::vector<std::string_view> RecordSql::columns_in(std::string_view names) const {
  std::vector<std::string_view> columns;
  while (!names.empty()) {
    columns.push_back(member_of(take_until(names, ", ")).name);
  }
  return columns;
}

/// Returns the columns to store: all except absent members, and a key that is 0, which the database
/// assigns.
std::vector<RecordSql::Column> RecordSql::given(const Described& values) const {
  std::vector<Column> columns;
  for (const reflect::Member& member : values.type->structure()) {
    if (values.type->shape == &row_ && find_column(member.name) == nullptr) {
      continue;  // a whole record with its relation members
    }
    (void)member_of(member.name);
    const void* value = member.in(values.object);
    const bool is_left_out = member.is_optional() && member.type->optional().tells_null &&
                             member.type->optional().is_absent(value);
    if (is_left_out || is_held(member.name)) {
      continue;
    }
    Column column{member.name, value_of(*member.type, value)};
    if (column.name != key_ || (column.value.integer() != 0 && !column.value.is_null())) {
      columns.push_back(std::move(column));
    }
  }
  for (const Held& held : held_) {
    columns.push_back({held.column, held.value});
  }
  return columns;
}

/// Adds conditions that exclude removed records and those of other owners.
void RecordSql::add_standing(Text& to, std::string_view prefix) const {
  if (!deleted_.empty()) {
    to.condition() << not_removed(prefix);
  }
  add_held(to, prefix);
}

std::string RecordSql::not_removed(std::string_view prefix) const {
  const std::string column = std::string(prefix) + column_sql(deleted_);
  return is_marked_ ? "not " + column : column + " is null";
}

void RecordSql::add_held(Text& to, std::string_view prefix) const {
  for (const Held& held : held_) {
    const std::string column = std::string(prefix) + column_sql(held.column);
    to.condition() << column << " = " << held.value;
    // The index also finds similar texts.
    if (is_folded(dialect_, held.value)) {
      to.condition() << "binary " << column << " = binary " << held.value;
    }
  }
}

void RecordSql::add_where_key(Text& to, const Value& key) const {
  to.condition() << column_sql(key_) << " = " << key;
  add_standing(to, "");
}

BoundSql RecordSql::find(const Value& key) const {
  Text text("select " + columns_ + " from " + table_);
  add_where_key(text, key);
  return std::move(text).take();
}

BoundSql RecordSql::plain_insert(const std::vector<Column>& columns) const {
  Text text = insertion(table_, columns, dialect_);
  text << " returning " << columns_;
  return std::move(text).take();
}

BoundSql RecordSql::insert(const Described& values) const {
  return plain_insert(given(values));
}

bool RecordSql::is_changed_by_upsert(const Column& column) const {
  return column.name != key_ && column.name != version_ && !is_held(column.name);
}

/// `on duplicate key` applies to any key, so it may match a record with another duplicate value.
/// Then each column is set to its current value, and a plain insert after that fails with the name
/// of the key.
RecordChange RecordSql::upsert_by_steps(const std::vector<Column>& columns,
                                        std::span<const std::string_view> unique) const {
  Text insert("insert into " + table_);
  add_values(insert, columns, " select ");
  insert << " from dual where not exists(select 1 from " << table_;
  Text select("select " + columns_ + " from " + table_);
  std::vector<std::string> same;
  const auto add_same = [&same](std::string_view name) {
    same.push_back(column_sql(name) + " = values(" + column_sql(name) + ")");
  };
  for (const std::string_view name : unique) {
    const auto found = std::ranges::find(columns, name, &Column::name);
    if (found == columns.end()) {  // the database assigns it, so there is no existing record
      return {plain_insert(columns)};
    }
    add_same(name);
    insert.condition() << column_sql(name) << " = " << found->value;
    select.condition() << column_sql(name) << " = " << found->value;
  }
  insert << ")";
  for (const Held& held : held_) {
    add_same(held.column);
    if (is_folded(dialect_, held.value)) {
      const std::string column = column_sql(held.column);
      same.push_back("binary " + column + " = binary values(" + column + ")");
    }
  }
  if (!deleted_.empty()) {
    same.push_back(not_removed(""));
  }
  add_standing(select, "");

  const std::string is_meant = joined(same, " and ");
  std::vector<std::string> changes;
  const auto add_change = [&](std::string_view name, const std::string& to) {
    std::string change = column_sql(name);
    change += " = if(" + is_meant + ", " + to + ", ";
    changes.push_back(change.append(column_sql(name)) + ")");
  };
  const auto add_values_of = [&](bool is_mark) {
    for (const Column& column : columns) {
      if (is_changed_by_upsert(column) && (column.name == deleted_) == is_mark) {
        add_change(column.name, "values(" + column_sql(column.name) + ")");
      }
    }
  };
  add_values_of(false);
  if (!version_.empty()) {
    add_change(version_, column_sql(version_) + " + 1");
  }
  // The last change: the server assigns in this order, and each condition reads the values so far.
  add_values_of(true);
  if (changes.empty()) {
    changes.push_back(column_sql(key_) + " = " + column_sql(key_));
  }
  Text change = insertion(table_, columns, dialect_);
  change << " on duplicate key update " << joined(changes, ", ");
  std::vector<BoundSql> ahead;
  ahead.push_back(std::move(change).take());
  ahead.push_back(std::move(insert).take());
  return {std::move(select).take(), std::move(ahead)};
}

RecordChange RecordSql::upsert(const Described& values, std::string_view unique) const {
  const std::string_view of = unique.empty() ? std::string_view(key_) : unique;
  const std::vector<std::string_view> names = columns_in(of);
  const std::vector<Column> columns = given(values);
  if (dialect_ == Dialect::mariadb) {
    return upsert_by_steps(columns, names);
  }
  Text text = insertion(table_, columns, dialect_);
  std::string_view between = " on conflict(";
  for (const std::string_view name : names) {
    text << between << column_sql(name);
    between = ", ";
  }
  text << ") do update set ";
  between = "";
  for (const Column& column : columns) {
    if (is_changed_by_upsert(column)) {
      text << between << column_sql(column.name) << " = excluded." << column_sql(column.name);
      between = ", ";
    }
  }
  if (!version_.empty()) {
    const std::string version = column_sql(version_);
    text << between << version << " = " << table_ << "." << version << " + 1";
  } else if (between.empty()) {  // so that the row is returned
    text << column_sql(key_) << " = " << table_ << "." << column_sql(key_);
  }
  add_standing(text, table_ + ".");  // a removed record, or one of another owner, is not changed
  text << " returning " << columns_;
  return {std::move(text).take()};
}

RecordChange RecordSql::update_columns(const Value& key, const std::vector<Column>& columns,
                                       std::optional<std::int64_t> version) const {
  Text select("select " + columns_ + " from " + table_);
  Text update("update " + table_ + " set ");
  for (const Column& column : columns) {
    update << (&column == columns.data() ? "" : ", ") << column_sql(column.name) << " = "
           << column.value;
  }
  if (!version_.empty()) {
    update << ", " << column_sql(version_) << " = " << column_sql(version_) << " + 1";
  }
  Text& asked = columns.empty() ? select : update;
  add_where_key(asked, key);
  if (version) {
    asked.condition() << column_sql(version_) << " = " << Value(*version);
  }
  if (columns.empty()) {
    return {std::move(select).take()};
  }
  if (dialect_ != Dialect::mariadb) {
    update << " returning " << columns_;
    return {std::move(update).take()};
  }
  select.condition() << column_sql(key_) << " = "
                     << key;  // even if the change has marked it as removed
  add_held(select, "");
  std::vector<BoundSql> ahead;
  ahead.push_back(std::move(update).take());
  return {std::move(select).take(), std::move(ahead)};
}

void RecordSql::check_version(std::optional<std::int64_t> version) const {
  if (version && version_.empty()) {
    refuse("records of " + table_ + " have no version");
  }
}

RecordChange RecordSql::update(const Value& key, const Described& changes,
                               std::optional<std::int64_t> version) const {
  check_version(version);
  std::vector<Column> columns;
  for (const reflect::Member& member : changes.type->structure()) {
    (void)member_of(member.name);
    const void* value = member.in(changes.object);
    if (member.is_optional() && member.type->optional().is_absent(value)) {
      continue;
    }
    if (member.name == key_ || member.name == version_ || is_held(member.name)) {
      refuse("the key, the version and the owner of a record cannot be changed by a member");
    }
    columns.push_back({member.name, value_of(*member.type, value)});
  }
  return update_columns(key, columns, version);
}

RecordChange RecordSql::update(const Described& before, const Described& after) const {
  const bool is_whole = after.type->shape == &row_;
  std::vector<Column> columns;
  for (const reflect::Member& member : after.type->structure()) {
    if (is_whole && find_column(member.name) == nullptr) {
      continue;
    }
    const reflect::Member& old = member_of(member.name);
    Value value = value_of(*member.type, member.in(after.object));
    const bool is_fixed = member.name == key_ || member.name == version_ || is_held(member.name);
    if (!is_fixed && value != value_of(*old.type, old.in(before.object))) {
      columns.push_back({member.name, std::move(value)});
    }
  }
  std::optional<std::int64_t> version;
  if (!version_.empty()) {
    version = column_of(before.object, version_).integer();
  }
  return update_columns(column_of(before.object, key_), columns, version);
}

BoundSql RecordSql::remove(const Value& key, std::optional<std::int64_t> version) const {
  check_version(version);
  Text text("");
  if (deleted_.empty()) {
    text << "delete from " << table_;
  } else {
    text << "update " << table_ << " set " << column_sql(deleted_) << " = "
         << (is_marked_ ? Value(std::int64_t{1}) : Value(now_text(), Value::TextKind::instant));
    if (!version_.empty()) {
      text << ", " << column_sql(version_) << " = " << column_sql(version_) << " + 1";
    }
  }
  add_where_key(text, key);
  if (version) {
    text.condition() << column_sql(version_) << " = " << Value(*version);
  }
  return std::move(text).take();
}

}  // namespace eider::db::detail
