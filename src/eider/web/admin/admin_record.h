// Rows of a table as values of the members of a struct that is known only at run time.
// Layering: must not run statements.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/json/value.h"
#include "eider/core/reflect/type_of.h"
#include "eider/data/db/row.h"
#include "eider/data/db/value.h"
#include "eider/web/admin/admin_site.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

struct DestroyObject {
  const reflect::Type* type;
  void operator()(void* object) const noexcept;
};
/// A struct of a type that is known only at run time.
using Object = std::unique_ptr<void, DestroyObject>;
[[nodiscard]] Object make_object(const reflect::Type& type);

/// Some columns of a row, each as its member, or as it is if it does not fit.
class Record {
 public:
  /// columns  of the row, in its order
  Record(const Resource& resource, std::span<const std::size_t> columns, const db::Row& row);

  /// Text for users. Pre: the column was read.
  [[nodiscard]] std::string text(std::size_t column) const;
  /// Text for links and forms, which `key_value` reads.
  [[nodiscard]] std::string key() const { return plain_text(resource_->key); }
  [[nodiscard]] std::string plain_text(std::size_t column) const;
  [[nodiscard]] std::string label() const;
  [[nodiscard]] json::Value json(std::size_t column) const;
  [[nodiscard]] const db::Value& value(std::size_t column) const;
  /// Changes with each value of these fields; see kSeenField.
  [[nodiscard]] std::string digest(const forms::detail::FormShape& shape) const;
  /// Changes with each value that was read.
  [[nodiscard]] std::string digest() const;
  /// Puts the values into an object of the form's type.
  ///
  /// returns  an error for each value that does not fit
  [[nodiscard]] std::vector<FieldError> fill(const forms::detail::FormShape& shape,
                                             void* object) const;
  /// Puts the values that fit into all members of a struct that are columns, also into those that
  /// are not in the form.
  void fill_all(const reflect::Type& form, void* object) const;

 private:
  struct Cell {
    db::Value value;
    bool fits = false;
    bool is_read = false;
  };

  static void add_digest(std::string& all, const Cell& cell);

  const Resource* resource_;
  Object object_;
  std::vector<Cell> cells_;  // one for each column of the resource
};

/// Reads a value that a client sent for a column; nothing if it is not one.
[[nodiscard]] std::optional<db::Value> value_of_text(const Column& column, std::string_view text);
[[nodiscard]] std::optional<db::Value> key_value(const Resource& resource, std::string_view text);
/// Returns the text that `Record::key` has for that key: "1" for "01"; nothing if it is not one.
[[nodiscard]] std::optional<std::string> normal_key(const Resource& resource,
                                                    std::string_view text);

/// Text of a value for users: "Yes" and "No" for bools, JSON for lists. Pre: it is there.
[[nodiscard]] std::string value_text(const views::Ref& value);

/// Text of a value as it is.
[[nodiscard]] std::string raw_text(const db::Value& value);

/// Field of a form: the value at its place in an object.
[[nodiscard]] db::Value field_value(const forms::detail::ShapeField& field, const void* object);
void set_field_value(const forms::detail::ShapeField& field, void* object, const db::Value& value);

}  // namespace eider::detail::admin
