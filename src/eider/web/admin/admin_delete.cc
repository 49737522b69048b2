// Deletion with a question before, and custom actions.

#include <algorithm>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
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

Selected read_selected(const Resource& resource, std::string_view body) {
  Selected selected;
  for (std::string& key : selected_keys(body)) {
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

AdminDependents shown(const Its& its, const Dependents& each, const AdminUser& user,
                      const Selected& selected) {
  const Resource* const other = its.site->find_table(each.table);
  const bool is_known = other != nullptr && its.site->allows(*other, user, AdminAccess::view);
  AdminDependents view{.title = is_known ? other->title : label_of(each.table),
                       .count = each.count > kDependentsMax
                                    ? "more than " + std::to_string(kDependentsMax)
                                    : std::to_string(each.count),
                       .effect = effect_text(each.effect),
                       .address = {}};
  if (is_known && each.is_direct && selected.keys.size() == 1 && other->find(each.column)) {
    view.address = its.site->list_address(*other) + "?" + std::string(kFilterPrefix) + each.column +
                   "=" + percent_encode(selected.keys.front());
  }
  return view;
}

/// Every value of the record, for the audit log.
std::vector<AdminChange> last_values(const Resource& resource, const Record& record) {
  std::vector<AdminChange> changes;
  for (const std::size_t at : shown_columns(resource)) {
    changes.push_back(
        {resource.columns[at].label, shortened(record.text(at), kLoggedBytesMax), ""});
  }
  return changes;
}

/// Records of other tables that a deletion deletes or changes, for the first entry of the log.
std::vector<AdminChange> dependent_changes(const Site& site,
                                           const std::vector<Dependents>& dependents) {
  std::vector<AdminChange> changes;
  for (const Dependents& each : dependents) {
    const Resource* const other = site.find_table(each.table);
    changes.push_back({other == nullptr ? label_of(each.table) : other->title,
                       std::to_string(each.count) + " records", effect_text(each.effect)});
  }
  return changes;
}

/// Deletes all of them, or none.
///
/// returns  the last entry of the audit log and the number of records; -1 if other records refer to
///          one of them
Task<std::pair<std::int64_t, std::size_t>> remove_all(Its its, AdminUser user,
                                                      std::vector<db::Value> keys) {
  std::pair<std::int64_t, std::size_t> removed(0, 0);
  try {
    Transaction all = co_await its.database().begin();
    const auto dependents = co_await dependents_of(all, *its.site, *its.resource, keys);
    std::vector<AdminChange> others = dependent_changes(*its.site, dependents);
    for (const db::Value& key : keys) {
      const std::optional<Record> record =
          co_await find_record(all, *its.resource, key, true, its.database().dialect());
      if (!record) {
        continue;
      }
      LogNote note{.action = "delete",
                   .resource = its.resource->name,
                   .record = record->key(),
                   .label = record->label(),
                   .changes = last_values(*its.resource, *record)};
      for (AdminChange& each : std::exchange(others, {})) {
        note.changes.push_back(std::move(each));
      }
      const bool is_removed = co_await remove_record(all, *its.resource, key);
      if (is_removed) {
        removed.first = co_await write_log(all, user, std::move(note));
        ++removed.second;
      }
    }
    co_await all.commit();
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::foreign_key) {
      throw;
    }
    removed = {-1, 0};
  }
  co_return removed;
}

}  // namespace

Task<Response> delete_records(Its its, Request& request, AdminUser user) {
  const Selected selected = read_selected(*its.resource, request.body());
  const bool is_confirmed = !find_pair(read_pairs(request.body()), "confirm").empty();
  int status = 200;
  if (is_confirmed) {
    const auto removed = co_await remove_all(its, user, selected.values);
    if (removed.first > 0) {
      co_await note_changed(its, selected.keys);
      co_return redirect_done(its, removed.first, removed.second);
    }
    if (removed.first == 0) {
      co_return redirect_to(its.list_address());
    }
    constexpr int kConflict = 409;
    status = kConflict;
  }
  AdminDeletePage page;
  page.frame = co_await make_frame(its.site, request, user, "Delete", its.resource);
  page.resource = its.resource->name;
  page.list_address = its.list_address();
  page.address = page.list_address + "/delete";
  const auto labels = co_await labels_of(its.database(), *its.resource, selected.values);
  for (const auto& [key, label] : labels) {
    page.records.push_back({.key = key,
                            .label = label,
                            .address = its.site->record_address(*its.resource, key),
                            .cells = {}});
  }
  if (page.records.empty()) {
    co_return redirect_to(its.list_address());
  }
  const auto dependents =
      co_await dependents_of(its.database(), *its.site, *its.resource, selected.values);
  for (const Dependents& each : dependents) {
    page.dependents.push_back(shown(its, each, user, selected));
    page.is_prevented = page.is_prevented || each.effect == OnDelete::prevent;
  }
  page.is_prevented = page.is_prevented || status != 200;
  co_return page_response(
      kTextHtml, page_html(*its.site, its.resource, &AdminTemplates::remove, page), status);
}

Task<Response> run_action(Its its, std::string name, std::string label, Request& request,
                          Next next) {
  const AdminUser* const found = request.find<AdminUser>();
  const AdminUser user = found == nullptr ? AdminUser() : *found;
  Response response = co_await next();
  const bool is_text =
      response.status() == 204 ||
      (response.status() == 200 && response.content_type().starts_with("text/plain"));
  if (!is_text) {
    co_return response;
  }
  const std::vector<std::string> keys = selected_keys(request.body());
  std::string records;
  for (const std::string& key : keys) {
    records += (records.empty() ? "" : ", ") + key;
  }
  LogNote note{.action = std::move(name),
               .resource = its.resource->name,
               .record = keys.size() == 1 ? keys.front() : std::string(),
               .label = std::move(label)};
  note.changes.push_back({"Result", "", shortened(response.body(), kLoggedBytesMax)});
  note.changes.push_back({"Records", "", shortened(records, kLoggedBytesMax)});
  const std::int64_t id = co_await write_log(its.database(), user, std::move(note));
  co_return redirect_done(its, id);
}

}  // namespace detail::admin

std::vector<std::int64_t> AdminSelection::ids() const {
  std::vector<std::int64_t> numbers;
  for (const std::string& key : keys) {
    const auto number = parse_int64(key);
    if (!number) {
      throw Failure(Error::invalid({{"/key", "must be an integer"}}));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Result<AdminSelection> Extract<AdminSelection>::from(const Context& context,
                                                     ArgumentPlace /*place*/) {
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
