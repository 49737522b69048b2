#include "eider/web/forms/form_shown.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/web/forms/html_rules.h"
#include "eider/web/views/value.h"

namespace eider::forms::detail {

namespace {

using reflect::Kind;
using reflect::Type;
using Form = ShapeField::Form;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// What a page can hold: bytes that are no text, and NUL, are shown as U+FFFD.
std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = utf8_sequence_bytes(text);
    const bool is_shown = bytes != 0 && text.front() != '\0';
    out += is_shown ? text.substr(0, bytes) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

/// Browsers show nothing of what is no date in a field of dates; so such a field is one of text,
/// and nothing is lost.
void show_as_text(FieldView& view) {
  view.type = "text";
  std::erase_if(view.attributes, [](const FieldAttribute& each) {
    return each.name == "min" || each.name == "max" || each.name == "step";
  });
}

/// Whether each of them comes back as it is once the field is sent.
bool are_lines(const std::vector<std::string>& values) {
  return std::ranges::all_of(values, [](std::string_view value) {
    return !trim(value).empty() && value.find_first_of("\r\n") == std::string_view::npos;
  });
}

class Shower {
 public:
  explicit Shower(const Shown& shown) : shown_(shown) {}

  FormView form() {
    FormView form;
    form.encoding = shown_.shape->has_files ? "multipart/form-data" : "";
    form.fields = fields(shown_.shape->fields, shown_.object);
    for (const FieldError& fault : faults()) {
      if (std::ranges::find(told_, &fault) == told_.end()) {
        const std::string at = fault.pointer.empty() ? "" : printable(fault.pointer) + ": ";
        form.errors.push_back(at + shown_.words->fault(fault));
      }
    }
    return form;
  }

 private:
  [[nodiscard]] const std::vector<FieldError>& faults() const {
    static const std::vector<FieldError> kNone;
    return shown_.faults != nullptr ? *shown_.faults : kNone;
  }

  std::vector<FieldView> fields(const std::vector<ShapeField>& shapes, const void* object) {
    std::vector<FieldView> views;
    views.reserve(shapes.size());
    for (const ShapeField& shape : shapes) {
      const void* const member =
          object != nullptr ? static_cast<const char*>(object) + shape.offset : nullptr;
      views.push_back(field(shape, member));
    }
    return views;
  }

  FieldView field(const ShapeField& shape, const void* member) {
    FieldView view{.name = shape.name,
                   .id = shape.id,
                   .label = shown_.words->text(shape.label),
                   .hint = shown_.words->text(shape.hint),
                   .control = shape.control,
                   .type = shape.input_type,
                   .value = {},
                   .is_required = shape.is_required,
                   .choices = shape.choices,
                   .attributes = shape.attributes,
                   .errors = errors_of(shape),
                   .fields = {}};
    for (FieldAttribute& each : view.attributes) {
      if (each.name == "title" || each.name == "placeholder") {
        each.value = shown_.words->text(each.value);
      }
    }
    put_choices(view, shape);
    if (shape.form == Form::group) {
      view.fields = fields(shape.fields, member);
    } else {
      put_value(view, shape, member);
    }
    return view;
  }

  /// Labels from the handler are data, such as names of people: they are not translated.
  void put_choices(FieldView& view, const ShapeField& shape) {
    const auto* const set =
        shown_.choices != nullptr ? shown_.choices->find(shape.pointer) : nullptr;
    if (set != nullptr) {
      view.control = shape.chosen_with;
      view.type.clear();
      view.is_required = view.is_required || (shape.form == Form::text && !shape.is_optional);
      std::erase_if(view.attributes,
                    [](const FieldAttribute& each) { return each.name != "autocomplete"; });
      offer_nothing(shape, view.control, view.choices);
    }
    for (FieldChoice& choice : view.choices) {
      choice.label = shown_.words->text(choice.label);
    }
    if (set != nullptr) {
      view.choices.insert(view.choices.end(), set->begin(), set->end());
    }
  }

  /// Of a field itself and of what is in it; of a group those of its fields are theirs.
  std::vector<std::string> errors_of(const ShapeField& shape) {
    std::vector<std::string> errors;
    for (const FieldError& fault : faults()) {
      const bool is_within = shape.form != Form::group &&
                             fault.pointer.starts_with(shape.pointer) &&
                             fault.pointer.substr(shape.pointer.size()).starts_with('/');
      if (fault.pointer == shape.pointer || is_within) {
        told_.push_back(&fault);
        std::string text = shown_.words->fault(fault);
        if (std::ranges::find(errors, text) == errors.end()) {  // each line of a list may say it
          errors.push_back(std::move(text));
        }
      }
    }
    return errors;
  }

  void put_value(FieldView& view, const ShapeField& shape, const void* member) {
    if (shape.is_secret || shape.form == Form::file) {
      return;
    }
    const std::vector<std::string> values =
        shown_.typed != nullptr ? shown_.typed->fields.find(shape.name)->second.values
                                : values_at(shape, member);
    const std::set<std::string_view> all(values.begin(), values.end());
    for (FieldChoice& choice : view.choices) {
      choice.is_chosen = shape.form == Form::choices || shape.form == Form::lines
                             ? all.contains(choice.value)
                             : choice.value == (values.empty() ? "" : values.front());
    }
    // A browser would choose the first, which nobody did.
    if (view.control == "select" && !view.choices.empty() &&
        std::ranges::none_of(view.choices, &FieldChoice::is_chosen)) {
      view.choices.front().value.empty()
          ? void(view.choices.front().is_chosen = true)
          : void(view.choices.insert(view.choices.begin(), {"", "", true}));
    }
    if (shape.form == Form::flag) {
      const std::string_view value = values.empty() ? "" : std::string_view(values.front());
      const bool is_set = value == "on" || value == "true";
      if (shape.control == "hidden") {
        view.value = is_set ? "true" : "false";
      } else {
        view.value = is_set ? "on" : "";
      }
      return;
    }
    if (shown_.typed == nullptr && view.control == "textarea" && shape.form == Form::lines &&
        !are_lines(values)) {
      view.errors.push_back(shown_.words->text(words::kNotAsItIs));
    }
    for (const std::string& value : values) {
      const bool is_first = &value == &values.front();
      if (is_first || shape.form == Form::lines) {
        view.value += is_first ? "" : "\n";
        view.value += printable(shape.control == "textarea" ? with_plain_breaks(value) : value);
      }
    }
    if (shown_.typed == nullptr && (view.type == "time" || view.type == "datetime-local")) {
      view.value = without_fraction_zeros(view.value);
    }
    if (view.control == "input" && !view.value.empty() &&
        !is_shown_by_browsers(view.type, view.value)) {
      show_as_text(view);
    }
  }

  [[nodiscard]] std::vector<std::string> values_at(const ShapeField& shape,
                                                   const void* member) const {
    if (member == nullptr || (shown_.only_defaults && !shape.has_default)) {
      return {};
    }
    return texts_of(*shape.type, member);
  }

  const Shown& shown_;
  std::vector<const FieldError*> told_;
};

}  // namespace

FormView show(const Shown& shown) {
  return Shower(shown).form();
}

}  // namespace eider::forms::detail
