#include "eider/data/db/relation.h"

#include <algorithm>
#include <optional>
#include <set>

#include "eider/core/json/write.h"
#include "eider/data/db/column_names.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/record_sql.h"
#include "eider/data/db/statement_text.h"

namespace eider::db::detail {
namespace {

constexpr char kEndOfKind = ':';

void check_name(std::string_view name, bool is_good) {
  if (!is_good) {
    throw Failure(FailureKind::statement, "\"" + std::string(name) + "\" is not a valid SQL name");
  }
}

/// Returns '{"1","a"}': PostgreSQL derives the type of the array from the comparison.
std::string as_array(const std::string& text) {
  std::string quoted = "\"";
  for (const char byte : text) {
    quoted += byte == '"' || byte == '\\' ? std::string("\\") + byte : std::string(1, byte);
  }
  return quoted + '"';
}

/// Returns all keys as one value, because a statement has at most 64 values, and its text is
/// prepared once for any number of keys. Empty if all are NULL.
std::string as_list(std::span<const Value> keys, Dialect dialect) {
  const bool is_array = dialect == Dialect::postgres;
  std::set<std::string> texts;
  for (const Value& key : keys) {
    const bool is_text = key.text() != nullptr;
    if (!is_text && !key.integer() && !key.is_null()) {
      throw Failure(FailureKind::values, "related records need keys that are integers or text");
    }
    if (is_text) {
      texts.insert(is_array ? as_array(*key.text()) : json::to_text(*key.text()));
    } else if (!key.is_null()) {
      texts.insert(std::to_string(*key.integer()));
    }
  }
  std::string list;
  for (const std::string& text : texts) {
    list += list.empty() ? (is_array ? "{" : "[") : ",";
    list += text;
  }
  return list.empty() ? list : list + (is_array ? "}" : "]");
}

bool has_text(std::span<const Value> keys) {
  return std::ranges::any_of(keys, [](const Value& key) { return key.text() != nullptr; });
}

/// Adds " = any($1)", or an equivalent for other databases.
void add_list(StatementText& to, std::string list, Dialect dialect, bool is_of_texts) {
  switch (dialect) {
    case Dialect::postgres:
      to << " = any(" << Value(std::move(list)) << ")";
      break;
    case Dialect::sqlite:
      to << " in (select value from json_each(" << Value(std::move(list)) << "))";
      break;
    case Dialect::mariadb:  // keys of MariaDB are not longer than this
      to << " in (select value from json_table(" << Value(std::move(list))
         << ", '$[*]' columns(value " << (is_of_texts ? "varchar(768)" : "bigint")
         << " path '$')) as given)";
      break;
  }
}

}  // namespace

Relation by_pairs(std::string_view into, const RecordSql& own,
                  std::shared_ptr<const RecordSql> other, const Pairs& pairs) {
  for (const std::string_view name : {pairs.own, pairs.other}) {
    check_name(name, is_name(name));
  }
  check_name(pairs.table, is_table_name(pairs.table));
  std::string join = " join ";
  join.append(table_sql(pairs.table))
      .append(" j on j.")
      .append(column_sql(pairs.other))
      .append(" = t.");
  join += column_sql(other->key());
  return {std::string(into), own.key(), "j." + std::string(pairs.own), std::move(join),
          std::move(other)};
}

std::string_view name_at(const reflect::Type& record, const reflect::Type& member,
                         std::ptrdiff_t offset) {
  for (const reflect::Member& each : record.structure()) {
    if (each.type == &member && std::cmp_equal(each.offset, offset)) {
      return each.name;
    }
  }
  throw Failure(FailureKind::statement, std::string(record.name) + " has no such member");
}

KeyPlaces::KeyPlaces(std::span<const Value> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].is_null()) {
      places_.emplace_back(text_of(keys[i]), i);
    }
  }
  std::ranges::sort(places_);
}

std::string KeyPlaces::text_of(const Value& key) {
  std::string text(to_text(key.kind()));
  text += kEndOfKind;
  if (const auto number = key.integer()) {
    return text + std::to_string(*number);
  }
  return key.text() == nullptr ? text : text + *key.text();
}

std::vector<KeyPlaces::Place>::const_iterator KeyPlaces::first_of(const std::string& text) const {
  return std::ranges::lower_bound(places_, text, {}, &Place::first);
}

void RecordSql::relate(Relation relation) {
  relations_.push_back(std::move(relation));
  name_columns();
}

const Relation& RecordSql::relation(std::string_view into) const {
  const auto found = std::ranges::find(relations_, into, &Relation::into);
  if (found == relations_.end()) {
    throw Failure(FailureKind::statement,
                  "no relation is set for " + table_ + " and its member " + std::string(into));
  }
  return *found;
}

std::optional<BoundSql> RecordSql::related(const Relation& relation, std::span<const Value> keys) {
  const Dialect dialect = relation.target->dialect_;
  std::string list = as_list(keys, dialect);
  if (list.empty()) {
    return std::nullopt;
  }
  const RecordSql& target = *relation.target;
  // "t." or "j.", followed by the name of a member or column.
  const std::string found = relation.found.substr(0, 2) + column_sql(relation.found.substr(2));
  StatementText text("select " + found);
  for (const reflect::Member& member : target.row_) {
    if (target.find_column(member.name) != nullptr) {
      text << ", t." << result_sql(member.name);
    }
  }
  text << " from " << target.table_ << " t" << relation.pairs;
  text.condition() << found;
  add_list(text, std::move(list), dialect, has_text(keys));
  target.add_standing(text, "t.");
  text << " order by t." << column_sql(target.key_);
  return std::move(text).take();
}

}  // namespace eider::db::detail
