#include "eider/web/admin/admin_site.h"

#include <algorithm>
#include <array>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/translation.h"
#include "eider/core/base/url.h"
#include "eider/data/db/statement_text.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

namespace {

using forms::detail::FormShape;
using forms::detail::ShapeField;
using reflect::Kind;

constexpr std::size_t kListedMax = 6;

[[noreturn]] void refuse_resource(const std::string& resource, const std::string& why) {
  throw Failure(Error::internal("Admin pages, resource " + resource + ": " + why));
}

/// "order_lines" for "OrderLine".
std::string table_name_of(std::string_view type) {
  std::string name;
  for (const char c : type) {
    if (c >= 'A' && c <= 'Z') {
      name += name.empty() ? "" : "_";
      name += static_cast<char>(c | 0x20);
    } else {
      name += c;
    }
  }
  const auto ends = [&name](std::string_view end) { return name.ends_with(end); };
  const bool has_consonant_y =
      ends("y") && name.size() > 1 &&
      std::string_view("aeiou").find(name[name.size() - 2]) == std::string_view::npos;
  if (has_consonant_y) {
    name.pop_back();
    return name + "ies";
  }
  return name + (ends("s") || ends("x") || ends("ch") || ends("sh") ? "es" : "s");
}

std::string singular_of(std::string_view type) {
  std::string name = table_name_of(type);
  if (name.ends_with("ies")) {
    name.replace(name.size() - 3, 3, "y");
  } else {
    const bool is_es = name.size() > 2 && name.ends_with("es") &&
                       name.size() - 2 >= type.size();  // "es" was appended
    name.erase(name.size() - std::min<std::size_t>(name.size(), is_es ? 2 : 1));
  }
  return label_of(name);
}

/// A record of another table, or several: see Records::has_many.
bool is_relation_member(const reflect::Type& type) {
  if (type.kind != Kind::kOptional) {
    return false;
  }
  const reflect::Type& held = *type.optional().value;
  return held.kind == Kind::kStruct ||
         (held.kind == Kind::kSequence && held.sequence().element->kind == Kind::kStruct);
}

bool is_listed(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Passwords and keys by their names: "password", "pin", "reset_token", "key_hash".
bool is_secret_member(std::string_view name, const reflect::Type& type) {
  const std::string lower = in_lower_case(name);
  if (lower == "pin") {
    return type.kind != Kind::kBool;
  }
  const bool is_time =
      type.kind == Kind::kText && (type.text().schema->format.starts_with("date") ||
                                   type.text().schema->format.starts_with("time"));
  if ((type.kind != Kind::kString && type.kind != Kind::kText) || is_time) {
    return false;
  }
  constexpr std::array<std::string_view, 5> kNames = {"token", "secret", "api_key", "apikey",
                                                      "private_key"};
  constexpr std::array<std::string_view, 2> kEnds = {"_hash", "_digest"};
  return lower.contains("password") || lower.contains("passphrase") ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return lower.ends_with(end); }) ||
         std::ranges::any_of(kNames, [&](std::string_view word) {
           return lower == word || lower.ends_with("_" + std::string(word));
         });
}

class ResourceMaker {
 public:
  ResourceMaker(const ResourceTypes& types, AdminResource options) : types_(types) {
    made_.options = std::move(options);
    made_.row = types.row;
  }

  Resource make() {
    set_table();
    add_columns();
    add_forms();
    choose_columns();
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { refuse_resource(made_.name, why); }

  [[nodiscard]] std::size_t index_of(std::string_view name, std::string_view option) const {
    const auto found = made_.find(name);
    if (!found) {
      refuse("`" + std::string(option) + "` names " + std::string(name) +
             ", which is not a column of " + std::string(types_.row->name));
    }
    return *found;
  }
  [[nodiscard]] std::vector<std::size_t> indexes_of(const std::vector<std::string>& names,
                                                    std::string_view option) const {
    std::vector<std::size_t> found;
    for (const std::string& name : names) {
      found.push_back(index_of(name, option));
    }
    return found;
  }

  void set_table() {
    db::Table table = made_.options.table;
    if (table.name.empty() && types_.has_table) {
      table = types_.table;
    }
    const bool is_derived = table.name.empty();
    made_.table = is_derived ? table_name_of(types_.row->name) : std::string(table.name);
    made_.name = std::string(made_.bare_table());
    if (!db::detail::is_table_name(made_.table)) {
      refuse("\"" + made_.table + "\" is not a valid table name. Set `table`.");
    }
    key_ = table.key;
    made_.version = table.version;
    made_.deleted = table.deleted;
    const reflect::Member* const version = types_.row->structure().find("version");
    if (is_derived && made_.version.empty() && version != nullptr &&
        version->type->kind == Kind::kSigned) {
      made_.version = "version";
    }
    made_.title = made_.options.title.empty() ? label_of(made_.name) : made_.options.title;
    made_.singular = singular_of(types_.row->name);
  }

  void add_columns() {
    for (const reflect::Member& member : types_.row->structure()) {
      if (is_relation_member(*member.type)) {
        continue;
      }
      if (!db::detail::is_name(member.name)) {
        refuse(std::string(member.name) + " is not a valid name of a column");
      }
      const reflect::Type& held = views::held_type(*member.type);
      const bool is_secret =
          is_listed(made_.options.secrets, member.name) ||
          (is_secret_member(member.name, held) && !is_listed(made_.options.columns, member.name));
      const bool is_hidden =
          is_secret || is_listed(made_.options.hidden, member.name) || db::is_blob(held);
      made_.columns.push_back({.row = types_.row,
                               .member = &member,
                               .label = member.name == "id" ? "ID" : label_of(member.name),
                               .is_text = held.kind == Kind::kString,
                               .is_hidden = is_hidden,
                               .is_secret = is_secret});
    }
    made_.key = index_of(key_, "table.key");
    for (const std::string* const name : {&made_.version, &made_.deleted}) {
      if (!name->empty()) {
        made_.columns[index_of(*name, "table")].is_hidden = true;
      }
    }
    if (!made_.deleted.empty()) {
      const reflect::Member& mark = *made_.columns[index_of(made_.deleted, "table")].member;
      made_.is_marked = reflect::without_rules(*mark.type).kind == Kind::kBool;
    }
    if (made_.columns[made_.key].is_hidden) {
      refuse("the key " + key_ +
             " must not be hidden or secret. If its name only looks like that of a secret, list it "
             "in `columns`.");
    }
    (void)indexes_of(made_.options.secrets, "secrets");
    (void)indexes_of(made_.options.hidden, "hidden");
    (void)indexes_of(made_.options.fixed, "fixed");
  }

  [[nodiscard]] bool is_fixed(std::string_view name, bool is_new) const {
    const Column& column = made_.columns[*made_.find(name)];
    if ((column.is_hidden && !is_listed(made_.options.secrets, name)) ||
        is_listed(made_.options.fixed, name)) {
      return true;
    }
    if (name != key_) {
      return false;
    }
    const Kind kind = views::held_type(*made_.columns[made_.key].member->type).kind;
    const bool is_number = kind == Kind::kSigned || kind == Kind::kUnsigned;
    return !is_new || (types_.form == types_.row && is_number);
  }

  /// A form stores values as they are typed, for example a password instead of its hash.
  void set_secret(ShapeField& field, Column& column) const {
    if (is_listed(made_.options.columns, field.name) && field.is_secret) {
      field.is_secret = false;  // the application shows it in lists
      field.input_type = "text";
    }
    column.is_secret = column.is_secret || field.is_secret;
    column.is_hidden = column.is_hidden || column.is_secret;
    if (!column.is_secret) {
      return;
    }
    const bool is_decided =
        types_.form == types_.row || is_listed(made_.options.secrets, field.name) ||
        is_listed(made_.options.fixed, field.name) || is_listed(made_.options.hidden, field.name);
    if (!is_decided) {
      refuse(std::string(types_.form->name) + " has the secret member " + field.name +
             ", and a form would store it as it is typed. Remove it, add it to `fixed`, or add it "
             "to `secrets` to store it as typed. If its name only looks like that of a secret, "
             "list it in `columns`.");
    }
    field.is_secret = true;
    if (field.control == "input") {
      field.input_type = "password";
    }
  }

  void add_forms() {
    if (made_.options.read_only) {
      return;
    }
    FormShape shape = types_.shape();
    if (shape.has_files) {
      refuse(std::string(types_.form->name) + " has a FormFile, which a table cannot store");
    }
    if (types_.form == types_.row) {
      std::erase_if(shape.fields,
                    [this](const ShapeField& field) { return !made_.find(field.name); });
    }
    for (ShapeField& field : shape.fields) {
      Column& column = made_.columns[index_of(field.name, "New")];
      column.label = field.label;
      set_secret(field, column);
      if (field.control == "textarea") {
        long_.push_back(field.name);
      }
    }
    made_.new_form = shape;
    made_.form = std::move(shape);
    std::erase_if(made_.new_form->fields,
                  [this](const ShapeField& field) { return is_fixed(field.name, true); });
    std::erase_if(made_.form->fields,
                  [this](const ShapeField& field) { return is_fixed(field.name, false); });
    for (ShapeField& field : made_.form->fields) {
      field.is_required = field.is_required && !field.is_secret;  // empty: unchanged
    }
    if (made_.form->fields.empty()) {
      refuse("there is nothing to change. Set `read_only`, or add members to " +
             std::string(types_.form->name));
    }
  }

  void choose_columns() {
    made_.listed = indexes_of(made_.options.columns, "columns");
    for (std::size_t i = 0; i < made_.columns.size(); ++i) {
      const Column& column = made_.columns[i];
      const bool is_short = !column.is_hidden && !is_listed(long_, column.name());
      if (made_.options.columns.empty() && is_short && made_.listed.size() < kListedMax) {
        made_.listed.push_back(i);
      }
      if (made_.options.search.empty() && column.is_text && !column.is_hidden) {
        made_.searched.push_back(i);
      }
    }
    if (made_.options.search != std::vector<std::string>{"-"}) {
      for (const std::size_t at : indexes_of(made_.options.search, "search")) {
        made_.searched.push_back(at);
      }
    }
    made_.filtered = indexes_of(made_.options.filters, "filters");
    for (const auto* const list : {&made_.listed, &made_.searched, &made_.filtered}) {
      for (const std::size_t at : *list) {
        if (made_.columns[at].is_hidden) {
          refuse(std::string(made_.columns[at].name()) + " is hidden, and so cannot be listed");
        }
      }
    }
    choose_label();
    made_.sort = made_.key;
    if (std::string_view sort = made_.options.sort; !sort.empty()) {
      made_.is_descending = sort.starts_with('-');
      sort.remove_prefix(made_.is_descending ? 1 : 0);
      made_.sort = index_of(sort, "sort");
    }
    const int per_page = made_.options.per_page;
    if (per_page < 1 || per_page > kPerPageMax) {
      refuse("`per_page` must be between 1 and 200, not " + std::to_string(per_page));
    }
  }

  void choose_label() {
    if (!made_.options.label.empty()) {
      made_.label = index_of(made_.options.label, "label");
      if (made_.columns[made_.label].is_hidden) {
        refuse("the label must not be hidden");
      }
      return;
    }
    made_.label = made_.key;
    for (const std::string_view name : {"name", "title"}) {
      if (const auto found = made_.find(name); found && !made_.columns[*found].is_hidden) {
        made_.label = *found;
        return;
      }
    }
    const auto text = std::ranges::find_if(
        made_.columns, [](const Column& column) { return column.is_text && !column.is_hidden; });
    if (text != made_.columns.end()) {
      made_.label = static_cast<std::size_t>(text - made_.columns.begin());
    }
  }

  const ResourceTypes& types_;
  std::string key_;
  std::vector<std::string> long_;
  Resource made_;
};

}  // namespace

std::optional<std::size_t> Resource::find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column, &Column::name);
  return found == columns.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

std::optional<std::size_t> Resource::find_column(std::string_view column) const {
  const auto found = std::ranges::find_if(
      columns, [column](const Column& each) { return equals_ignoring_case(each.name(), column); });
  return found == columns.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

std::string_view Resource::bare_table() const {
  const std::string_view whole = table;
  const std::size_t dot = whole.find('.');
  return dot == std::string_view::npos ? whole : whole.substr(dot + 1);
}

bool Resource::is_of(const TableName& table_name) const {
  const std::size_t dot = table.find('.');
  const bool is_of_schema =
      dot == std::string::npos
          ? table_name.is_visible
          : equals_ignoring_case(std::string_view(table).substr(0, dot), table_name.schema);
  return is_of_schema && equals_ignoring_case(bare_table(), table_name.name);
}

bool Resource::is_target(const ForeignKey& foreign_key) const {
  return foreign_key.to_columns.size() == 1 && is_of(foreign_key.to_table) &&
         equals_ignoring_case(foreign_key.to_columns.front(), key_column().name());
}

Resource make_resource(const ResourceTypes& types, AdminResource options) {
  return ResourceMaker(types, std::move(options)).make();
}

AdminAccess Site::action_access(const Resource& resource, const AdminUser& user) const {
  const std::vector<AdminRole>& roles =
      resource.options.roles.empty() ? options.roles : resource.options.roles;
  AdminAccess access = roles.empty() ? kAdminAll : AdminAccess::none;
  for (const AdminRole& each : roles) {
    if (is_listed(user.roles, each.role)) {
      access = access | each.access;
    }
  }
  if (access != AdminAccess::none) {
    access = access | AdminAccess::view;
  }
  return access;
}

AdminAccess Site::access(const Resource& resource, const AdminUser& user) const {
  const AdminAccess access = action_access(resource, user);
  return resource.options.read_only ? access & AdminAccess::view : access;
}

bool Site::allows(const Resource& resource, const AdminUser& user, AdminAccess wanted) const {
  const AdminAccess needed = wanted | AdminAccess::view;
  return (access(resource, user) & needed) == needed;
}

bool Site::allows_action(const Resource& resource, const AdminUser& user,
                         AdminAccess wanted) const {
  const AdminAccess needed = wanted | AdminAccess::view;
  return (action_access(resource, user) & needed) == needed;
}

bool Site::shows_log(const AdminUser& user) const {
  if (!options.log_roles.empty()) {
    return std::ranges::any_of(
        user.roles, [this](const std::string& role) { return is_listed(options.log_roles, role); });
  }
  return options.roles.empty() ||
         std::ranges::any_of(options.roles, [&user](const AdminRole& each) {
           return each.access != AdminAccess::none && is_listed(user.roles, each.role);
         });
}

const Resource* Site::find_table(const TableName& table) const {
  const auto found = std::ranges::find_if(
      resources, [&table](const auto& resource) { return resource->is_of(table); });
  return found == resources.end() ? nullptr : found->get();
}

const Resource* Site::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(resources, [&](const auto& resource) { return resource->name == name; });
  return found == resources.end() ? nullptr : found->get();
}

std::string Site::list_address(const Resource& resource) const {
  return prefix + "/" + resource.name;
}

std::string Site::record_address(const Resource& resource, std::string_view key) const {
  return list_address(resource) + "/record/" + percent_encode(key);
}

}  // namespace eider::detail::admin
