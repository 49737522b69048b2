// Lists of records: their filters, order and pages.

#include <algorithm>
#include <iterator>

#include "eider/data/db/column_names.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/record_sql.h"
#include "eider/data/db/statement_text.h"

namespace eider::db::detail {
namespace {

using reflect::Kind;

/// Members of a query that select the page and the order.
constexpr std::string_view kOfPages[] = {"page", "per_page", "after", "sort"};
constexpr std::string_view kDescending = "_desc";
constexpr std::string_view kLike = " like ";
/// Suffixes of member names, and their conditions.
constexpr struct {
  std::string_view end;
  std::string_view compares;
} kEnds[] = {
    {"_min", " >= "}, {"_max", " <= "}, {"_above", " > "}, {"_below", " < "}, {"_contains", kLike}};

bool is_of_pages(std::string_view name) noexcept {
  return std::ranges::find(kOfPages, name) != std::end(kOfPages);
}

/// Returns a pattern that finds the value anywhere in a text, with wildcards escaped.
Value contained(const Value& value) {
  if (value.text() == nullptr) {
    throw Failure(FailureKind::values, "`contains` needs a text");
  }
  std::string pattern = "%";
  for (const char byte : *value.text()) {
    if (byte == '%' || byte == '_' || byte == '!') {
      pattern += '!';
    }
    pattern += byte;
  }
  return Value(pattern + "%");
}

const void* member_value(const Described& of, std::string_view name, const reflect::Type** type) {
  const reflect::Member* member = of.type->structure().find(name);
  if (member == nullptr) {
    return nullptr;
  }
  *type = member->type;
  const void* value = member->in(of.object);
  if (member->is_optional()) {
    *type = member->type->optional().value;
    value = member->type->optional().get(value);
  }
  return value;
}

std::int64_t number_of(const Described& of, std::string_view name) {
  const reflect::Type* type = nullptr;
  const void* value = member_value(of, name, &type);
  const auto number = value == nullptr ? std::nullopt : value_of(*type, value).integer();
  if (!number) {
    refuse("a page needs a struct with the member " + std::string(name));
  }
  return *number;
}

}  // namespace

std::string_view collation_of(const reflect::Type& type, Dialect dialect) noexcept {
  if (dialect != Dialect::sqlite) {
    return "";
  }
  switch (type.kind) {
    case Kind::kOptional:
      return collation_of(*type.optional().value, dialect);
    case Kind::kConstrained:
      return collation_of(*type.constraint().value, dialect);
    case Kind::kText: {
      const std::string_view format = type.text().schema->format;
      const bool is_duration = format == "duration" || format == "precise-duration";
      return format == "decimal" ? " collate eider_decimal"
             : is_duration       ? " collate eider_duration"
                                 : "";
    }
    default:
      return "";
  }
}

/// Returns the condition for a member name: a column, which must be equal, or one with a suffix.
RecordSql::Asked RecordSql::asked_by(std::string_view name) const {
  if (find_column(name) != nullptr) {
    return {name, " = "};
  }
  for (const auto& [end, compares] : kEnds) {
    const std::string_view column = name.substr(0, name.size() - std::min(end.size(), name.size()));
    if (name.ends_with(end) && find_column(column) != nullptr) {
      return {member_of(column).name, compares};
    }
  }
  refuse("records of " + table_ + " have no member " + std::string(name) + " to search in");
}

std::string RecordSql::compared_sql(std::string_view column) const {
  return column_sql(column).append(collation_of(*member_of(column).type, dialect_));
}

void RecordSql::add_condition(Text& to, const reflect::Member& member, const void* value) const {
  const reflect::Type& type = member.is_optional() ? *member.type->optional().value : *member.type;
  const Asked asked = asked_by(member.name);
  if (asked.compares == kLike) {
    to.condition() << "lower(" << column_sql(asked.column) << ") like lower("
                   << contained(value_of(type, value)) << ") escape '!'";
  } else {
    to.condition() << compared_sql(asked.column) << asked.compares << value_of(type, value);
  }
}

void RecordSql::add_conditions(Text& to, const Described& query) const {
  for (const reflect::Member& member : query.type->structure()) {
    const void* value = member.in(query.object);
    if (is_of_pages(member.name)) {
      continue;
    }
    if (member.is_optional()) {
      const reflect::Optional& optional = member.type->optional();
      if (optional.tells_null && optional.is_null(value)) {
        to.condition() << column_sql(member_of(member.name).name) << " is null";
        continue;
      }
      value = optional.get(value);
    }
    if (value != nullptr) {
      add_condition(to, member, value);
    }
  }
  add_standing(to, "");
}

void RecordSql::check_query(const reflect::Type& query) const {
  for (const reflect::Member& member : query.structure()) {
    if (!is_of_pages(member.name)) {
      (void)asked_by(member.name);
    }
  }
  const reflect::Member* sort = query.structure().find("sort");
  if (sort == nullptr) {
    return;
  }
  const reflect::Type& type = sort->is_optional() ? *sort->type->optional().value : *sort->type;
  if (type.kind != Kind::kEnum) {
    refuse("the sort member for records of " + table_ +
           " must be an enum that lists the allowed names");
  }
  for (const reflect::Enumerator& enumerator : type.enumeration()) {
    (void)order_of(enumerator.name);
  }
}

/// "stars_desc" is a descending order, unless the record has a column of that name.
RecordSql::Order RecordSql::order_of(std::string_view by) const {
  const bool is_descending = find_column(by) == nullptr && by.ends_with(kDescending);
  by.remove_suffix(is_descending ? kDescending.size() : 0);
  return {member_of(by).name, is_descending};
}

BoundSql RecordSql::page(const Described& query) const {
  Text text("select " + columns_ + " from " + table_);
  add_conditions(text, query);
  text << " order by ";
  const reflect::Type* type = nullptr;
  if (const void* sort = member_value(query, "sort", &type)) {
    const Value value = value_of(*type, sort);
    const Order order = order_of(value.text() == nullptr ? "" : std::string_view(*value.text()));
    text << compared_sql(order.column) << (order.is_descending ? " desc, " : ", ");
  }
  const std::int64_t count = number_of(query, "per_page");
  std::int64_t offset = 0;
  if (count < 0 || __builtin_mul_overflow(number_of(query, "page") - 1, count, &offset) ||
      offset < 0) {
    throw Failure::of_value("this page does not exist");
  }
  text << column_sql(key_) << " limit " << Value(count) << " offset " << Value(offset);
  return std::move(text).take();
}

BoundSql RecordSql::count(const Described& query) const {
  Text text("select count(*) from " + table_);
  add_conditions(text, query);
  return std::move(text).take();
}

/// Adds `(a, b) > ($1, $2)`; for MariaDB, which cannot use an index for that, `(a > $1 or (a = $2
/// and (b > $3)))`.
void RecordSql::add_behind(Text& to, const Described& place, Direction direction) const {
  const reflect::Structure& members = place.type->structure();
  const std::string_view compares = direction == Direction::down ? " < " : " > ";
  const auto value_in = [&](const reflect::Member& member) {
    return value_of(*member.type, member.in(place.object));
  };
  to.condition() << "(";
  if (dialect_ == Dialect::mariadb) {
    std::string end = ")";
    for (const reflect::Member& member : members) {
      const bool is_last = &member + 1 == members.end();
      to << column_sql(member.name) << compares << value_in(member);
      if (!is_last) {
        to << " or (" << column_sql(member.name) << " = " << value_in(member) << " and (";
        end += "))";
      }
    }
    to << end;
    return;
  }
  std::string_view between;
  for (const reflect::Member& member : members) {
    to << between << compared_sql(member.name);
    between = ", ";
  }
  to << ")" << compares << "(";
  between = "";
  for (const reflect::Member& member : members) {
    to << between << value_in(member);
    between = ", ";
  }
  to << ")";
}

BoundSql RecordSql::page_after(const Described& query, const Described& place,
                               Direction direction) const {
  const bool is_down = direction == Direction::down;
  std::string order;
  for (const reflect::Member& member : place.type->structure()) {
    order.append(order.empty() ? "" : ", ")
        .append(compared_sql(member.name))
        .append(is_down ? " desc" : "");
  }
  Text text("select " + columns_ + " from " + table_);
  add_conditions(text, query);
  if (place.object != nullptr) {
    add_behind(text, place, direction);
  }
  text << " order by " << order << " limit " << Value(number_of(query, "per_page"));
  return std::move(text).take();
}

}  // namespace eider::db::detail
