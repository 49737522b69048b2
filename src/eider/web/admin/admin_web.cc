#include "eider/web/admin/admin_web.h"

#include <algorithm>
#include <chrono>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/read.h"
#include "eider/core/kinds/times.h"
#include "eider/core/reflect/type_of.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

namespace {

constexpr std::size_t kPairsMax = 1000;
constexpr std::int64_t kHomeLogMax = 10;
constexpr std::int64_t kLogMax = 50;

/// "2026-11-29 14:05:00"
std::string time_text(std::int64_t at_ms) {
  const std::chrono::sys_seconds time(std::chrono::seconds(at_ms / 1000));
  std::string text = views::shown(views::ref(time));
  std::ranges::replace(text, 'T', ' ');
  return text.substr(0, text.find_first_of("Z."));
}

const Column* find_column_of(const Resource* resource, std::string_view member) {
  const auto at = resource == nullptr ? std::nullopt : resource->find(member);
  return at ? &resource->columns[*at] : nullptr;
}

/// The label of the record, unless its column was hidden since.
std::string shown_label(const Resource* resource, const LogRow& row) {
  const Column* const column = find_column_of(resource, row.label_member);
  return column != nullptr && column->is_hidden ? resource->singular + " " + row.record : row.label;
}

/// label  of the record
std::string message_of(const LogRow& row, const std::string& label, std::int64_t count) {
  const std::string name = "“" + label + "” ";
  if (row.action == "delete" && count > 1) {
    return std::to_string(count) + " records were deleted.";
  }
  if (row.action == "create") {
    return name + "was created.";
  }
  if (row.action == "change") {
    return name + "was changed.";
  }
  if (row.action == "delete") {
    return name + "was deleted.";
  }
  const auto changes = json::read<std::vector<AdminChange>>(row.changes);
  const bool has_text = changes && !changes->empty() && !changes->front().new_value.empty();
  return has_text ? changes->front().new_value : label + ": done.";
}

/// Only the user who has changed something sees the message.
Task<std::string> message_for(std::shared_ptr<const Site> site, std::string query, AdminUser user) {
  const Pairs pairs = read_pairs(query);
  const auto id = parse_int64(find_pair(pairs, "done"));
  if (!id) {
    co_return std::string();
  }
  const std::optional<LogRow> row = co_await find_log(*site->database, *id);
  const bool is_own = row && !user.id.empty() && row->user_id == user.id;
  if (!is_own || row->action == "export") {
    co_return std::string();
  }
  co_return message_of(*row, shown_label(site->find(row->resource), *row),
                       parse_int64(find_pair(pairs, "n")).value_or(1));
}

bool is_hidden_now(const Resource* resource, const AdminChange& change) {
  if (change.member) {
    const Column* const column = find_column_of(resource, *change.member);
    return column != nullptr && column->is_hidden;
  }
  return resource != nullptr && std::ranges::any_of(resource->columns, [&](const Column& column) {
           return column.is_hidden && column.label == change.field;
         });
}

/// The change, without values of a column that was hidden since.
AdminChange shown_change(const Resource* resource, AdminChange change) {
  if (is_hidden_now(resource, change)) {
    for (std::string* const value : {&change.old_value, &change.new_value}) {
      *value = value->empty() ? "" : kNotShown;
    }
  }
  return change;
}

}  // namespace

Pairs read_pairs(std::string_view pairs) {
  Pairs found;
  QueryReader reader(without_bom(pairs));
  while (const auto pair = reader.next()) {
    auto name = percent_decode(pair->name, Plus::space);
    auto value = percent_decode(pair->value, Plus::space);
    if (name && value && is_utf8(*value) && found.size() < kPairsMax) {
      found.emplace_back(std::move(*name), std::move(*value));
    }
  }
  return found;
}

std::string find_pair(const Pairs& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &Pairs::value_type::first);
  return found == pairs.end() ? std::string() : found->second;
}

std::vector<std::string> viewed_resources(const Site& site, const AdminUser& user) {
  std::vector<std::string> names;
  for (const auto& each : site.resources) {
    if (site.allows(*each, user, AdminAccess::view)) {
      names.push_back(each->name);
    }
  }
  return names;
}

Task<AdminFrame> make_frame(std::shared_ptr<const Site> site, Request& request, AdminUser user,
                            std::string title, const Resource* current) {
  AdminFrame frame;
  const forms::detail::FormFrame form = forms::detail::frame_of(request);
  frame.title = std::move(title);
  frame.site = site->options.title;
  frame.home = site->prefix + "/";
  frame.stylesheets.push_back(site->prefix + "/style.css");
  if (!site->options.stylesheet.empty()) {
    frame.stylesheets.push_back(site->options.stylesheet);
  }
  frame.user = user.name;
  frame.token_name = form.token_name;
  frame.token = form.token;
  for (const auto& each : site->resources) {
    if (site->allows(*each, user, AdminAccess::view)) {
      frame.navigation.push_back({site->list_address(*each), each->title, each.get() == current});
    }
  }
  if (site->shows_log(user)) {
    frame.navigation.push_back(
        {site->prefix + "/log", "Audit log", request.path() == site->prefix + "/log"});
  }
  frame.message = co_await message_for(site, std::string(request.query()), std::move(user));
  co_return frame;
}

Response page_response(std::string_view type, std::string body, int status) {
  Response response(status);
  response.set_static_type(type).set_body(std::move(body));
  response.add_header("Cache-Control", "no-store");
  response.add_header("Content-Security-Policy",
                      "default-src 'none'; style-src 'self'; img-src 'self' data:; "
                      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
  response.add_header("Referrer-Policy", "same-origin");
  return response;
}

Response redirect_to(const std::string& address) {
  Response response(303);
  response.add_header("Location", address);
  response.add_header("Cache-Control", "no-store");
  return response;
}

Response redirect_done(const Its& its, std::int64_t log_id, std::size_t count) {
  std::string address = its.list_address() + "?done=" + std::to_string(log_id);
  if (count > 1) {
    address += "&n=" + std::to_string(count);
  }
  return redirect_to(address);
}

Task<> note_changed(Its its, std::vector<std::string> keys) {
  if (!its.resource->options.changed) {
    co_return;
  }
  for (const std::string& key : keys) {
    try {
      co_await its.resource->options.changed(key);
    } catch (const std::exception& error) {
      its.site->log(LogLevel::error, "Admin pages, resource " + its.resource->name +
                                         ": `changed` failed for record " + key + ": " +
                                         error.what());
    }
  }
}

AdminLogEntry log_entry(const Site& site, const LogRow& row) {
  const Resource* const resource = site.find(row.resource);
  AdminLogEntry entry{.id = row.id,
                      .when = time_text(row.at),
                      .user = row.user_name,
                      .user_id = row.user_id,
                      .action = row.action,
                      .resource = resource == nullptr ? row.resource : resource->title,
                      .record = row.record,
                      .label = shown_label(resource, row),
                      .address = {},
                      .changes = {}};
  if (resource != nullptr && !row.record.empty() && row.action != "delete") {
    entry.address = site.record_address(*resource, row.record);
  }
  if (auto changes = json::read<std::vector<AdminChange>>(row.changes)) {
    for (AdminChange& each : *changes) {
      entry.changes.push_back(shown_change(resource, std::move(each)));
    }
  }
  return entry;
}

Task<Choices> relation_choices(const Database& on, const Resource& target, std::string current,
                               std::string search) {
  constexpr std::int64_t kMatchesMax = 50;
  Choices found;
  const std::int64_t count = co_await count_records(on, target, Find(), kChoicesMax);
  found.is_complete = count <= kChoicesMax || target.searched.empty();
  Find find{.search = search, .conditions = {}, .sort = target.label};
  find.per_page = found.is_complete ? kChoicesMax : kMatchesMax;
  const Columns columns{target.key, target.label};
  bool has_current = current.empty();
  if (found.is_complete || !search.empty()) {
    const auto records = co_await list_records(on, target, find, columns);
    for (const Record& each : records) {
      const std::string key = each.key();
      has_current = has_current || key == current;
      found.choices.push_back({key, each.label(), key == current});
    }
  }
  if (!has_current) {
    std::vector<db::Value> keys;
    if (auto key = key_value(target, current)) {
      keys.push_back(std::move(*key));
    }
    const auto labels = co_await labels_of(on, target, std::move(keys));
    const auto label = labels.find(current);
    found.choices.insert(found.choices.begin(),
                         {current, label == labels.end() ? current : label->second, true});
  }
  co_return found;
}

Task<Response> show_home(std::shared_ptr<const Site> site, Request& request, AdminUser user) {
  AdminHomePage page;
  page.frame = co_await make_frame(site, request, user, site->options.title, nullptr);
  for (const AdminLink& each : page.frame.navigation) {
    page.resources.push_back(each);
  }
  if (site->shows_log(user)) {
    const auto rows =
        co_await read_log(*site->database, 0, viewed_resources(*site, user), "", kHomeLogMax);
    for (const LogRow& row : rows) {
      page.latest.push_back(log_entry(*site, row));
    }
  }
  co_return page_response(kTextHtml, page_html(*site, nullptr, &AdminTemplates::home, page));
}

Task<Response> show_log(std::shared_ptr<const Site> site, Request& request, AdminUser user) {
  if (!site->shows_log(user)) {
    throw Failure(Error::forbidden("You may not view the audit log."));
  }
  AdminLogPage page;
  const Pairs pairs = read_pairs(request.query());
  const std::int64_t before = parse_int64(find_pair(pairs, "before")).value_or(0);
  const auto rows =
      co_await read_log(*site->database, before, viewed_resources(*site, user), "", kLogMax);
  for (const LogRow& row : rows) {
    page.entries.push_back(log_entry(*site, row));
  }
  if (static_cast<std::int64_t>(rows.size()) == kLogMax) {
    page.older = site->prefix + "/log?before=" + std::to_string(rows.back().id);
  }
  page.frame = co_await make_frame(site, request, user, "Audit log", nullptr);
  co_return page_response(kTextHtml, page_html(*site, nullptr, &AdminTemplates::log, page));
}

}  // namespace eider::detail::admin
