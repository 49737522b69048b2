// Choices of form fields that a handler sets, for example from a query.
// Layering: must not know requests or pages.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/core/reflect/wording.h"
#include "eider/web/forms/form_shape.h"
#include "eider/web/views/form_view.h"

namespace eider::forms::detail {

inline constexpr reflect::Wording kNotAChoice = {"choice", "is not one of the choices"};

/// Returns the texts of a value as a form sends them: one, those of a list, or none for an empty
/// optional.
[[nodiscard]] std::vector<std::string> texts_of(const reflect::Type& type, const void* value);

/// The choices of the fields that declare it (ShapeField::chosen_with), by their pointers.
class OpenChoices {
 public:
  /// Throws a Failure if the form has no such field.
  void set(const FormShape& shape, const std::string& pointer, std::vector<FieldChoice> choices);
  /// Throws a Failure for a field without choices: it would be shown, and read, without them.
  ///
  /// below  the pointer of a field or group that alone is checked; empty: all
  void expect_all(const FormShape& shape, std::string_view below = {}) const;
  /// Null for a field whose choices were not set.
  [[nodiscard]] const std::vector<FieldChoice>* find(std::string_view pointer) const;
  /// Returns whether all texts are among the choices, and none is given twice.
  [[nodiscard]] bool contain(std::string_view pointer, const std::vector<std::string>& texts) const;

 private:
  std::map<std::string, std::vector<FieldChoice>, std::less<>> choices_;
};

template <class Rows, class Value, class Label>
[[nodiscard]] std::vector<FieldChoice> choices_of(const Rows& rows, const Value& value,
                                                  const Label& label) {
  const auto text = []<class T>(const T& part) {
    const std::vector<std::string> texts = texts_of(reflect::type_of<T>(), &part);
    return texts.empty() ? std::string() : texts.front();
  };
  std::vector<FieldChoice> choices;
  for (const auto& row : rows) {
    choices.push_back({text(std::invoke(value, row)), text(std::invoke(label, row)), false});
  }
  return choices;
}

}  // namespace eider::forms::detail
