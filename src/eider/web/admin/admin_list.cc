// Lists of records, and their export as CSV.

#include <algorithm>
#include <map>

#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/shortened.h"
#include "eider/core/base/text.h"
#include "eider/core/base/translation.h"
#include "eider/core/base/url.h"
#include "eider/core/json/csv.h"
#include "eider/web/admin/admin_web.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

/// A list as a query describes it. Not in the anonymous namespace: coroutines keep it in their
/// frames.
///
/// base   the query without the last result
/// sort   as it is in the query
/// typed  values of filters, by the names of their fields
/// wrong  names of fields whose values are not valid
struct ListQuery {
  Find find;
  std::string base;
  std::string sort;
  std::map<std::string, std::string> typed;
  std::vector<std::string> wrong;
};

namespace {

using reflect::Kind;

std::string without_mark(const std::string& query) {
  return query.starts_with('?') ? query.substr(1) : query;
}

/// kFilterPrefix with the column, and ".min" or ".max".
struct FilterName {
  std::size_t column;
  Condition::Compares compares;
};

std::optional<FilterName> filter_of(const Resource& resource, std::string_view name) {
  if (!name.starts_with(kFilterPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kFilterPrefix.size());
  Condition::Compares compares = Condition::Compares::equal;
  for (const auto& [end, by] :
       {std::pair(std::string_view(".min"), Condition::Compares::at_least),
        std::pair(std::string_view(".max"), Condition::Compares::at_most)}) {
    if (name.ends_with(end)) {
      name.remove_suffix(end.size());
      compares = by;
      break;
    }
  }
  const auto column = resource.find(name);
  if (!column || resource.columns[*column].is_hidden) {
    return std::nullopt;
  }
  return FilterName{*column, compares};
}

/// Lists and maps are JSON, which databases do not sort.
bool is_sortable(const Column& column) {
  return views::is_shown(views::held_type(*column.member->type));
}

void read_sort(ListQuery& query, const Resource& resource) {
  std::string_view name = query.sort;
  const bool is_descending = name.starts_with('-');
  name.remove_prefix(is_descending ? 1 : 0);
  const auto column = resource.find(name);
  const bool is_listed =
      column && std::ranges::find(resource.listed, *column) != resource.listed.end();
  if (!is_listed || !is_sortable(resource.columns[*column])) {
    query.sort.clear();
    return;
  }
  query.find.sort = *column;
  query.find.is_descending = is_descending;
}

ListQuery read_list(const Resource& resource, std::string_view text) {
  ListQuery query;
  const Pairs pairs = read_pairs(text);
  query.base = without_mark(with_in_query(without_mark(with_in_query(text, "done", "")), "n", ""));
  query.find.per_page = resource.options.per_page;
  query.find.sort = resource.sort;
  query.find.is_descending = resource.is_descending;
  query.find.search = find_pair(pairs, "q");
  if (query.find.search.size() > kSearchBytesMax || query.find.search.contains('\0')) {
    query.find.search.clear();
  }
  query.sort = find_pair(pairs, "sort");
  read_sort(query, resource);
  const std::int64_t last = kCountMax / query.find.per_page + 1;
  query.find.page =
      std::clamp<std::int64_t>(parse_int64(find_pair(pairs, "page")).value_or(1), 1, last);
  for (const auto& [name, value] : pairs) {
    const auto filter = filter_of(resource, name);
    if (!filter || value.empty() || value.size() > kKeyBytesMax ||
        !query.typed.emplace(name, value).second) {
      continue;
    }
    if (auto bound = value_of_text(resource.columns[filter->column], value)) {
      query.find.conditions.push_back({filter->column, filter->compares, std::move(*bound)});
    } else {
      query.wrong.push_back(name);
    }
  }
  return query;
}

std::string typed_in(const ListQuery& query, const std::string& name) {
  const auto found = query.typed.find(name);
  return found == query.typed.end() ? std::string() : found->second;
}

FieldView filter_field(const ListQuery& query, std::string name, std::string label,
                       std::string control, std::string type) {
  FieldView field;
  field.id = "filter-" + name.substr(kFilterPrefix.size());
  std::ranges::replace(field.id, '.', '-');
  field.value = typed_in(query, name);
  if (std::ranges::find(query.wrong, name) != query.wrong.end()) {
    field.errors.emplace_back("This value is not valid.");
  }
  field.name = std::move(name);
  field.label = std::move(label);
  field.control = std::move(control);
  field.type = std::move(type);
  return field;
}

void add_choices(FieldView& field, std::vector<FieldChoice> choices) {
  field.control = "select";
  field.type.clear();
  choices.insert(choices.begin(), {"", "All", false});
  for (FieldChoice& each : choices) {
    each.is_chosen = each.value == field.value;
  }
  field.choices = std::move(choices);
}

std::string input_type_of(const reflect::Type& type) {
  if (type.kind == Kind::kText) {
    return type.text().schema->format == "date" ? "date" : "text";
  }
  return "number";
}

/// Fields for a column without a relation.
void add_filter(std::vector<FieldView>& fields, const ListQuery& query, const Column& column) {
  const reflect::Type& type = views::held_type(*column.member->type);
  const std::string name = std::string(kFilterPrefix) + std::string(column.name());
  if (type.kind == Kind::kBool || type.kind == Kind::kEnum) {
    std::vector<FieldChoice> choices;
    if (type.kind == Kind::kBool) {
      choices = {{"true", "Yes"}, {"false", "No"}};
    } else {
      for (const reflect::Enumerator& each : type.enumeration()) {
        choices.push_back({std::string(each.name), label_of(each.name)});
      }
    }
    fields.push_back(filter_field(query, name, column.label, "select", ""));
    add_choices(fields.back(), std::move(choices));
  } else if (type.kind == Kind::kString) {
    fields.push_back(filter_field(query, name, column.label, "input", "text"));
  } else {
    for (const auto& [end, label] : {std::pair(".min", " from"), std::pair(".max", " to")}) {
      fields.push_back(
          filter_field(query, name + end, column.label + label, "input", input_type_of(type)));
      if (fields.back().type == "number") {
        fields.back().attributes.push_back({"step", "any"});
      }
    }
  }
}

const Resource* target_of(const Site& site, const Column& column, const AdminUser& user) {
  const Resource* const target = column.relation ? site.resources[*column.relation].get() : nullptr;
  return target != nullptr && site.allows(*target, user, AdminAccess::view) ? target : nullptr;
}

Task<std::vector<FieldView>> filter_fields(Its its, const ListQuery& query, AdminUser user) {
  std::vector<FieldView> fields;
  for (const std::size_t at : its.resource->filtered) {
    const Column& column = its.resource->columns[at];
    const Resource* const target = target_of(*its.site, column, user);
    if (target == nullptr) {
      add_filter(fields, query, column);
      continue;
    }
    FieldView field = filter_field(query, std::string(kFilterPrefix) + std::string(column.name()),
                                   column.label, "input", "text");
    Choices choices = co_await relation_choices(its.database(), *target, field.value, "");
    if (choices.is_complete) {
      add_choices(field, std::move(choices.choices));
    }
    fields.push_back(std::move(field));
  }
  co_return fields;
}

std::vector<AdminColumn> columns_of(const Resource& resource, const ListQuery& query) {
  std::vector<AdminColumn> columns;
  for (const std::size_t at : resource.listed) {
    const Column& column = resource.columns[at];
    const bool is_sorted = query.find.sort == at;
    const bool is_up = is_sorted && !query.find.is_descending;
    const std::string sort = (is_up ? "-" : "") + std::string(column.name());
    AdminColumn head{.label = column.label,
                     .address = "",
                     .sorted = is_sorted ? (is_up ? "ascending" : "descending") : ""};
    if (is_sortable(column)) {
      const std::string first_page = without_mark(with_in_query(query.base, "page", ""));
      head.address = with_in_query(first_page, "sort", sort);
    }
    columns.push_back(std::move(head));
  }
  return columns;
}

using Labels = std::map<std::string, std::string>;

AdminRow row_of(const Its& its, const Record& record, const std::map<std::size_t, Labels>& labels) {
  AdminRow row;
  row.key = record.key();
  row.label = record.label();
  row.address = its.site->record_address(*its.resource, row.key);
  for (const std::size_t at : its.resource->listed) {
    const Column& column = its.resource->columns[at];
    AdminCell cell{column.label, base::shortened(record.text(at), kCellBytesMax), {}};
    if (const auto known = labels.find(at); known != labels.end()) {
      if (const auto label = known->second.find(record.plain_text(at));
          label != known->second.end()) {
        cell.address =
            its.site->record_address(*its.site->resources[*column.relation], record.plain_text(at));
        cell.text = label->second;
      }
    }
    row.cells.push_back(std::move(cell));
  }
  return row;
}

/// Names of related records: one statement for each column.
Task<std::map<std::size_t, Labels>> related_labels(Its its, const std::vector<Record>& records,
                                                   AdminUser user) {
  std::map<std::size_t, Labels> found;
  for (const std::size_t at : its.resource->listed) {
    const Resource* const target = target_of(*its.site, its.resource->columns[at], user);
    if (target == nullptr) {
      continue;
    }
    std::vector<db::Value> keys;
    for (const Record& each : records) {
      const db::Value& key = each.value(at);
      if (!key.is_null() && std::ranges::find(keys, key) == keys.end()) {
        keys.push_back(key);
      }
    }
    found[at] = co_await labels_of(its.database(), *target, std::move(keys));
  }
  co_return found;
}

std::string total_text(std::int64_t count, std::int64_t max) {
  return count > max ? "more than " + std::to_string(max) : std::to_string(count);
}

}  // namespace

Task<Response> show_list(Its its, Request& request, AdminUser user) {
  const Resource& resource = *its.resource;
  const ListQuery query = read_list(resource, request.query());
  AdminListPage page;
  page.frame = co_await make_frame(its.site, request, user, resource.title, &resource);
  page.resource = resource.name;
  page.address = its.list_address();
  page.is_searched = !resource.searched.empty();
  page.search = query.find.search;
  page.sort = query.sort;
  page.filters = co_await filter_fields(its, query, user);
  page.columns = columns_of(resource, query);
  const std::vector<Record> records =
      co_await list_records(its.database(), resource, query.find, list_columns(resource));
  const auto labels = co_await related_labels(its, records, user);
  for (const Record& each : records) {
    page.rows.push_back(row_of(its, each, labels));
  }
  const std::int64_t count =
      co_await count_records(its.database(), resource, query.find, kCountMax);
  page.total = total_text(count, kCountMax);
  page.pages =
      numbered_pages(query.base, query.find.page, query.find.per_page, std::min(count, kCountMax));
  if (its.site->allows(resource, user, AdminAccess::create)) {
    page.add_address = page.address + "/new";
  }
  page.export_address =
      page.address + "/export.csv" + (query.base.empty() ? std::string() : "?" + query.base);
  for (const AdminAction& each : resource.options.actions) {
    if (its.site->allows_action(resource, user, each.access())) {
      page.actions.push_back({page.address + "/action/" + each.name(), each.label()});
    }
  }
  if (its.site->allows(resource, user, AdminAccess::remove)) {
    page.actions.push_back({page.address + "/delete", "Delete"});
  }
  co_return page_response(kTextHtml, page_html(*its.site, &resource, &AdminTemplates::list, page));
}

namespace {

Task<> write_csv(Its its, Find find, ResponseStream out) {
  const Columns columns = shown_columns(*its.resource);
  std::vector<std::string> names;
  for (const std::size_t at : columns) {
    names.emplace_back(its.resource->columns[at].name());
  }
  const json::CsvLines lines(names);
  std::string line;
  lines.put_names(line);
  auto rows = stream_records(its.database(), *its.resource, find, columns,
                             its.site->options.export_rows_max);
  while (const auto row = co_await rows.next()) {
    const Record record(*its.resource, columns, *row);
    json::Value object = json::Value(json::Value::Object());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      object[names[i]] = record.json(columns[i]);
    }
    if (!lines.put(line, object)) {
      throw Failure(Error::internal("Admin pages: a row of " + its.resource->name +
                                    " cannot be written as CSV"));
    }
    co_await out.write(line);
    line.clear();
  }
  co_await out.write(line);
}

}  // namespace

Task<Response> export_list(Its its, Request& request, AdminUser user) {
  const ListQuery query = read_list(*its.resource, request.query());
  const std::int64_t max = its.site->options.export_rows_max;
  const std::int64_t count = co_await count_records(its.database(), *its.resource, query.find, max);
  if (count > max) {
    throw Failure(Error(422, "The export has more than " + std::to_string(max) +
                                 " records, which is the maximum. Use filters."));
  }
  LogNote note{.action = "export",
               .resource = its.resource->name,
               .record = "",
               .label = std::to_string(count) + " records"};
  co_await write_log(its.database(), std::move(user), std::move(note));
  Streamed streamed("text/csv; charset=utf-8", [its, find = query.find](ResponseStream out) {
    return write_csv(its, find, out);
  });
  Response response;
  streamed.head().add_header("Content-Disposition",
                             "attachment; filename=\"" + its.resource->name + ".csv\"");
  streamed.head().add_header("Cache-Control", "no-store");
  streamed.head().add_header("X-Content-Type-Options", "nosniff");
  Render<Streamed>::into(response, std::move(streamed));
  co_return response;
}

}  // namespace eider::detail::admin
