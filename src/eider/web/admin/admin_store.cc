#include "eider/web/admin/admin_store.h"

#include <algorithm>
#include <chrono>

#include "eider/core/base/failure.h"
#include "eider/core/base/shortened.h"
#include "eider/core/base/text.h"
#include "eider/core/json/write.h"
#include "eider/core/kinds/times.h"
#include "eider/data/db/statement_text.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

namespace {

using db::Dialect;
using Text = db::detail::StatementText;

std::string names_of(const Resource& resource, const Columns& columns) {
  return joined(columns, ", ", [&](std::size_t at) { return resource.columns[at].name(); });
}

/// A pattern that finds the text anywhere, whatever it contains.
db::Value contained(std::string_view text) {
  std::string pattern = "%";
  for (const char byte : text) {
    pattern += byte == '%' || byte == '_' || byte == '!' ? "!" : "";
    pattern += byte;
  }
  return db::Value(pattern + "%");
}

void add_existing(Text& to, const Resource& resource) {
  if (!resource.deleted.empty()) {
    to.condition() << (resource.is_marked ? "not " : "") << resource.deleted
                   << (resource.is_marked ? "" : " is null");
  }
}

void add_search(Text& to, const Resource& resource, const std::string& search) {
  if (search.empty() || resource.searched.empty()) {
    return;
  }
  to.condition() << "(";
  std::string_view between;
  for (const std::size_t at : resource.searched) {
    to << between << "lower(" << resource.columns[at].name() << ") like lower(" << contained(search)
       << ") escape '!'";
    between = " or ";
  }
  to << ")";
}

std::string_view sign_of(Condition::Compares compares) {
  switch (compares) {
    case Condition::Compares::at_least:
      return " >= ";
    case Condition::Compares::at_most:
      return " <= ";
    default:
      return " = ";
  }
}

void add_conditions(Text& to, const Resource& resource, const Find& find) {
  for (const Condition& each : find.conditions) {
    to.condition() << resource.columns[each.column].compared() << sign_of(each.compares)
                   << each.value;
  }
  add_search(to, resource, find.search);
  add_existing(to, resource);
}

void add_order(Text& to, const Resource& resource, const Find& find) {
  const std::string_view direction = find.is_descending ? " desc" : "";
  to << " order by " << resource.columns[find.sort].compared() << direction;
  if (find.sort != resource.key) {
    to << ", " << resource.key_column().name() << direction;
  }
}

void add_key(Text& to, const Resource& resource, const db::Value& key) {
  to.condition() << resource.key_column().name() << " = " << key;
  add_existing(to, resource);
}

void add_values(Text& to, const std::vector<db::Value>& values) {
  std::string_view between = "(";
  for (const db::Value& value : values) {
    to << between << value;
    between = ", ";
  }
  to << ")";
}

std::vector<Record> records_of(const Resource& resource, const Columns& columns,
                               const std::vector<db::Row>& rows) {
  std::vector<Record> records;
  records.reserve(rows.size());
  for (const db::Row& row : rows) {
    records.emplace_back(resource, columns, row);
  }
  return records;
}

Text list_text(const Resource& resource, const Find& find, const Columns& columns) {
  Text text("select " + names_of(resource, columns) + " from " + resource.table);
  add_conditions(text, resource, find);
  add_order(text, resource, find);
  return text;
}

std::int64_t now_ms() {
  constexpr std::int64_t kMsPerSecond = 1000;
  return wall_time().time_since_epoch().count() * kMsPerSecond;
}

Text log_text() {
  return Text(
      "select id, at, user_id, user_name, action, resource, record, label, label_member, changes "
      "from eider_admin_log");
}

}  // namespace

Columns shown_columns(const Resource& resource) {
  Columns columns;
  for (std::size_t i = 0; i < resource.columns.size(); ++i) {
    if (!resource.columns[i].is_hidden) {
      columns.push_back(i);
    }
  }
  return columns;
}

Columns list_columns(const Resource& resource) {
  Columns columns = resource.listed;
  for (const std::size_t at : {resource.key, resource.label}) {
    if (std::ranges::find(columns, at) == columns.end()) {
      columns.push_back(at);
    }
  }
  return columns;
}

Task<std::vector<Record>> list_records(const db::Statements& on, const Resource& resource,
                                       Find find, Columns columns) {
  Text text = list_text(resource, find, columns);
  text << " limit " << db::Value(find.per_page) << " offset "
       << db::Value((find.page - 1) * find.per_page);
  const auto rows = co_await on.all<db::Row>(std::move(text).take());
  co_return records_of(resource, columns, rows);
}

Task<std::int64_t> count_records(const db::Statements& on, const Resource& resource, Find find,
                                 std::int64_t max) {
  Text text("select count(*) from (select 1 as found from " + resource.table);
  add_conditions(text, resource, find);
  text << " limit " << db::Value(max + 1) << ") as counted";
  const auto count = co_await on.one<std::int64_t>(std::move(text).take());
  co_return count.value_or(0);
}

db::RowStream<db::Row> stream_records(const db::Statements& on, const Resource& resource,
                                      const Find& find, const Columns& columns, std::int64_t max) {
  Text text = list_text(resource, find, columns);
  text << " limit " << db::Value(max);
  return on.stream<db::Row>(std::move(text).take());
}

Task<std::optional<Record>> find_record(const db::Statements& on, const Resource& resource,
                                        db::Value key, bool locks, Dialect dialect) {
  const Columns columns = shown_columns(resource);
  Text text("select " + names_of(resource, columns) + " from " + resource.table);
  add_key(text, resource, key);
  if (locks && dialect != Dialect::sqlite) {
    text << " for update";
  }
  std::optional<Record> found;
  try {
    const auto row = co_await on.one<db::Row>(std::move(text).take());
    if (row) {
      found.emplace(resource, columns, *row);
    }
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::values) {  // 3,000,000,000 of an int is not found
      throw;
    }
  }
  co_return found;
}

Task<std::map<std::string, std::string>> labels_of(const db::Statements& on,
                                                   const Resource& resource,
                                                   std::vector<db::Value> keys) {
  std::map<std::string, std::string> labels;
  if (keys.empty()) {
    co_return labels;
  }
  const Columns columns{resource.key, resource.label};
  Text text("select " + names_of(resource, columns) + " from " + resource.table);
  text.condition() << resource.key_column().name() << " in ";
  add_values(text, keys);
  add_existing(text, resource);
  const auto rows = co_await on.all<db::Row>(std::move(text).take());
  for (const Record& record : records_of(resource, columns, rows)) {
    labels.emplace(record.key(), record.label());
  }
  co_return labels;
}

Task<db::Value> insert_record(const db::Statements& on, const Resource& resource,
                              std::vector<NewValue> values) {
  Text text("insert into " + resource.table);
  std::string_view between = "(";
  for (const NewValue& each : values) {
    text << between << each.column;
    between = ", ";
  }
  text << ") values";
  std::vector<db::Value> bound;
  for (const NewValue& each : values) {
    bound.push_back(each.value);
  }
  add_values(text, bound);
  text << " returning " << resource.key_column().name();
  const auto row = co_await on.one<db::Row>(std::move(text).take());
  co_return row ? (*row)[0] : db::Value();
}

Task<> update_record(const db::Statements& on, const Resource& resource, db::Value key,
                     std::vector<NewValue> values) {
  Text text("update " + resource.table + " set ");
  for (const NewValue& each : values) {
    text << (&each == values.data() ? "" : ", ") << each.column << " = " << each.value;
  }
  if (!resource.version.empty()) {
    text << ", " << resource.version << " = " << resource.version << " + 1";
  }
  add_key(text, resource, key);
  co_await on.exec(std::move(text).take());
}

Task<bool> remove_record(const db::Statements& on, const Resource& resource, db::Value key) {
  Text text("");
  if (resource.deleted.empty()) {
    text << "delete from " << resource.table;
  } else {
    const std::chrono::sys_seconds now = wall_time();
    text << "update " << resource.table << " set " << resource.deleted << " = "
         << (resource.is_marked ? db::Value(std::int64_t{1}) : db::make_value(now));
    if (!resource.version.empty()) {
      text << ", " << resource.version << " = " << resource.version << " + 1";
    }
  }
  add_key(text, resource, key);
  const db::Changed changed = co_await on.exec(std::move(text).take());
  co_return changed.rows == 1;
}

void LogNote::set_record(const Resource& of, const Record& its_record) {
  record = its_record.key();
  label = its_record.label();
  label_member = of.columns[of.label].name();
}

Task<std::int64_t> write_log(const db::Statements& on, AdminUser user, LogNote note) {
  constexpr std::size_t kNameBytesMax = 200;
  const std::string changes = json::to_text(note.changes);
  const auto id = co_await on.one<std::int64_t>(
      "insert into eider_admin_log(at, user_id, user_name, action, resource, record, label, "
      "label_member, changes) values($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id",
      now_ms(), user.id, base::shortened(user.name, kNameBytesMax), note.action, note.resource,
      base::shortened(note.record, kNameBytesMax), base::shortened(note.label, kNameBytesMax),
      note.label_member, changes);
  co_return id.value_or(0);
}

Task<> update_log(Database database, std::vector<std::int64_t> ids,
                  std::vector<AdminChange> changes) {
  const std::string text = json::to_text(changes);
  Transaction all = co_await database.begin();
  for (const std::int64_t id : ids) {
    co_await all.exec("update eider_admin_log set changes = $1 where id = $2", text, id);
  }
  co_await all.commit();
}

Task<std::vector<LogRow>> read_log(const db::Statements& on, std::int64_t before,
                                   std::vector<std::string> resources, std::string record,
                                   std::int64_t max) {
  Text text = log_text();
  if (before > 0) {
    text.condition() << "id < " << db::Value(before);
  }
  if (resources.empty()) {
    co_return {};
  }
  std::vector<db::Value> names;
  for (std::string& each : resources) {
    names.emplace_back(std::move(each));
  }
  text.condition() << "resource in ";
  add_values(text, names);
  if (!record.empty()) {
    text.condition() << "record = " << db::Value(std::move(record));
  }
  text << " order by id desc limit " << db::Value(max);
  co_return co_await on.all<LogRow>(std::move(text).take());
}

Task<std::optional<LogRow>> find_log(const db::Statements& on, std::int64_t id) {
  Text text = log_text();
  text.condition() << "id = " << db::Value(id);
  co_return co_await on.one<LogRow>(std::move(text).take());
}

}  // namespace eider::detail::admin
