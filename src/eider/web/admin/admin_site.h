// The resources of admin pages, as they were registered, and the foreign keys of their tables.
// Layering: must not know requests or HTML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/web/admin/admin.h"

namespace eider::detail::admin {

inline constexpr std::int64_t kPerPageMax = 200;
inline constexpr std::size_t kSelectedMax = 200;
inline constexpr std::int64_t kCountMax = 100'000;
inline constexpr std::size_t kKeyBytesMax = 200;
inline constexpr std::size_t kSearchBytesMax = 400;
inline constexpr std::string_view kSeenField = "_seen";
inline constexpr std::string_view kSearchPrefix = "_search.";
inline constexpr std::string_view kFilterPrefix = "f.";

/// A member of a record that is a column.
///
/// row        the record
/// is_text    a text that can be searched
/// is_hidden  never selected
/// relation   the index of its resource; nothing: no relation. Set at startup
struct Column {
  const reflect::Type* row;
  const reflect::Member* member;
  std::string label;
  bool is_text = false;
  bool is_hidden = false;
  bool is_secret = false;
  std::optional<std::size_t> relation = {};
  std::string_view collation = {};  // to compare and sort by it; set at startup

  [[nodiscard]] std::string compared() const { return std::string(name()).append(collation); }
  [[nodiscard]] std::string_view name() const noexcept { return member->name; }
};

/// What happens to records that refer to a deleted one.
enum class OnDelete : std::uint8_t { cascade, clear, prevent };

/// A table as the database names it.
///
/// is_visible  statements find it without its schema
struct TableName {
  std::string schema;
  std::string name;
  bool is_visible = true;

  [[nodiscard]] bool is_same(const TableName& other) const {
    return schema == other.schema && name == other.name;
  }
};

/// A reference from the columns of a table to those of another, in the same order.
///
/// is_readable  the user of the connection may select from the table
struct ForeignKey {
  TableName table;
  std::vector<std::string> columns;
  TableName to_table;
  std::vector<std::string> to_columns;
  OnDelete on_delete = OnDelete::prevent;
  bool is_readable = true;
};

/// A resource. Columns are given by their index.
///
/// name    part of the URL
/// listed  columns of lists
/// new_form, form  fields that users can set and change; nothing if it is read-only. A key that
///         users choose is only in the first one
struct Resource {
  std::string name;
  std::string title;
  std::string singular;
  AdminResource options;
  const reflect::Type* row = nullptr;
  std::string table;
  std::string version;
  std::string deleted;
  bool is_marked = false;
  std::vector<Column> columns;
  std::size_t key = 0;
  std::size_t label = 0;
  std::size_t sort = 0;
  bool is_descending = false;
  std::vector<std::size_t> listed;
  std::vector<std::size_t> searched;
  std::vector<std::size_t> filtered;
  std::optional<forms::detail::FormShape> new_form;
  std::optional<forms::detail::FormShape> form;

  [[nodiscard]] const Column& key_column() const { return columns[key]; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view column) const;
  /// The same for a name from the database, in which letters can be upper or lower case.
  [[nodiscard]] std::optional<std::size_t> find_column(std::string_view column) const;
  /// Table without its schema.
  [[nodiscard]] std::string_view bare_table() const;
  [[nodiscard]] bool is_of(const TableName& table_name) const;
  /// Whether the foreign key has one column, and leads to the key of this resource.
  [[nodiscard]] bool is_target(const ForeignKey& foreign_key) const;
};

/// errors  as AdminSite::resource
[[nodiscard]] Resource make_resource(const ResourceTypes& types, AdminResource options);

/// All of it. Constant after startup.
struct Site {
  AdminOptions options;
  std::string prefix;
  std::vector<std::unique_ptr<Resource>> resources;
  std::vector<ForeignKey> keys;
  std::optional<Database> database;
  std::function<void(LogLevel, std::string_view)> log;

  /// Permissions for actions, which also exist for resources that are otherwise read-only.
  [[nodiscard]] AdminAccess action_access(const Resource& resource, const AdminUser& user) const;
  [[nodiscard]] bool allows_action(const Resource& resource, const AdminUser& user,
                                   AdminAccess wanted) const;
  [[nodiscard]] AdminAccess access(const Resource& resource, const AdminUser& user) const;
  [[nodiscard]] bool allows(const Resource& resource, const AdminUser& user,
                            AdminAccess access) const;
  [[nodiscard]] bool shows_log(const AdminUser& user) const;
  [[nodiscard]] const Resource* find_table(const TableName& table) const;
  [[nodiscard]] const Resource* find(std::string_view name) const;
  [[nodiscard]] std::string list_address(const Resource& resource) const;
  [[nodiscard]] std::string record_address(const Resource& resource, std::string_view key) const;
};

/// Creates the table of the audit log, reads foreign keys, and compares each resource with its
/// table.
///
/// errors  throws a Failure that names the resource
[[nodiscard]] Task<> start_site(Site& site, Database database);

}  // namespace eider::detail::admin
