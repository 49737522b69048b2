// Deletion with a question before, and custom actions.

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/shortened.h"
#include "eider/core/base/text.h"
#include "eider/core/base/token.h"
#include "eider/core/base/translation.h"
#include "eider/core/base/url.h"
#include "eider/core/reflect/text.h"
#include "eider/web/admin/admin_web.h"

namespace eider {

namespace detail::admin {

/// Selected records. Not in the anonymous namespace: coroutines keep it in their frames.
struct Selected {
  std::vector<std::string> keys;
  std::vector<db::Value> values;
};

/// Records that are to be deleted, and those that refer to them.
///
/// seen  changes with each shown value of the records, and with each number of other records
struct Doomed {
  std::vector<Record> records;
  std::vector<db::Value> keys;
  DependentsFound dependents;
  std::string seen;
};

/// What came of a deletion.
///
/// log_id  the last entry of the audit log
/// keys    of the deleted records; empty: none of them exists
struct Removed {
  enum class State : std::uint8_t { done, changed, prevented };
  State state = State::done;
  std::int64_t log_id = 0;
  std::vector<std::string> keys;
};

namespace {

std::vector<std::string> selected_keys(std::string_view body) {
  std::vector<std::string> keys;
  for (auto& [name, value] : read_pairs(body)) {
    const bool is_key =
        name == "key" && !value.empty() && value.size() <= kKeyBytesMax && !value.contains('\0');
    if (is_key && std::ranges::find(keys, value) == keys.end() && keys.size() <= kSelectedMax) {
      keys.push_back(std::move(value));
    }
  }
  return keys;
}

Error selection_error(std::size_t count) {
  return {422, count == 0 ? "Select at least one record." : "Select at most 200 records."};
}

/// The keys of an action, each record once: "1" and "01" are one. The handler rejects texts that
/// are no keys, and the audit log has them.
std::vector<std::string> action_keys(const Resource& resource, std::string_view body) {
  std::vector<std::string> keys;
  const std::vector<std::string> texts = selected_keys(body);
  if (texts.size() > kSelectedMax) {  // some of them were not read
    throw Failure(selection_error(texts.size()));
  }
  for (const std::string& text : texts) {
    std::string key = normal_key(resource, text).value_or(text);
    if (std::ranges::find(keys, key) == keys.end()) {
      keys.push_back(std::move(key));
    }
  }
  if (keys.empty()) {
    throw Failure(selection_error(0));
  }
  return keys;
}

Selected read_selected(const Resource& resource, std::string_view body) {
  Selected selected;
  std::vector<std::string> keys = selected_keys(body);
  std::ranges::sort(keys);  // so that two deletions lock records in the same order
  for (std::string& key : keys) {
    if (auto value = key_value(resource, key)) {
      selected.keys.push_back(std::move(key));
      selected.values.push_back(std::move(*value));
    }
  }
  if (selected.keys.empty() || selected.keys.size() > kSelectedMax) {
    throw Failure(selection_error(selected.keys.size()));
  }
  return selected;
}

std::string effect_text(OnDelete effect) {
  switch (effect) {
    case OnDelete::cascade:
      return "deleted";
    case OnDelete::clear:
      return "cleared";
    default:
      return "prevents";
  }
}

std::string count_text(std::int64_t count) {
  return count > kDependentsMax ? "more than " + std::to_string(kDependentsMax)
                                : std::to_string(count);
}

AdminDependents shown(const Its& its, const Dependents& each, const AdminUser& user,
                      const std::vector<Record>& records) {
  const ForeignKey& key = *each.key;
  const Resource* const other = its.site->find_table(key.table);
  const bool is_known = other != nullptr && its.site->allows(*other, user, AdminAccess::view);
  AdminDependents view{.title = is_known ? other->title : label_of(key.table.name),
                       .count = count_text(each.count),
                       .effect = effect_text(key.on_delete),
                       .address = {}};
  const auto column = is_known ? other->find_column(key.columns.front()) : std::nullopt;
  if (column && !other->columns[*column].is_hidden && each.is_direct && records.size() == 1 &&
      its.resource->is_target(key)) {
    view.address = its.site->list_address(*other) + "?" + std::string(kFilterPrefix) +
                   std::string(other->columns[*column].name()) + "=" +
                   percent_encode(records.front().key());
  }
  return view;
}

/// Every value of the record, for the audit log.
std::vector<AdminChange> last_values(const Resource& resource, const Record& record) {
  std::vector<AdminChange> changes;
  for (const std::size_t at : shown_columns(resource)) {
    const Column& column = resource.columns[at];
    changes.push_back({std::string(column.name()), column.label,
                       base::shortened(record.text(at), kLoggedBytesMax), ""});
  }
  return changes;
}

/// Records of other tables that a deletion deletes or changes, for the first entry of the log.
std::vector<AdminChange> dependent_changes(const Site& site, const DependentsFound& dependents) {
  std::vector<AdminChange> changes;
  for (const Dependents& each : dependents.all) {
    const Resource* const other = site.find_table(each.key->table);
    changes.push_back({"", other == nullptr ? label_of(each.key->table.name) : other->title,
                       count_text(each.count) + " records", effect_text(each.key->on_delete)});
  }
  if (dependents.is_incomplete) {
    changes.push_back({"", "Records of other tables", "possibly more", ""});
  }
  return changes;
}

std::string seen_of(const Doomed& doomed) {
  std::string all;
  for (const Record& each : doomed.records) {
    all += each.digest();
  }
  for (const Dependents& each : doomed.dependents.all) {
    for (const std::string* const part :
         {&each.key->table.schema, &each.key->table.name, &each.key->columns.front()}) {
      all += std::to_string(part->size()) + ":" + *part;
    }
    all += ":" + std::to_string(each.count);
  }
  return sha256_hex(all);
}

/// keys  in an order that is the same for all users
Task<Doomed> read_doomed(const db::Statements& on, Its its, std::vector<db::Value> keys,
                         bool locks) {
  Doomed doomed;
  for (const db::Value& key : keys) {
    std::optional<Record> record =
        co_await find_record(on, *its.resource, key, locks, its.database().dialect());
    const bool is_new =
        record &&
        std::ranges::find(doomed.keys, record->value(its.resource->key)) == doomed.keys.end();
    if (is_new) {
      doomed.keys.push_back(record->value(its.resource->key));
      doomed.records.push_back(std::move(*record));
    }
  }
  doomed.dependents = co_await dependents_of(on, *its.site, *its.resource, doomed.keys);
  doomed.seen = seen_of(doomed);
  co_return doomed;
}

/// Deletes all of them, or none. First locks all of them, so that no other record can refer to them
/// after those were counted.
///
/// seen  what the user has confirmed
Task<Removed> remove_all(Its its, AdminUser user, std::vector<db::Value> keys, std::string seen) {
  Removed removed;
  try {
    Transaction all = co_await its.database().begin();
    const Doomed doomed = co_await read_doomed(all, its, std::move(keys), true);
    if (doomed.records.empty()) {
      co_return removed;
    }
    if (doomed.seen != seen) {
      removed.state = Removed::State::changed;
      co_return removed;
    }
    std::vector<AdminChange> others = dependent_changes(*its.site, doomed.dependents);
    for (std::size_t i = 0; i < doomed.records.size(); ++i) {
      const Record& record = doomed.records[i];
      LogNote note{.action = "delete",
                   .resource = its.resource->name,
                   .record = "",
                   .label = "",
                   .changes = last_values(*its.resource, record)};
      note.set_record(*its.resource, record);
      for (AdminChange& each : std::exchange(others, {})) {
        note.changes.push_back(std::move(each));
      }
      // It can be gone already: with another one of them, to which it refers.
      (void)co_await remove_record(all, *its.resource, doomed.keys[i]);
      removed.keys.push_back(record.key());
      removed.log_id = co_await write_log(all, user, std::move(note));
    }
    co_await all.commit();
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::foreign_key) {
      throw;
    }
    removed = {.state = Removed::State::prevented, .log_id = 0, .keys = {}};
  }
  co_return removed;
}

AdminDeletePage page_of(const Its& its, const Doomed& doomed, const AdminUser& user,
                        Removed::State state) {
  AdminDeletePage page;
  page.resource = its.resource->name;
  page.list_address = its.list_address();
  page.address = page.list_address + "/delete";
  page.seen = doomed.seen;
  for (const Record& each : doomed.records) {
    page.records.push_back({.key = each.key(),
                            .label = each.label(),
                            .address = its.site->record_address(*its.resource, each.key()),
                            .cells = {}});
  }
  page.is_prevented = state == Removed::State::prevented;
  for (const Dependents& each : doomed.dependents.all) {
    page.dependents.push_back(shown(its, each, user, doomed.records));
    page.is_prevented = page.is_prevented || each.key->on_delete == OnDelete::prevent;
  }
  page.is_incomplete = doomed.dependents.is_incomplete;
  page.is_changed = state == Removed::State::changed;
  return page;
}

/// A text for the user, or nothing at all.
bool is_text(const Response& response) {
  return response.status() == 204 ||
         (response.status() == 200 && response.content_type().starts_with("text/plain"));
}

/// The result of an action for the audit log: the text for the user, or the status of another
/// response or of an exception.
std::string result_text(const Response& response) {
  return is_text(response) ? base::shortened(response.body(), kLoggedBytesMax)
                           : "status " + std::to_string(response.status());
}

std::string result_text(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    return "status " + std::to_string(failure.error().status());
  } catch (...) {
    return "status 500";
  }
}

std::vector<AdminChange> result_change(std::string result) {
  return {{"", "Result", "", std::move(result)}};
}

/// An entry for each record, so that the history of each one has it. Written before the action, so
/// that there is one even if the client disconnects and the action is cancelled. Returns their ids.
Task<std::vector<std::int64_t>> log_start(Its its, const AdminAction& action, AdminUser user,
                                          std::vector<std::string> keys) {
  LogNote note{.action = action.name(),
               .resource = its.resource->name,
               .record = "",
               .label = action.label(),
               .changes = result_change("started")};
  std::vector<std::int64_t> ids;
  Transaction all = co_await its.database().begin();
  for (const std::string& key : keys) {
    note.record = key;
    ids.push_back(co_await write_log(all, user, note));
  }
  co_await all.commit();
  co_return ids;
}

}  // namespace

Task<Response> delete_records(Its its, Request& request, AdminUser user) {
  const Selected selected = read_selected(*its.resource, request.body());
  const Pairs pairs = read_pairs(request.body());
  Removed::State state = Removed::State::done;
  if (!find_pair(pairs, "confirm").empty()) {
    const Removed removed =
        co_await remove_all(its, user, selected.values, find_pair(pairs, kSeenField));
    state = removed.state;
    if (state == Removed::State::done && removed.keys.empty()) {
      co_return redirect_to(its.list_address());
    }
    if (state == Removed::State::done) {
      co_await note_changed(its, removed.keys);
      co_return redirect_done(its, removed.log_id, removed.keys.size());
    }
  }
  const Doomed doomed = co_await read_doomed(its.database(), its, selected.values, false);
  if (doomed.records.empty()) {
    co_return redirect_to(its.list_address());
  }
  AdminDeletePage page = page_of(its, doomed, user, state);
  page.frame = co_await make_frame(its.site, request, user, "Delete", its.resource);
  constexpr int kConflict = 409;
  co_return page_response(kTextHtml,
                          page_html(*its.site, its.resource, &AdminTemplates::remove, page),
                          state == Removed::State::done ? 200 : kConflict);
}

Task<Response> run_action(Its its, const AdminAction& action, Request& request, Next next) {
  const AdminUser user = *request.find<AdminUser>();
  const std::vector<std::string> keys = action_keys(*its.resource, request.body());
  request.set(AdminSelection{keys});
  const std::vector<std::int64_t> ids = co_await log_start(its, action, user, keys);
  std::exception_ptr thrown;
  Response response;
  try {
    response = co_await next();
  } catch (...) {
    thrown = std::current_exception();
  }
  try {
    co_await update_log(its.database(), ids,
                        result_change(thrown ? result_text(thrown) : result_text(response)));
  } catch (const std::exception& error) {
    if (!thrown) {
      throw;
    }
    its.site->log(LogLevel::error,
                  "Admin pages, resource " + its.resource->name + ": action " + action.name() +
                      " of user " + user.id +
                      " failed, and its audit log entry was not updated: " + error.what());
  }
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  if (is_text(response)) {
    co_return redirect_done(its, ids.back());
  }
  co_return response;
}

}  // namespace detail::admin

std::vector<std::int64_t> AdminSelection::ids() const {
  std::vector<std::int64_t> numbers;
  for (const std::string& key : keys) {
    const auto number = parse_int64(key);
    if (!number || std::to_string(*number) != key) {  // "01" would be a second text of record 1
      throw Failure(Error::invalid({{"/key", "must be an integer"}}));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Result<AdminSelection> Extract<AdminSelection>::from(const Context& context,
                                                     ArgumentPlace /*place*/) {
  if (const auto* const found = context.request.find<AdminSelection>()) {
    return *found;  // run_action has checked it
  }
  std::vector<std::string> keys = detail::admin::selected_keys(context.request.body());
  if (keys.empty() || keys.size() > detail::admin::kSelectedMax) {
    return fail(detail::admin::selection_error(keys.size()));
  }
  return AdminSelection{std::move(keys)};
}

void Extract<AdminSelection>::describe(Operation& operation) {
  operation.take_body(kFormUrlencoded, nullptr);
}

}  // namespace eider
