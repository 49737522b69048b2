// Which records of other tables a deletion deletes or changes.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "eider/core/base/text.h"
#include "eider/data/db/column_names.h"
#include "eider/web/admin/admin_store.h"

namespace eider::detail::admin {

namespace {

/// Names from the schema can be any text.
std::string quoted(const std::vector<std::string>& names) {
  return joined(names, ", ", &db::detail::identifier_sql);
}

std::string quoted(const TableName& table) {
  return db::detail::identifier_sql(table.schema) + "." + db::detail::identifier_sql(table.name);
}

}  // namespace

// Not in the anonymous namespace: a coroutine keeps it in its frame.

/// Follows foreign keys from the records to those that refer to them. A key can be followed several
/// times, because each time it leads from other records: in a tree, from each level.
class DependentsSearch {
 public:
  static constexpr int kDepthMax = 8;
  static constexpr std::size_t kStepsMax = 60;

  DependentsSearch(const Site& site, std::vector<db::Value> keys)
      : site_(site), keys_(std::move(keys)) {}

  /// Begins with the records of the resource.
  void begin(const Resource& resource) {
    std::string list;
    for (std::size_t i = 1; i <= keys_.size(); ++i) {
      list += (list.empty() ? "$" : ", $") + std::to_string(i);
    }
    const std::string from = resource.table + " where " +
                             std::string(resource.key_column().name()) + " in (" + list + ")";
    for (const ForeignKey& key : site_.keys) {
      if (resource.is_of(key.to_table)) {
        add_step(key, from, 1);
      }
    }
  }
  /// Returns whether there is another step, and the statement that counts its records.
  [[nodiscard]] bool next(db::BoundSql& statement) const {
    if (at_ == steps_.size()) {
      return false;
    }
    const Step& step = steps_[at_];
    statement = counting(step.key->table, step.condition);
    return true;
  }
  /// count  of the step that `next` has returned
  void take(std::int64_t count) {
    const Step step = steps_[at_++];
    if (count == 0) {
      return;
    }
    Found& found = found_[step.key];
    found.count = count;
    found.conditions.push_back(step.condition);
    found.is_direct = found.is_direct && step.depth == 1;
    if (step.key->on_delete != OnDelete::cascade) {
      return;
    }
    const std::string from = quoted(step.key->table) + " where " + step.condition;
    for (const ForeignKey& key : site_.keys) {
      if (key.to_table.is_same(step.key->table)) {
        add_step(key, from, step.depth + 1);
      }
    }
  }
  /// Returns the next key that was followed several times: its records must be counted once.
  [[nodiscard]] const ForeignKey* next_repeated(db::BoundSql& statement) const {
    for (const auto& [key, found] : found_) {
      if (found.conditions.size() > 1) {
        std::string all;
        for (const std::string& condition : found.conditions) {
          all += (all.empty() ? "(" : " or (") + condition + ")";
        }
        statement = counting(key->table, all);
        return key;
      }
    }
    return nullptr;
  }
  void take_repeated(const ForeignKey* key, std::int64_t count) {
    found_[key].count = count;
    found_[key].conditions.clear();
  }
  [[nodiscard]] DependentsFound done() const {
    DependentsFound result;
    result.is_incomplete = is_incomplete_;
    for (const bool is_direct : {true, false}) {
      for (const ForeignKey& key : site_.keys) {
        const auto found = found_.find(&key);
        if (found != found_.end() && found->second.is_direct == is_direct) {
          result.all.push_back({.key = &key, .count = found->second.count, .is_direct = is_direct});
        }
      }
    }
    return result;
  }

 private:
  /// A foreign key, and the condition for records that refer by it to deleted ones.
  struct Step {
    const ForeignKey* key;
    std::string condition;
    int depth;
  };
  struct Found {
    std::int64_t count = 0;
    std::vector<std::string> conditions = {};
    bool is_direct = true;
  };

  [[nodiscard]] db::BoundSql counting(const TableName& table, const std::string& condition) const {
    return {{"select count(*) from (select 1 as found from " + quoted(table) + " where " +
             condition + " limit " + std::to_string(kDependentsMax + 1) + ") as counted"},
            keys_};
  }

  /// from  the deleted records: "\"books\" where \"id\" in ($1, $2)", without the values
  void add_step(const ForeignKey& key, const std::string& from, int depth) {
    const bool is_known =
        key.is_readable && std::ranges::find(key.to_columns, "") == key.to_columns.end();
    if (!is_known || depth > kDepthMax || steps_.size() == kStepsMax) {
      is_incomplete_ = true;
      return;
    }
    steps_.push_back({.key = &key,
                      .condition = "(" + quoted(key.columns) + ") in (select " +
                                   quoted(key.to_columns) + " from " + from + ")",
                      .depth = depth});
  }

  const Site& site_;
  std::vector<db::Value> keys_;
  std::vector<Step> steps_;
  std::size_t at_ = 0;
  std::map<const ForeignKey*, Found> found_;
  bool is_incomplete_ = false;
};

Task<DependentsFound> dependents_of(const db::Statements& on, const Site& site,
                                    const Resource& resource, std::vector<db::Value> keys) {
  if (!resource.deleted.empty() || keys.empty()) {
    co_return DependentsFound();
  }
  DependentsSearch search(site, std::move(keys));
  search.begin(resource);
  db::BoundSql statement;
  while (search.next(statement)) {
    const auto count = co_await on.one<std::int64_t>(statement);
    search.take(count.value_or(0));
  }
  while (const ForeignKey* const key = search.next_repeated(statement)) {
    const auto count = co_await on.one<std::int64_t>(statement);
    search.take_repeated(key, count.value_or(0));
  }
  DependentsFound found = search.done();
  if (found.is_incomplete && site.log) {
    site.log(LogLevel::warning,
             "Admin pages, resource " + resource.name +
                 ": the records that refer to deleted ones could not all be counted. They are in "
                 "tables that cannot be read, or depend through more than 8 tables.");
  }
  co_return found;
}

}  // namespace eider::detail::admin
