#include "eider/web/forms/forms.h"

#include <algorithm>
#include <array>
#include <set>

#include "eider/app/handlers/pairs.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/result.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/accept.h"
#include "eider/protocols/http/status.h"
#include "eider/web/forms/html_rules.h"
#include "eider/web/languages/library_texts.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/views/value.h"

namespace eider::forms::detail {
namespace {

/// The data of the fields. Passwords and files are never shown.
///
/// typed    the submitted values; null: the values are those of the struct at `object`
/// object   all of its members, or only those with initializers (`only_defaults`)
/// choices  set by the handler; null: none
struct Shown {
  const FormShape* shape;
  const Words* words;
  const TypedForm* typed = nullptr;
  const void* object = nullptr;
  bool only_defaults = false;
  const std::vector<FieldError>* faults = nullptr;
  const OpenChoices* choices = nullptr;
};

using reflect::Kind;
using reflect::Type;
using Form = ShapeField::Form;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the text for a page: invalid UTF-8 and NUL are replaced by U+FFFD.
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

/// Browsers discard an invalid date in a date input. Such a field becomes a text input, so that
/// nothing is lost.
void show_as_text(FieldView& view) {
  view.type = "text";
  std::erase_if(view.attributes, [](const FieldAttribute& each) {
    return each.name == "min" || each.name == "max" || each.name == "step";
  });
}

/// Returns whether each value is unchanged after the form was shown and submitted again.
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

  /// Labels from the handler are data, such as names of users: they are not translated.
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

  /// Returns the errors of a field and of its parts; for a group, without those of its fields.
  std::vector<std::string> errors_of(const ShapeField& shape) {
    std::vector<std::string> errors;
    for (const FieldError& fault : faults()) {
      const bool is_within = shape.form != Form::group &&
                             fault.pointer.starts_with(shape.pointer) &&
                             fault.pointer.substr(shape.pointer.size()).starts_with('/');
      if (fault.pointer == shape.pointer || is_within) {
        told_.push_back(&fault);
        std::string text = shown_.words->fault(fault);
        if (std::ranges::find(errors, text) == errors.end()) {  // list elements may share it
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
    // A browser would select the first choice, which the user did not choose.
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

/// Sets `fields`, `errors` and `encoding`.
FormView show(const Shown& shown) {
  return Shower(shown).form();
}

}  // namespace

}  // namespace eider::forms::detail

namespace eider {

namespace forms::detail {

namespace {

constexpr std::string_view kMultipart = "multipart/form-data";

void prefix_ids(std::vector<FieldView>& fields, const std::string& prefix) {
  for (FieldView& field : fields) {
    field.id = prefix + "-" + field.id;
    prefix_ids(field.fields, prefix);
  }
}

FormView framed(FormView view, const FormFrame& frame, const FormOptions& options) {
  view.action = options.action;
  view.method = "post";
  view.token_name = frame.token_name;
  view.token = frame.token;
  view.is_checked_by_browser = options.is_checked_by_browser;
  view.submit = options.submit == "-"
                    ? ""
                    : frame.words.text(options.submit.empty() ? words::kSave
                                                              : std::string_view(options.submit));
  view.heading = frame.words.text(words::kHeading);
  if (!options.id_prefix.empty()) {
    prefix_ids(view.fields, options.id_prefix);
  }
  return view;
}

}  // namespace

FormFrame frame_of(Request& request) {
  FormFrame frame;
  if (const auto* const token = eider::detail::middleware::csrf_token_of(request)) {
    frame.token_name = token->field_name();
    frame.token = token->text();
  }
  frame.words = Words(eider::detail::languages::translator_of(request));
  return frame;
}

Result<TypedForm> read_typed(const FormShape& shape, const Request& request) {
  const std::string_view token_name = eider::detail::app::passed_field(request);
  const std::string_view type = request.header("Content-Type").value_or("");
  const std::string_view essence = trim(type.substr(0, type.find(';')));
  if (equals_ignoring_case(essence, kMultipart)) {
    return read_parts(shape, type, request.body(), token_name);
  }
  if (auto typed = eider::detail::app::expect_content_type(request, kFormUrlencoded); !typed) {
    return fail(std::move(typed.error()));
  }
  return read_pairs(shape, request.body(), token_name);
}

FormView view_of(const FormShape& shape, const FormFrame& frame, const FormOptions& options,
                 const void* object, bool only_defaults, const OpenChoices* choices) {
  return framed(show({.shape = &shape,
                      .words = &frame.words,
                      .object = object,
                      .only_defaults = only_defaults,
                      .choices = choices}),
                frame, options);
}

FormView view_again(const FormShape& shape, const FormFrame& frame, const FormOptions& options,
                    const TypedForm& typed, const std::vector<FieldError>& faults,
                    const OpenChoices* choices) {
  return framed(show({.shape = &shape,
                      .words = &frame.words,
                      .typed = &typed,
                      .faults = &faults,
                      .choices = choices}),
                frame, options);
}

Refusal refusal_of(const Error& error) {
  if (is_server_error(error.status())) {
    throw Failure(error);
  }
  return {error.status(), error.headers()};
}

std::vector<FieldError> faults_of(const Error& error) {
  std::vector<FieldError> faults = error.fields();
  for (FieldError& fault : faults) {
    fault.pointer.erase(0, fault.pointer.starts_with('/') ? 1 : 0);
  }
  if (faults.empty()) {
    faults.push_back({"", error.detail()});
  }
  return faults;
}

FormResponse respond_again(const Request& request, HtmlPage page, const Refusal& refusal,
                           const std::vector<FieldError>& faults) {
  constexpr std::array<std::string_view, 3> kOffered = {kTextHtml, kApplicationProblem,
                                                        kApplicationJson};
  if (choose_media_type(request.headers(), kOffered).value_or(0) == 0) {
    return {std::move(page), refusal.status, refusal.headers};
  }
  Error problem = Error::invalid(faults);
  problem.with_status(refusal.status);
  for (const ErrorHeader& header : refusal.headers) {
    problem.with_header(header.name, header.value);
  }
  return FormResponse(std::move(problem));
}

void describe_content(Operation& operation, const FormShape& shape) {
  if (shape.has_files) {
    operation.take_body(kMultipart, nullptr);
  } else {
    operation.take_body(kFormUrlencoded, may_be_pairs(*shape.type) ? shape.type : nullptr);
  }
  operation.add_problem(415, "The Content-Type is not supported.");
}

}  // namespace forms::detail

void Render<FormResponse>::into(Response& response, FormResponse form) {
  if (auto* const problem = std::get_if<Error>(&form.response_)) {
    return render_error(response, *problem);
  }
  if (auto* const page = std::get_if<HtmlPage>(&form.response_)) {
    const bool is_fine = page->status() == 200;
    Render<HtmlPage>::into(response, std::move(*page));
    if (is_fine) {
      response.set_status(form.status_);
    }
    for (const ErrorHeader& header : form.headers_) {
      response.add_header(header.name, header.value);
    }
  } else {
    Render<Redirect>::into(response, std::get<Redirect>(form.response_));
  }
}

void Render<FormResponse>::describe(Operation& operation) {
  Render<Redirect>::describe(operation);
  if (operation.only_reads()) {
    operation.add_response(200, "The form.", kTextHtml, nullptr);
  } else {
    operation.add_response(422, "The form with its validation errors.", kTextHtml, nullptr);
  }
}

}  // namespace eider
