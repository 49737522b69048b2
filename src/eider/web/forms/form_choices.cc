#include "eider/web/forms/form_choices.h"

#include <set>

#include "eider/core/base/failure.h"
#include "eider/web/views/value.h"

namespace eider::forms::detail {

namespace {

/// Returns the first field for which `is_it` returns true, including those in groups; null: none.
template <class F>
const ShapeField* first_field(const std::vector<ShapeField>& fields, const F& is_it) {
  for (const ShapeField& field : fields) {
    if (is_it(field)) {
      return &field;
    }
    if (const ShapeField* const inner = first_field(field.fields, is_it)) {
      return inner;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> texts_of(const reflect::Type& type, const void* value) {
  const views::Ref held = views::held({&type, value});
  if (held.at == nullptr) {
    return {};
  }
  if (held.type->kind != reflect::Kind::kSequence && held.type->kind != reflect::Kind::kSet) {
    return {views::shown(held)};
  }
  std::vector<std::string> texts;
  for (const views::Item& item : views::items_of(held)) {
    texts.push_back(views::shown(item.value));
  }
  return texts;
}

void OpenChoices::set(const FormShape& shape, const std::string& pointer,
                      std::vector<FieldChoice> choices) {
  const ShapeField* const field =
      first_field(shape.fields, [&](const ShapeField& each) { return each.pointer == pointer; });
  if (field == nullptr || field->chosen_with.empty()) {
    throw Failure(Error::internal("set_choices needs a member of " + std::string(shape.type->name) +
                                  " that kFormFields gives Control::select, radios or "
                                  "checkboxes, and whose type has no choices: /" +
                                  pointer));
  }
  choices_[pointer] = std::move(choices);
}

void OpenChoices::expect_all(const FormShape& shape, std::string_view below) const {
  const auto is_below = [below](std::string_view pointer) {
    return below.empty() || (pointer.starts_with(below) &&
                             (pointer.size() == below.size() || pointer[below.size()] == '/'));
  };
  const ShapeField* const missing = first_field(shape.fields, [&](const ShapeField& each) {
    return !each.chosen_with.empty() && is_below(each.pointer) && find(each.pointer) == nullptr;
  });
  if (missing != nullptr) {
    throw Failure(Error::internal("The form field " + missing->name + " of " +
                                  std::string(shape.type->name) +
                                  " has no choices. Call form.set_choices(form->" + missing->name +
                                  ", ...) before is_valid() and view()."));
  }
}

const std::vector<FieldChoice>* OpenChoices::find(std::string_view pointer) const {
  const auto found = choices_.find(pointer);
  return found == choices_.end() ? nullptr : &found->second;
}

bool OpenChoices::contain(std::string_view pointer, const std::vector<std::string>& texts) const {
  const std::vector<FieldChoice>* const choices = find(pointer);
  if (choices == nullptr) {
    return false;
  }
  // A set, because a client may send a value a hundred thousand times.
  std::set<std::string_view> missing(texts.begin(), texts.end());
  const bool has_doubles = missing.size() != texts.size();
  for (const FieldChoice& choice : *choices) {
    missing.erase(choice.value);
  }
  return missing.empty() && !has_doubles;
}

}  // namespace eider::forms::detail
