// Forms of records: shown, saved, and shown again with errors.

#include <algorithm>

#include "eider/core/base/failure.h"
#include "eider/core/base/shortened.h"
#include "eider/core/base/url.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/web/admin/admin_web.h"
#include "eider/web/forms/form_reader.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

using forms::detail::FormShape;
using forms::detail::ShapeField;
using forms::detail::TypedForm;

// Not in the anonymous namespace: coroutines keep these in their frames.

/// A form as it was sent.
///
/// object    values that were read, if there are no errors
/// seen      digest of the record that the user has changed
/// searches  texts for relations, by their fields
struct SentForm {
  TypedForm typed;
  Object object;
  std::vector<FieldError> errors;
  std::string seen;
  std::map<std::string, std::string> searches;

  [[nodiscard]] bool is_search() const {
    return std::ranges::any_of(searches, [](const auto& each) { return !each.second.empty(); });
  }
  [[nodiscard]] bool is_empty(const ShapeField& field) const {
    const auto found = typed.fields.find(field.name);
    return found == typed.fields.end() || found->second.values.empty() ||
           found->second.values.front().empty();
  }
};

/// What came of saving.
///
/// log_id   the entry of the audit log; 0: nothing has changed, or there are errors
/// current  the record, if another user has changed it
struct Saved {
  std::int64_t log_id = 0;
  std::string key = {};
  bool is_missing = false;
  int status = 422;
  std::vector<FieldError> errors = {};
  std::optional<Record> current = {};
};

namespace {

constexpr std::int64_t kHistoryMax = 10;

/// checks_struct  false: the check function of the struct needs values that are not in the form
SentForm read_sent(const FormShape& shape, const Request& request, bool checks_struct) {
  SentForm sent{value_or_throw(forms::detail::read_typed(shape, request)),
                make_object(*shape.type),
                {},
                {},
                {}};
  // Fields of the page itself are not members.
  std::erase_if(sent.typed.faults,
                [](const FieldError& error) { return error.pointer.starts_with('_'); });
  for (auto& [name, value] : read_pairs(request.body())) {
    if (name == kSeenField) {
      sent.seen = value;
    } else if (name.starts_with(kSearchPrefix) && value.size() <= kSearchBytesMax &&
               !value.contains('\0')) {
      sent.searches[name.substr(kSearchPrefix.size())] = value;
    }
  }
  sent.errors = forms::detail::fill(shape, sent.object.get(), sent.typed, checks_struct);
  return sent;
}

/// Secrets are not shown, so an empty field leaves them as they are.
void keep_secrets(SentForm& sent, const FormShape& shape) {
  for (const ShapeField& field : shape.fields) {
    if (field.is_secret && sent.is_empty(field)) {
      std::erase_if(sent.errors,
                    [&](const FieldError& error) { return error.pointer == field.pointer; });
    }
  }
}

std::string logged(const Column& column, const ShapeField& field, const void* object) {
  if (column.is_secret || column.is_hidden) {
    return kNotShown;
  }
  const views::Ref held =
      views::held({field.type, static_cast<const char*>(object) + field.offset});
  return base::shortened(held.at == nullptr ? std::string() : value_text(held), kLoggedBytesMax);
}

std::vector<FieldError> errors_of(const db::Failure& failure, const FormShape& shape) {
  const std::string& column = failure.by().column;
  const bool is_field =
      std::ranges::find(shape.fields, column, &ShapeField::name) != shape.fields.end();
  const std::string at = is_field ? column : std::string();
  switch (failure.kind()) {
    case db::FailureKind::unique:
      return {{at, is_field ? "is already taken" : "Another record has the same values."}};
    case db::FailureKind::foreign_key:
      return {{at, is_field ? "does not exist" : "A related record does not exist."}};
    case db::FailureKind::not_null:
      return {{at, is_field ? "is required" : "A value is missing."}};
    case db::FailureKind::check:
      return {{at, is_field ? "violates a rule of the database"
                            : "The values violate a rule of the database."}};
    case db::FailureKind::values:
      if (failure.error().status() < 500) {
        return {{at, is_field ? "is not accepted by the database"
                              : "The database does not accept a value."}};
      }
      [[fallthrough]];
    default:
      throw failure;
  }
}

AdminChange change_of(const Resource& resource, const ShapeField& field, std::string before,
                      std::string after) {
  return {std::string(field.name), resource.columns[*resource.find(field.name)].label,
          std::move(before), std::move(after)};
}

bool is_at(const std::vector<FieldError>& errors, const ShapeField& field) {
  return std::ranges::find(errors, field.pointer, &FieldError::pointer) != errors.end();
}

/// Errors that the check function of the struct finds in the record with its new values. Only the
/// form's own members were sent, so the others come from the record.
std::vector<FieldError> broken_rules(const FormShape& shape, const Record& before,
                                     const SentForm& sent) {
  const reflect::Structure& structure = shape.type->structure();
  if (structure.check == nullptr) {
    return {};
  }
  const Object object = make_object(*shape.type);
  before.fill_all(*shape.type, object.get());
  std::vector<std::string> untouched;
  for (const ShapeField& field : shape.fields) {
    if (field.is_secret && sent.is_empty(field)) {
      untouched.push_back(field.pointer);
    } else {
      set_field_value(field, object.get(), field_value(field, sent.object.get()));
    }
  }
  ValidationErrors found(structure, object.get());
  structure.check(object.get(), found);
  std::vector<FieldError> errors;
  for (FieldError& error : found.found()) {
    error.pointer = error.pointer.substr(error.pointer.starts_with('/') ? 1 : 0);
    // Secrets are not read, so this is not their value.
    if (std::ranges::find(untouched, error.pointer) == untouched.end()) {
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

/// Messages for fields that another user has changed.
std::vector<FieldError> conflicts_of(const Resource& resource, const FormShape& shape,
                                     const Record& current, const SentForm& sent) {
  std::vector<FieldError> errors{
      {"",
       "Another user has changed this record since you opened it. Your values are below. Save "
       "again to overwrite the newer ones."}};
  const Object now = make_object(*shape.type);
  const auto misfits = current.fill(shape, now.get());
  for (const ShapeField& field : shape.fields) {
    const Column& column = resource.columns[*resource.find(field.name)];
    const bool is_same = column.is_hidden ||
                         (!is_at(misfits, field) &&
                          field_value(field, now.get()) == field_value(field, sent.object.get()));
    if (!is_same) {
      errors.push_back({field.pointer,
                        "The database now contains: " + current.text(*resource.find(field.name))});
    }
  }
  return errors;
}

Task<Saved> create(Its its, const SentForm& sent, AdminUser user) {
  const FormShape& shape = *its.resource->new_form;
  std::vector<NewValue> values;
  LogNote note{.action = "create", .resource = its.resource->name, .record = "", .label = ""};
  for (const ShapeField& field : shape.fields) {
    const Column& column = its.resource->columns[*its.resource->find(field.name)];
    values.push_back({field.name, field_value(field, sent.object.get())});
    note.changes.push_back(
        change_of(*its.resource, field, "", logged(column, field, sent.object.get())));
  }
  Saved saved;
  try {
    Transaction all = co_await its.database().begin();
    const db::Value key = co_await insert_record(all, *its.resource, std::move(values));
    const std::optional<Record> made =
        co_await find_record(all, *its.resource, key, false, its.database().dialect());
    note.record = raw_text(key);
    note.label = note.record;
    if (made) {
      note.set_record(*its.resource, *made);
    }
    saved.key = note.record;
    saved.log_id = co_await write_log(all, std::move(user), std::move(note));
    co_await all.commit();
  } catch (const db::Failure& failure) {
    saved.log_id = 0;
    saved.errors = errors_of(failure, shape);
  }
  co_return saved;
}

/// Values that differ from the record, and their notes.
std::vector<NewValue> changed_values(const Resource& resource, const Record& before,
                                     const SentForm& sent, std::vector<AdminChange>& changes) {
  const FormShape& shape = *resource.form;
  const Object old = make_object(*shape.type);
  const auto misfits = before.fill(shape, old.get());
  std::vector<NewValue> values;
  for (const ShapeField& field : shape.fields) {
    const Column& column = resource.columns[*resource.find(field.name)];
    if (field.is_secret && sent.is_empty(field)) {
      continue;
    }
    // The object has no old value then, and what it has instead may not be one of its type.
    const bool is_misfit = is_at(misfits, field);
    db::Value value = field_value(field, sent.object.get());
    if (!field.is_secret && !is_misfit && value == field_value(field, old.get())) {
      continue;
    }
    std::string before_text =
        is_misfit && !column.is_hidden
            ? base::shortened(before.plain_text(*resource.find(field.name)), kLoggedBytesMax)
            : logged(column, field, old.get());
    changes.push_back(change_of(resource, field, std::move(before_text),
                                logged(column, field, sent.object.get())));
    values.push_back({field.name, std::move(value)});
  }
  return values;
}

Task<Saved> change(Its its, const SentForm& sent, AdminUser user, db::Value key) {
  const Resource& resource = *its.resource;
  Saved saved;
  try {
    Transaction all = co_await its.database().begin();
    std::optional<Record> before =
        co_await find_record(all, resource, key, true, its.database().dialect());
    if (!before) {
      saved.is_missing = true;
      co_return saved;
    }
    if (before->digest(*resource.form) != sent.seen) {
      constexpr int kConflict = 409;
      saved.status = kConflict;
      saved.errors = conflicts_of(resource, *resource.form, *before, sent);
      saved.current = std::move(before);
      co_return saved;
    }
    saved.errors = broken_rules(*resource.form, *before, sent);
    if (!saved.errors.empty()) {
      co_return saved;
    }
    saved.key = before->key();
    LogNote note{.action = "change", .resource = resource.name, .record = "", .label = ""};
    note.set_record(resource, *before);
    std::vector<NewValue> values = changed_values(resource, *before, sent, note.changes);
    if (values.empty()) {
      co_return saved;
    }
    co_await update_record(all, resource, key, std::move(values));
    saved.log_id = co_await write_log(all, std::move(user), std::move(note));
    co_await all.commit();
  } catch (const db::Failure& failure) {
    saved.log_id = 0;
    saved.errors = errors_of(failure, *resource.form);
  }
  co_return saved;
}

/// Makes selects of relations that the user may view, with a search if there are many records.
Task<> add_relations(Its its, AdminUser user, FormView& form,
                     std::map<std::string, std::string> searches) {
  std::vector<FieldView> fields;
  for (FieldView& field : form.fields) {
    const auto at = its.resource->find(field.name);
    const Resource* target = nullptr;
    if (at && its.resource->columns[*at].relation && field.control != "hidden") {
      target = its.site->resources[*its.resource->columns[*at].relation].get();
    }
    if (target == nullptr || !its.site->allows(*target, user, AdminAccess::view)) {
      fields.push_back(std::move(field));
      continue;
    }
    const std::string search = searches[field.name];
    Choices found = co_await relation_choices(its.database(), *target, field.value, search);
    field.control = "select";
    field.type.clear();
    field.attributes.clear();
    field.choices = std::move(found.choices);
    if (!field.is_required || field.value.empty()) {
      field.choices.insert(field.choices.begin(), {"", "", field.value.empty()});
    }
    const std::string name = field.name;
    const std::string label = field.label;
    if (!search.empty() && field.choices.size() <= 1) {
      field.errors.push_back("No record contains “" + search + "”.");
    }
    fields.push_back(std::move(field));
    if (!found.is_complete) {
      form.is_checked_by_browser = false;  // required fields may be empty for a search
      FieldView text;
      text.name = std::string(kSearchPrefix) + name;
      text.id = "search-" + name;
      text.label = "Search for " + label;
      text.hint =
          "With a text here, Save only searches: the list above then has the records that contain "
          "the text.";
      text.control = "input";
      text.type = "search";
      fields.push_back(std::move(text));
    }
  }
  form.fields = std::move(fields);
}

/// As a hidden field, so that each template contains it.
void add_seen(FormView& form, std::string digest) {
  FieldView field;
  field.name = std::string(kSeenField);
  field.id = field.name;
  field.label = "Version";
  field.control = "hidden";
  field.value = std::move(digest);
  form.fields.push_back(std::move(field));
}

FormOptions options_for(std::string action) {
  return {.action = std::move(action), .submit = "Save"};
}

Task<std::vector<AdminCell>> other_values(Its its, const Record& record, AdminUser user,
                                          bool has_form) {
  std::vector<AdminCell> cells;
  for (const std::size_t at : shown_columns(*its.resource)) {
    const Column& column = its.resource->columns[at];
    const bool is_field =
        has_form && std::ranges::find(its.resource->form->fields, column.name(),
                                      &ShapeField::name) != its.resource->form->fields.end();
    if (is_field) {
      continue;
    }
    AdminCell cell{column.label, record.text(at), {}};
    const Resource* const target =
        column.relation ? its.site->resources[*column.relation].get() : nullptr;
    if (target != nullptr && its.site->allows(*target, user, AdminAccess::view)) {
      const std::string key = record.plain_text(at);
      std::vector<db::Value> keys;
      if (!record.value(at).is_null()) {
        keys.push_back(record.value(at));
      }
      const auto labels = co_await labels_of(its.database(), *target, std::move(keys));
      if (const auto label = labels.find(key); label != labels.end()) {
        cell.text = label->second;
        cell.address = its.site->record_address(*target, key);
      }
    }
    cells.push_back(std::move(cell));
  }
  co_return cells;
}

/// Lists of records that refer to this one.
Task<std::vector<AdminLink>> related_lists(Its its, const Record& record, AdminUser user) {
  std::vector<AdminLink> links;
  for (const ForeignKey& key : its.site->keys) {
    const Resource* const other = its.site->find_table(key.table);
    const auto column = other == nullptr ? std::nullopt : other->find_column(key.columns.front());
    const bool is_shown = column && !other->columns[*column].is_hidden &&
                          its.resource->is_target(key) &&
                          its.site->allows(*other, user, AdminAccess::view);
    if (!is_shown) {
      continue;
    }
    Find find;
    find.conditions.push_back(
        {*column, Condition::Compares::equal, record.value(its.resource->key)});
    const std::int64_t count =
        co_await count_records(its.database(), *other, std::move(find), kDependentsMax);
    const std::string number = count > kDependentsMax
                                   ? "more than " + std::to_string(kDependentsMax)
                                   : std::to_string(count);
    links.push_back({.address = its.site->list_address(*other) + "?" + std::string(kFilterPrefix) +
                                std::string(other->columns[*column].name()) + "=" +
                                percent_encode(record.key()),
                     .text = other->title + " (" + number + ")"});
  }
  co_return links;
}

/// The page of a record.
///
/// form  without fields: the user may not change it
Task<Response> record_page(Its its, Request& request, AdminUser user, const Record& record,
                           FormView form, int status) {
  const Resource& resource = *its.resource;
  AdminRecordPage page;
  page.frame = co_await make_frame(its.site, request, user, record.label(), &resource);
  page.resource = resource.name;
  page.list_address = its.list_address();
  page.key = record.key();
  page.form = std::move(form);
  page.values = co_await other_values(its, record, user, !page.form.fields.empty());
  page.related = co_await related_lists(its, record, user);
  for (const AdminAction& each : resource.options.actions) {
    if (its.site->allows_action(resource, user, each.access())) {
      page.actions.push_back({page.list_address + "/action/" + each.name(), each.label()});
    }
  }
  if (its.site->allows(resource, user, AdminAccess::remove)) {
    page.actions.push_back({page.list_address + "/delete", "Delete"});
  }
  if (its.site->shows_log(user)) {
    std::vector<std::string> names(1, resource.name);
    const auto rows = co_await read_log(its.database(), 0, std::move(names), page.key, kHistoryMax);
    for (const LogRow& row : rows) {
      page.history.push_back(log_entry(*its.site, row));
    }
  }
  co_return page_response(kTextHtml, page_html(*its.site, &resource, &AdminTemplates::record, page),
                          status);
}

Task<Response> new_page(Its its, Request& request, AdminUser user, FormView form, int status) {
  AdminRecordPage page;
  page.frame = co_await make_frame(its.site, request, std::move(user),
                                   "New: " + its.resource->singular, its.resource);
  page.resource = its.resource->name;
  page.list_address = its.list_address();
  page.form = std::move(form);
  co_return page_response(
      kTextHtml, page_html(*its.site, its.resource, &AdminTemplates::record, page), status);
}

[[noreturn]] void throw_missing(const Resource& resource) {
  throw Failure(Error::not_found("There is no such record in " + resource.title + "."));
}

Task<Record> record_or_404(Its its, std::string key) {
  const auto value = key_value(*its.resource, key);
  std::optional<Record> record;
  if (value) {
    record = co_await find_record(its.database(), *its.resource, *value, false,
                                  its.database().dialect());
  }
  if (!record) {
    throw_missing(*its.resource);
  }
  co_return std::move(*record);
}

}  // namespace

Task<Response> show_record(Its its, Request& request, AdminUser user, std::string key) {
  const Record record = co_await record_or_404(its, key);
  FormView form;
  if (its.site->allows(*its.resource, user, AdminAccess::change)) {
    const FormShape& shape = *its.resource->form;
    const Object object = make_object(*shape.type);
    const std::vector<FieldError> misfits = record.fill(shape, object.get());
    form = forms::detail::view_of(shape, forms::detail::frame_of(request),
                                  options_for(its.site->record_address(*its.resource, key)),
                                  object.get(), false);
    for (FieldView& field : form.fields) {
      for (const FieldError& misfit : misfits) {
        if (misfit.pointer == field.name) {
          field.value.clear();
          field.errors.push_back(misfit.detail);
        }
      }
    }
    co_await add_relations(its, user, form, std::map<std::string, std::string>());
    add_seen(form, record.digest(shape));
  }
  co_return co_await record_page(its, request, std::move(user), record, std::move(form), 200);
}

Task<Response> save_record(Its its, Request& request, AdminUser user, std::string key) {
  const FormShape& shape = *its.resource->form;
  const auto value = key_value(*its.resource, key);
  if (!value) {
    throw_missing(*its.resource);
  }
  SentForm sent = read_sent(shape, request, false);
  keep_secrets(sent, shape);
  int status = sent.is_search() ? 200 : 422;
  if (sent.is_search()) {
    sent.errors.clear();
  } else if (sent.errors.empty()) {
    Saved saved = co_await change(its, sent, user, *value);
    if (saved.is_missing) {
      throw_missing(*its.resource);
    }
    if (saved.errors.empty() && saved.log_id == 0) {
      co_return redirect_to(its.list_address());
    }
    if (saved.errors.empty()) {
      std::vector<std::string> keys(1, saved.key);
      co_await note_changed(its, std::move(keys));
      co_return redirect_done(its, saved.log_id);
    }
    sent.errors = std::move(saved.errors);
    status = saved.status;
    if (saved.current) {
      sent.seen = saved.current->digest(shape);
    }
  }
  const Record record = co_await record_or_404(its, key);
  FormView form = forms::detail::view_again(
      shape, forms::detail::frame_of(request),
      options_for(its.site->record_address(*its.resource, key)), sent.typed, sent.errors);
  co_await add_relations(its, user, form, sent.searches);
  add_seen(form, sent.seen);
  co_return co_await record_page(its, request, std::move(user), record, std::move(form), status);
}

Task<Response> show_new(Its its, Request& request, AdminUser user) {
  const FormShape& shape = *its.resource->new_form;
  const Object object = make_object(*shape.type);
  FormView form =
      forms::detail::view_of(shape, forms::detail::frame_of(request),
                             options_for(its.list_address() + "/new"), object.get(), true);
  co_await add_relations(its, user, form, std::map<std::string, std::string>());
  co_return co_await new_page(its, request, std::move(user), std::move(form), 200);
}

Task<Response> create_record(Its its, Request& request, AdminUser user) {
  const FormShape& shape = *its.resource->new_form;
  SentForm sent = read_sent(shape, request, true);
  int status = 422;
  if (sent.is_search()) {
    sent.errors.clear();
    status = 200;
  } else if (sent.errors.empty()) {
    Saved saved = co_await create(its, sent, user);
    if (saved.errors.empty()) {
      std::vector<std::string> keys(1, saved.key);
      co_await note_changed(its, std::move(keys));
      co_return redirect_done(its, saved.log_id);
    }
    sent.errors = std::move(saved.errors);
  }
  FormView form =
      forms::detail::view_again(shape, forms::detail::frame_of(request),
                                options_for(its.list_address() + "/new"), sent.typed, sent.errors);
  co_await add_relations(its, user, form, sent.searches);
  co_return co_await new_page(its, request, std::move(user), std::move(form), status);
}

}  // namespace eider::detail::admin
