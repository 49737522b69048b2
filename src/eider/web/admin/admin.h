// Admin pages: lists, forms, deletion, actions and an audit log for records of the database.
// Layering: must not know sessions; the guard of the application returns the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/extract.h"
#include "eider/data/db/record_sql.h"
#include "eider/web/admin/admin_pages.h"
#include "eider/web/forms/forms.h"

namespace eider {

/// The user of admin pages. Handlers of actions can use Extension<AdminUser>.
///
/// id     stored in the audit log; never empty
/// name   shown, and stored in the audit log
/// roles  compared with AdminRole::role
struct AdminUser {
  std::string id;
  std::string name;
  std::vector<std::string> roles = {};
};

/// Permissions for the records of a resource; combined with `|`. Each one includes `view`.
enum class AdminAccess : std::uint8_t { none = 0, view = 1, create = 2, change = 4, remove = 8 };

[[nodiscard]] constexpr AdminAccess operator|(AdminAccess left, AdminAccess right) noexcept {
  return static_cast<AdminAccess>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
[[nodiscard]] constexpr AdminAccess operator&(AdminAccess left, AdminAccess right) noexcept {
  return static_cast<AdminAccess>(static_cast<unsigned>(left) & static_cast<unsigned>(right));
}
inline constexpr AdminAccess kAdminAll =
    AdminAccess::view | AdminAccess::create | AdminAccess::change | AdminAccess::remove;

/// The permissions of users with a role.
struct AdminRole {
  std::string role;
  AdminAccess access = kAdminAll;
};

/// The guard of admin pages: a function with the parameters of a guard that returns an AdminUser, a
/// Result<AdminUser>, or a Task of one.
class AdminGuard {
 public:
  AdminGuard() = default;
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, AdminGuard>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda is to convert by itself
  AdminGuard(F function)
      : add_([guard = std::move(function)](Routes& pages) { pages.guard(guard); }) {
    using User = typename detail::app::Learned<typename detail::app::Signature<F>::Value>::Type;
    static_assert(
        std::is_same_v<User, AdminUser>,
        "eider: the guard of admin pages must return an AdminUser, a Result<AdminUser> or "
        "a Task of one");
  }

  [[nodiscard]] bool is_empty() const noexcept { return add_ == nullptr; }
  void add_to(Routes& pages) const { add_(pages); }

 private:
  std::function<void(Routes&)> add_;
};

/// The records that a user has selected for an action: a parameter of its handler.
///
/// keys  of 1 to 200 records, as text, each in one spelling and once. They come from the client:
///       use them as values of statements, and expect that some records do not exist any more
struct AdminSelection {
  std::vector<std::string> keys;

  /// Returns the keys as numbers. Throws a Failure with a 422 if one is not an integer, or has
  /// another spelling ("01").
  [[nodiscard]] std::vector<std::int64_t> ids() const;
};

template <>
struct Extract<AdminSelection> {
  static constexpr ArgumentKind kKind = ArgumentKind::content;
  static constexpr bool kOwnsData = true;
  using Held = AdminSelection;
  static Result<Held> from(const Context& context, ArgumentPlace place);
  static void describe(Operation& operation);
};

/// A custom action on selected records: a handler with any parameters, also AdminSelection. It can
/// return nothing, a response such as a Redirect, or a text for the user: std::string,
/// Result<std::string>, or a Task of one. The audit log has an entry for each selected record, with
/// this text, or with the status of another response or an exception.
///
///     .actions = {{"restock", "Restock", [](AdminSelection books, State<Database> db) -> … }}
class AdminAction {
 public:
  /// Adds the route. Not for applications.
  using Add = std::function<void(Routes& pages, const std::string& path, Middleware around)>;

  /// name    part of the URL, and in the audit log: at most 40 letters, digits, '-' and '_'
  /// label   of the button
  /// access  permission that the action needs
  template <class F>
  AdminAction(std::string name, std::string label, F handler,
              AdminAccess access = AdminAccess::change)
      : name_(std::move(name)),
        label_(std::move(label)),
        access_(access),
        add_([function = std::move(handler)](Routes& pages, const std::string& path,
                                             Middleware around) {
          pages.post(RuntimePattern{path}, function).use(std::move(around));
        }) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] AdminAccess access() const noexcept { return access_; }
  [[nodiscard]] const Add& add() const noexcept { return add_; }

 private:
  std::string name_;
  std::string label_;
  AdminAccess access_;
  Add add_;
};

/// Settings of a resource. Names are those of members.
///
/// table      default: `static constexpr db::Table kTable` of the struct; without it, the plural of
///            its name ("OrderLine": "order_lines"), with the version `version` if it is a member
/// title      plural; default: from the table, "Order lines"
/// columns    of lists; default: the first six that are not long texts or `hidden`
/// search     texts that the search field looks in; default: all texts. {"-"}: no search
/// filters    default: enums, bools and relations. Numbers, dates and times get a range
/// sort       "title" or "-title" (descending); default: the key
/// label      that names a record, also in selects; default: `name`, `title`, or the first text
/// fixed      that are not changed here, for example a time that the database sets. Not needed if
///            the struct has a `New`
/// hidden     that are never shown, exported, or stored in the audit log. Passwords, tokens, keys
///            and hashes are always hidden, by their names ("password", "pin", "…_token",
///            "…_secret", "…api_key", "…private_key", "…_hash", "…_digest"), except if they are in
///            `columns`
/// secrets    hidden members that forms can set. They are stored as typed, so not for passwords
///            that the application hashes
/// read_only  nothing can be created, changed or deleted, except by actions
/// per_page   at most 200
/// roles      default: AdminOptions::roles
/// changed    called with the key after a record was created, changed or deleted and this is
///            stored, for example to tell other programs. Errors are only logged
/// templates  instead of those in AdminOptions
struct AdminResource {
  db::Table table = {};
  std::string title = {};
  std::vector<std::string> columns = {};
  std::vector<std::string> search = {};
  std::vector<std::string> filters = {};
  std::string sort = {};
  std::string label = {};
  std::vector<std::string> fixed = {};
  std::vector<std::string> hidden = {};
  std::vector<std::string> secrets = {};
  bool read_only = false;
  int per_page = 50;
  std::vector<AdminRole> roles = {};
  std::vector<AdminAction> actions = {};
  std::function<Task<>(std::string key)> changed = {};
  AdminTemplates templates = {};
};

/// Settings of all admin pages.
///
/// guard       required: returns the user, or rejects the request
/// title       name of the pages
/// roles       permissions for resources without their own `roles`, and for the audit log (`view`).
///             Empty: users that the guard accepts may do everything
/// log_roles   roles that may view the audit log. Empty: all users that have one of `roles`
/// stylesheet  URL of another stylesheet, after that of the library
/// export_rows_max  maximum number of records in a CSV file
struct AdminOptions {
  AdminGuard guard = {};
  std::string title = "Administration";
  std::vector<AdminRole> roles = {};
  std::vector<std::string> log_roles = {};
  std::string stylesheet = {};
  std::int64_t export_rows_max = 100'000;
  AdminTemplates templates = {};
};

namespace detail::admin {

struct Site;

/// What resource<T>() knows of the types.
///
/// form  creates the fields of users; null: a form of all members of `row`
struct ResourceTypes {
  const reflect::Type* row;
  const reflect::Type* form;
  const forms::detail::FormShape& (*shape)();
  db::Table table;
  bool has_table;
};

template <class T>
struct NewOf {
  using Type = T;
};
template <class T>
  requires requires { typename T::New; }
struct NewOf<T> {
  using Type = typename T::New;
};

template <class T>
[[nodiscard]] constexpr db::Table table_of() {
  if constexpr (requires { T::kTable; }) {
    return T::kTable;
  } else {
    return {};
  }
}

}  // namespace detail::admin

/// Adds resources to admin pages; see serve_admin.
class AdminSite {
 public:
  /// Adds pages for the records of a table: a list, and forms for the members of N.
  ///
  /// T  the record: a member for each column that is used
  /// N  the members that users can change, with their rules; default: T::New, or all of T except
  ///    its key, version, deletion mark, and `fixed` and `hidden` members
  ///
  /// errors  throws a Failure for names that are not members, for members of N that T does not have
  ///         or that are secret (see AdminResource::secrets), and for a table that was added
  ///         already. A table or column that the database does not have is an error at startup
  template <class T, class N = typename detail::admin::NewOf<T>::Type>
  AdminSite& resource(AdminResource options = {}) {
    static_assert(reflect::detail::PlainStruct<T> && reflect::detail::PlainStruct<N>,
                  "eider: a resource of admin pages needs a plain struct with members");
    constexpr bool kHasTable = requires { T::kTable; };
    return add({.row = &reflect::type_of<T>(),
                .form = &reflect::type_of<N>(),
                .shape = &forms::detail::shape_of<N>,
                .table = detail::admin::table_of<T>(),
                .has_table = kHasTable},
               std::move(options));
  }

 private:
  friend AdminSite serve_admin(App& app, GroupPrefix prefix, AdminOptions options);
  AdminSite(Routes pages, std::shared_ptr<detail::admin::Site> site)
      : pages_(std::move(pages)), site_(std::move(site)) {}

  AdminSite& add(const detail::admin::ResourceTypes& types, AdminResource options);

  Routes pages_;
  std::shared_ptr<detail::admin::Site> site_;
};

/// Serves admin pages below `prefix`, for the State<Database> of the app: SQLite, PostgreSQL or
/// MariaDB. They need no script. Requests of other sites that change something get a 403. Creates
/// the table eider_admin_log at startup if necessary. Call it for the app that runs, not for one
/// that is mounted: the URLs of the pages begin with `prefix`.
///
///     serve_admin(app, "/admin", {.guard = [](const Admin& admin) {
///                                   return AdminUser{.id = admin.email, .name = admin.name};
///                                 }})
///         .resource<Book>()
///         .resource<Order>({.read_only = true});
///
/// errors  throws a Failure without a guard
AdminSite serve_admin(App& app, GroupPrefix prefix, AdminOptions options);

}  // namespace eider
