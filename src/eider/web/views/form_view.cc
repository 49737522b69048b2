#include "eider/web/views/form_view.h"

#include "eider/core/base/failure.h"
#include "eider/web/views/escape.h"
#include "eider/web/views/source.h"

namespace eider::views {

namespace {

/// Builds HTML.
class Writer {
 public:
  Writer& html(std::string_view text) {
    out_ += text;
    return *this;
  }
  Writer& text(std::string_view text) {
    append_html(out_, text);
    return *this;
  }
  Writer& attribute(std::string_view name, std::string_view value) {
    return html(" ").html(name).html("=\"").text(value).html("\"");
  }
  Writer& attribute_unless_empty(std::string_view name, std::string_view value) {
    return value.empty() ? *this : attribute(name, value);
  }
  Writer& flag(std::string_view name, bool is_set) { return is_set ? html(" ").html(name) : *this; }
  [[nodiscard]] Markup done() { return Markup(std::move(out_)); }

  void field(const FieldView& field);
  void control(const FieldView& field);
  void faults(const FieldView& field);

 private:
  void common(const FieldView& field);
  void described(const FieldView& field);
  void hint_and_faults(const FieldView& field);
  void input(const FieldView& field);
  void textarea(const FieldView& field);
  void select(const FieldView& field);
  void choices(const FieldView& field, std::string_view type);

  std::string out_;
};

bool is_hidden(const FieldView& field) {
  return field.control == "hidden";
}
/// Returns whether the field has several controls, which are in a fieldset with a legend instead of
/// a label.
bool is_set(const FieldView& field) {
  return field.control == "group" || field.control == "checkboxes" || field.control == "radios";
}

void Writer::described(const FieldView& field) {
  std::string ids = field.errors.empty() ? "" : field.id + "-error";
  if (!field.hint.empty()) {
    ids += (ids.empty() ? "" : " ") + field.id + "-hint";
  }
  attribute_unless_empty("aria-describedby", ids);
}

/// Writes the attributes of a single control.
void Writer::common(const FieldView& field) {
  attribute("id", field.id).attribute("name", field.name);
  for (const FieldAttribute& each : field.attributes) {
    html(" ").html(each.name);
    if (!each.value.empty()) {
      html("=\"").text(each.value).html("\"");
    }
  }
  flag("required", field.is_required);
  flag("aria-invalid=\"true\"", !field.errors.empty());
  described(field);
}

void Writer::input(const FieldView& field) {
  const bool is_checkbox = field.control == "checkbox";
  html("<input").attribute("type", is_checkbox ? "checkbox" : field.type);
  common(field);
  if (is_checkbox) {
    attribute("value", "on").flag("checked", field.value == "on");
  } else if (field.type != "file" && field.type != "password") {
    attribute("value", field.value);
  }
  html(">");
}

void Writer::textarea(const FieldView& field) {
  html("<textarea");
  common(field);
  // HTML ignores a line break after the tag; writing one preserves a line break of the value.
  html(">\n").text(field.value).html("</textarea>");
}

void Writer::select(const FieldView& field) {
  html("<select");
  common(field);
  html(">");
  for (const FieldChoice& choice : field.choices) {
    html("<option").attribute("value", choice.value).flag("selected", choice.is_chosen);
    html(">").text(choice.label).html("</option>");
  }
  html("</select>");
}

/// The first control has the ID of the field, so that links to errors lead to it.
void Writer::choices(const FieldView& field, std::string_view type) {
  for (const FieldChoice& choice : field.choices) {
    const bool is_first = &choice == &field.choices.front();
    const std::string number = std::to_string(&choice - &field.choices.front() + 1);
    const bool is_radio = type == "radio";
    html("<label><input").attribute("type", type);
    attribute("id", is_first ? field.id : field.id + "-" + number).attribute("name", field.name);
    attribute("value", choice.value).flag("checked", choice.is_chosen);
    flag("required", is_radio && field.is_required);
    flag("aria-invalid=\"true\"", !field.errors.empty());
    html("> ").text(choice.label).html("</label>\n");
  }
}

void Writer::control(const FieldView& field) {
  if (field.control == "textarea") {
    textarea(field);
  } else if (field.control == "select") {
    select(field);
  } else if (field.control == "checkboxes") {
    choices(field, "checkbox");
  } else if (field.control == "radios") {
    choices(field, "radio");
  } else if (field.control == "hidden") {
    html("<input").attribute("type", "hidden").attribute("id", field.id);
    attribute("name", field.name).attribute("value", field.value).html(">\n");
  } else if (field.control != "group") {
    input(field);
  }
}

void Writer::hint_and_faults(const FieldView& field) {
  if (!field.hint.empty()) {
    html("<p class=\"hint\" id=\"").text(field.id).html("-hint\">").text(field.hint);
    html("</p>\n");
  }
  if (!field.errors.empty()) {
    html("<p class=\"error\" id=\"").text(field.id).html("-error\">");
    for (const std::string& error : field.errors) {
      html(&error == &field.errors.front() ? "" : "<br>").text(error);
    }
    html("</p>\n");
  }
}

void Writer::field(const FieldView& field) {
  if (is_hidden(field)) {
    return control(field);
  }
  if (is_set(field)) {
    html("<fieldset class=\"").html(field.control == "group" ? "group" : "field choice");
    html(field.errors.empty() ? "\"" : " wrong\"");
    if (field.control == "group") {
      attribute("id", field.id).attribute("tabindex", "-1");
    }
    described(field);
    html("><legend>").text(field.label).html("</legend>\n");
    hint_and_faults(field);
    control(field);
    for (const FieldView& each : field.fields) {
      this->field(each);
    }
    html("</fieldset>\n");
    return;
  }
  const bool is_checkbox = field.control == "checkbox";
  html("<div class=\"field").html(is_checkbox ? " tick" : "");
  html(field.errors.empty() ? "\">\n" : " wrong\">\n");
  if (is_checkbox) {
    control(field);
    html(" ");
  }
  html("<label for=\"").text(field.id).html("\">").text(field.label).html("</label>\n");
  if (!is_checkbox) {
    control(field);
    html("\n");
  }
  hint_and_faults(field);
  html("</div>\n");
}

void Writer::faults(const FieldView& field) {
  for (const std::string& error : field.errors) {
    if (is_hidden(field)) {  // no control to link to
      html("<li>").text(field.label).html(": ").text(error).html("</li>\n");
    } else {
      html("<li><a href=\"#").text(field.id).html("\">").text(field.label).html(": ");
      text(error).html("</a></li>\n");
    }
  }
  for (const FieldView& each : field.fields) {
    faults(each);
  }
}

bool is_wrong(const std::vector<FieldView>& fields) {
  for (const FieldView& each : fields) {
    if (!each.errors.empty() || is_wrong(each.fields)) {
      return true;
    }
  }
  return false;
}

const FieldView* find(const std::vector<FieldView>& fields, std::string_view name) {
  for (const FieldView& each : fields) {
    if (each.name == name) {
      return &each;
    }
    if (const FieldView* const within = find(each.fields, name)) {
      return within;
    }
  }
  return nullptr;
}

void append_names(const std::vector<FieldView>& fields, std::vector<std::string>& names) {
  for (const FieldView& each : fields) {
    names.push_back(each.name);
    append_names(each.fields, names);
  }
}

/// where  "pages/note.html:7: "; empty for interpreted templates, which add the place
const FieldView& found(const FormView& form, std::string_view name, const std::string& where) {
  const FieldView* const found = find(form.fields, name);
  if (found == nullptr) {
    std::vector<std::string> names;
    append_names(form.fields, names);
    throw Failure(Error::internal(where + "the form has no field " + std::string(name) +
                                  suggestion(name, names)));
  }
  return *found;
}

/// #line in generated code maps the location to the line of the template.
std::string place_text(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": ";
}

/// Hidden fields of the form are at its beginning, so that no template can forget them.
void append_hidden(Writer& out, const std::vector<FieldView>& fields) {
  for (const FieldView& each : fields) {
    if (is_hidden(each)) {
      out.control(each);
    }
    append_hidden(out, each.fields);
  }
}

std::vector<FieldView> without_hidden(const std::vector<FieldView>& fields) {
  std::vector<FieldView> left;
  for (const FieldView& each : fields) {
    if (!is_hidden(each)) {
      left.push_back(each);
      left.back().fields = without_hidden(each.fields);
    }
  }
  return left;
}

}  // namespace

Markup form_begin(const FormView& form) {
  Writer out;
  out.html("<form").attribute("method", form.method);
  out.attribute_unless_empty("action", form.action);
  out.attribute_unless_empty("enctype", form.encoding);
  out.flag("novalidate", !form.is_checked_by_browser).html(">\n");
  if (!form.token_name.empty()) {
    out.html("<input type=\"hidden\"").attribute("name", form.token_name);
    out.attribute("value", form.token).html(">\n");
  }
  append_hidden(out, form.fields);
  return out.done();
}

/// The list gets the focus when the page is shown, even without scripts.
Markup form_errors(const FormView& form) {
  Writer out;
  if (form.errors.empty() && !is_wrong(form.fields)) {
    return {};
  }
  out.html("<div class=\"errors\" role=\"alert\" tabindex=\"-1\" autofocus>\n<p>");
  out.text(form.heading).html("</p>\n<ul>\n");
  for (const std::string& error : form.errors) {
    out.html("<li>").text(error).html("</li>\n");
  }
  for (const FieldView& each : form.fields) {
    out.faults(each);
  }
  out.html("</ul>\n</div>\n");
  return out.done();
}

Markup form_fields(const FormView& form) {
  Writer out;
  for (const FieldView& each : without_hidden(form.fields)) {
    out.field(each);
  }
  return out.done();
}

Markup form_end(const FormView& form) {
  Writer out;
  if (!form.submit.empty()) {
    out.html("<p class=\"actions\"><button class=\"primary\">").text(form.submit);
    out.html("</button></p>\n");
  }
  out.html("</form>\n");
  return out.done();
}

Markup form(const FormView& form) {
  return Markup(form_begin(form).html() + form_errors(form).html() + form_fields(form).html() +
                form_end(form).html());
}

Markup row(const FieldView& field) {
  Writer out;
  out.field(field);
  return out.done();
}
Markup bare_control(const FieldView& field) {
  Writer out;
  out.control(field);
  return out.done();
}
Markup field(const FormView& form, std::string_view name, std::source_location where) {
  return row(found(form, name, place_text(where)));
}
Markup control(const FormView& form, std::string_view name, std::source_location where) {
  return bare_control(found(form, name, place_text(where)));
}

void add_form_filters(FilterSet& filters) {
  filters.add("form", form).add("form_begin", form_begin).add("form_errors", form_errors);
  filters.add("form_fields", form_fields).add("form_end", form_end);
  filters.add(
      "field",
      +[](const FormView& form, std::string_view name) { return row(found(form, name, {})); });
  filters.add(
      "control", +[](const FormView& form, std::string_view name) {
        return bare_control(found(form, name, {}));
      });
  filters.add("row", row).add("bare_control", bare_control);
}

}  // namespace eider::views
