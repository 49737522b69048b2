#include "eider/web/forms/form_shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/translation.h"
#include "eider/core/json/read.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scratch.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/type_of.h"
#include "eider/web/forms/form_reader.h"
#include "eider/web/forms/form_words.h"
#include "eider/web/forms/html_rules.h"
#include "eider/web/views/value.h"

namespace eider::forms::detail {

namespace {

using reflect::Kind;
using reflect::Member;
using reflect::Structure;
using reflect::Type;
using Form = ShapeField::Form;
using views::held_type;

constexpr std::uint64_t kNumberChoicesMax = 100;

/// The rules of a type as JSON Schema keywords with plain text values.
using Keywords = std::map<std::string, std::string, std::less<>>;

/// If two rules have the same keyword, the browser gets the first one; the server checks both.
void add_keywords(Keywords& words, const Type& type) {
  if (type.kind == Kind::kOptional) {
    return add_keywords(words, *type.optional().value);
  }
  if (type.kind != Kind::kConstrained) {
    return;
  }
  add_keywords(words, *type.constraint().value);
  for (const reflect::Rule& rule : type.constraint()) {
    for (const Requirement::Keyword& keyword :
         reflect::requirement(type.constraint(), rule).keywords) {
      const auto text = json::read<std::string>(keyword.json);
      words.emplace(keyword.name, text ? *text : keyword.json);
    }
  }
}

std::optional<std::int64_t> integer_of(const Keywords& words, std::string_view name) {
  const auto found = words.find(name);
  return found == words.end() ? std::nullopt : parse_int64(found->second);
}

/// Creates the fields of one struct. The texts of its members are found by a path from the
/// outermost struct.
class ShapeMaker {
 public:
  ShapeMaker(const Type& outermost, std::span<const FieldText> texts)
      : outermost_(outermost), texts_(texts) {}

  std::vector<ShapeField> fields(const Type& type, const ShapeField* outer) {
    const Structure& structure = type.structure();
    const reflect::detail::Scratch trial(type, structure.construct);  // a T{} for trying values
    std::vector<ShapeField> made;
    for (std::size_t i = 0; i < structure.count; ++i) {
      made.push_back(field(structure, i, trial.object(), outer));
    }
    return made;
  }

  [[nodiscard]] bool has_files() const noexcept { return has_files_; }

 private:
  ShapeField field(const Structure& structure, std::size_t index, void* trial,
                   const ShapeField* outer) {
    const Member& member = structure.first[index];
    ShapeField made;
    made.name = (outer != nullptr ? outer->name + "." : "") + std::string(member.name);
    made.pointer = (outer != nullptr ? outer->pointer + "/" : "") + std::string(member.name);
    made.id = made.name;
    std::ranges::replace(made.id, '.', '-');
    made.type = member.type;
    made.offset = member.offset;
    made.has_default = structure.has_default(index);
    made.is_optional = reflect::without_rules(*member.type).kind == Kind::kOptional;
    const FieldText text = text_of(made.name);
    made.label = text.label.empty() ? label_of(member.name) : std::string(text.label);
    made.hint = text.hint.empty() ? structure.text_about(member.name).description : text.hint;
    choose(made, text, member.name);
    if (made.form != Form::group) {
      made.is_required = asks(made, member.in(trial));
      offer_nothing(made, made.control, made.choices);
    }
    return made;
  }

  [[nodiscard]] FieldText text_of(std::string_view name) const {
    const auto found = std::ranges::find(texts_, name, &FieldText::member);
    return found == texts_.end() ? FieldText{.member = name} : *found;
  }

  [[nodiscard]] static bool breaks_rules(const Type& type, const void* value) {
    return type.kind == Kind::kConstrained &&
           (!reflect::broken_requirements(type.constraint(), value).empty() ||
            breaks_rules(*type.constraint().value, value));
  }

  /// Returns whether the browser must require a value: uses the same check as the reader, so that
  /// both agree.
  [[nodiscard]] static bool asks(const ShapeField& field, void* value) {
    if (field.is_optional) {
      reflect::without_rules(*field.type).optional().set_null(value);
      return breaks_rules(*field.type, value);
    }
    const Kind kind = reflect::without_rules(*field.type).kind;
    switch (field.form) {
      case Form::text:
        return (kind == Kind::kString || !field.has_default) &&
               !reflect::read_text(*field.type, value, "");
      case Form::file:
        return !field.has_default;
      case Form::flag:
        return field.type->kind == Kind::kConstrained &&
               !reflect::read_text(*field.type, value, "false");
      case Form::lines:
        clear_list(reflect::without_rules(*field.type), value);
        return breaks_rules(*field.type, value);
      case Form::choices:
      case Form::group:
        return false;
    }
    std::unreachable();
  }

  void choose(ShapeField& made, const FieldText& text, std::string_view name) {
    const Type& type = held_type(*made.type);
    Keywords words;
    add_keywords(words, *made.type);
    if (&type == &reflect::type_of<FormFile>()) {
      made.form = Form::file;
      has_files_ = true;
      set_input(made, "file");
    } else if (type.kind == Kind::kStruct && !made.is_optional) {
      made.form = Form::group;
      made.control = "group";
      made.fields = fields(type, &made);
    } else if (!made.is_optional && (type.kind == Kind::kSequence || type.kind == Kind::kSet)) {
      choose_list(made, text,
                  type.kind == Kind::kSet ? *type.set().element : *type.sequence().element);
    } else if (!reflect::is_text_type(*made.type)) {
      refuse(made);
    } else {
      choose_one(made, text, type, words);
      keep_secret(made, text, type);
      add_completion(made, text, name, words);
    }
    const bool is_one = made.form == Form::text || made.form == Form::flag;
    set_chosen_with(made, text);
    if ((text.control == Control::hidden && !is_one) ||
        (text.control == Control::checkboxes && made.control != "checkboxes" &&
         made.chosen_with.empty()) ||
        (text.control == Control::password && !made.is_secret)) {
      refuse(made);
    }
    if (text.control == Control::hidden) {
      made.control = "hidden";
    }
  }

  static void set_chosen_with(ShapeField& made, const FieldText& text) {
    const bool is_typed = made.form == Form::text && made.control == "input";
    if (text.control == Control::checkboxes && made.form == Form::lines) {
      made.chosen_with = "checkboxes";
    } else if (text.control == Control::select && is_typed) {
      made.chosen_with = "select";
    } else if (text.control == Control::radios && is_typed) {
      made.chosen_with = "radios";
    }
  }

  /// Only single-line controls can be secret, for a number as well as for a text.
  static void keep_secret(ShapeField& made, const FieldText& text, const Type& type) {
    const bool is_number = type.kind == Kind::kSigned || type.kind == Kind::kUnsigned;
    const bool is_secret =
        text.control == Control::password ||
        (text.control == Control::automatic && is_number && is_password(made.name) &&
         made.name.substr(made.name.rfind('.') + 1) == "pin");
    if (!is_secret || made.control != "input") {
      return;
    }
    made.input_type = "password";
    made.is_secret = true;
    std::erase_if(made.attributes, [](const FieldAttribute& each) {
      return each.name == "min" || each.name == "max" || each.name == "step";
    });
  }

  [[noreturn]] void refuse(const ShapeField& field) const {
    throw Failure(Error::internal("No form control is available for " + field.name + " of " +
                                  std::string(outermost_.name)));
  }

  void choose_list(ShapeField& made, const FieldText& text, const Type& element) {
    if (held_type(element).kind == Kind::kEnum) {
      made.form = Form::choices;
      made.control = "checkboxes";
      add_enumerators(made, held_type(element));
    } else if (reflect::is_text_type(element) &&
               &held_type(element) != &reflect::type_of<FormFile>()) {
      made.form = Form::lines;
      if (made.hint.empty() && text.control != Control::checkboxes) {
        made.hint = words::kOnePerLine;
      }
      set_textarea(made, text, 4);
    } else {
      refuse(made);
    }
  }

  void choose_one(ShapeField& made, const FieldText& text, const Type& type,
                  const Keywords& words) {
    switch (type.kind) {
      case Kind::kBool:
        return choose_bool(made);
      case Kind::kSigned:
      case Kind::kUnsigned:
      case Kind::kReal:
        return choose_number(made, text, type, words);
      case Kind::kEnum:
        made.control = text.control == Control::radios ? "radios" : "select";
        return add_enumerators(made, type);
      case Kind::kText:
        return choose_kind(made, *type.text().schema);
      default:
        return choose_text(made, text, words);
    }
  }

  static void choose_bool(ShapeField& made) {
    if (made.is_optional) {
      made.control = "select";
      made.choices = {{"true", std::string(words::kYes)}, {"false", std::string(words::kNo)}};
      return;
    }
    made.form = Form::flag;
    made.control = "checkbox";
  }

  void choose_number(ShapeField& made, const FieldText& text, const Type& type,
                     const Keywords& words) {
    const auto min = integer_of(words, "minimum");
    const auto max = integer_of(words, "maximum");
    const bool is_list = text.control == Control::radios || text.control == Control::select;
    if (is_list && type.kind != Kind::kReal && min && max &&
        static_cast<std::uint64_t>(*max) - static_cast<std::uint64_t>(*min) < kNumberChoicesMax) {
      made.control = text.control == Control::radios ? "radios" : "select";
      for (std::int64_t each = *min;; ++each) {
        made.choices.push_back({std::to_string(each), std::to_string(each)});
        if (each == *max) {  // incrementing the maximum of its type would overflow
          return;
        }
      }
    }
    set_input(made, "number");
    const bool is_natural = type.kind == Kind::kUnsigned || (min && *min >= 0);
    if (is_natural) {
      made.attributes.push_back({"inputmode", type.kind == Kind::kReal ? "decimal" : "numeric"});
    }
    copy(made, words, "minimum", "min");
    if (type.kind == Kind::kUnsigned && !words.contains("minimum")) {
      made.attributes.push_back({"min", "0"});
    }
    copy(made, words, "maximum", "max");
    const auto step = integer_of(words, "multipleOf");
    if (type.kind == Kind::kReal) {
      made.attributes.push_back({"step", "any"});
    } else if (step && *step > 0 && min.value_or(0) % *step == 0) {  // counted from `min`
      made.attributes.push_back({"step", std::to_string(*step)});
    }
  }

  static void choose_kind(ShapeField& made, const TextSchema& schema) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kTypes = {
        {{"date", "date"}, {"time-of-day", "time"}, {"local-date-time", "datetime-local"}}};
    for (const auto& [format, type] : kTypes) {
      if (schema.format == format) {
        set_input(made, type);
        if (format != "date") {  // otherwise browsers reject times with seconds
          made.attributes.push_back({"step", "any"});
        }
        return;
      }
    }
    set_input(made, "text");
    if (schema.format == "decimal") {
      made.attributes.push_back({"inputmode", "decimal"});
    }
    if (const std::string pattern = browser_pattern(schema.pattern); !pattern.empty()) {
      made.attributes.push_back({"pattern", pattern});
      made.attributes.push_back({"title", std::string(schema.requirement)});
    }
    if (!schema.example.empty()) {
      made.attributes.push_back({"placeholder", std::string(schema.example)});
    }
  }

  static void choose_text(ShapeField& made, const FieldText& text, const Keywords& words) {
    if (const auto all = words.find("enum"); all != words.end()) {
      if (const auto names = json::read<std::vector<std::string>>(all->second)) {
        made.control = text.control == Control::radios ? "radios" : "select";
        for (const std::string& name : *names) {
          made.choices.push_back({name, label_of(name)});
        }
        return;
      }
    }
    const auto format = words.find("format");
    const std::string_view said = format == words.end() ? "" : std::string_view(format->second);
    if (text.control == Control::textarea) {
      set_textarea(made, text, 6);
    } else if (text.control == Control::password ||
               (text.control == Control::automatic && is_password(made.name))) {
      set_input(made, "password");
      made.is_secret = true;
    } else {
      set_input(made, said == "email" ? "email" : said == "uri" ? "url" : "text");
    }
    if (integer_of(words, "minLength").value_or(0) > 1) {
      copy(made, words, "minLength", "minlength");
    }
    copy(made, words, "maxLength", "maxlength");
    const auto pattern = words.find("pattern");
    if (made.control == "input" && pattern != words.end()) {
      if (std::string translated = browser_pattern(pattern->second); !translated.empty()) {
        made.attributes.push_back({"pattern", std::move(translated)});
      }
    }
  }

  static void set_input(ShapeField& made, std::string_view type) {
    made.control = "input";
    made.input_type = type;
  }
  static void set_textarea(ShapeField& made, const FieldText& text, unsigned rows) {
    made.control = "textarea";
    made.attributes.push_back({"rows", std::to_string(text.rows != 0 ? text.rows : rows)});
    if (!text.placeholder.empty()) {
      made.attributes.push_back({"placeholder", std::string(text.placeholder)});
    }
  }
  static void copy(ShapeField& made, const Keywords& words, std::string_view from,
                   std::string_view to) {
    if (const auto found = words.find(from); found != words.end()) {
      made.attributes.push_back({std::string(to), found->second});
    }
  }
  static void add_enumerators(ShapeField& made, const Type& type) {
    for (const reflect::Enumerator& each : type.enumeration()) {
      made.choices.push_back({std::string(each.name), label_of(each.name)});
    }
  }

  static void add_completion(ShapeField& made, const FieldText& text, std::string_view name,
                             const Keywords& words) {
    if (made.control != "input" && made.control != "textarea" && made.control != "select") {
      return;
    }
    const std::string_view token =
        text.autocomplete.empty() ? completion_of(made, name, words) : text.autocomplete;
    if (!token.empty()) {
      made.attributes.push_back({"autocomplete", std::string(token)});
    }
    if (!text.placeholder.empty() && made.control == "input") {
      std::erase_if(made.attributes,
                    [](const FieldAttribute& each) { return each.name == "placeholder"; });
      made.attributes.push_back({"placeholder", std::string(text.placeholder)});
    }
  }

  static std::string_view completion_of(const ShapeField& made, std::string_view name,
                                        const Keywords& words) {
    // Tokens that follow from the name of the member alone (HTML, "Autofill").
    constexpr std::array<std::string_view, 17> kTokens = {
        "username",       "given-name",    "family-name",   "nickname",    "organization", "tel",
        "street-address", "address-line1", "address-line2", "postal-code", "country-name", "bday",
        "one-time-code",  "cc-name",       "cc-number",     "cc-exp",      "email"};
    if (made.is_secret) {
      return name.contains("new") || name.contains("repeat") || name.contains("confirm")
                 ? "new-password"
                 : "current-password";
    }
    std::string dashed(name);
    std::ranges::replace(dashed, '_', '-');
    if (const auto* const found = std::ranges::find(kTokens, dashed); found != kTokens.end()) {
      return *found;
    }
    const auto format = words.find("format");
    return format != words.end() && format->second == "email" ? "email" : "";
  }

  /// Returns whether the last part of a member's name is that of a password.
  static bool is_password(std::string_view name) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    return last.contains("password") || last.contains("passphrase") || last == "pin";
  }

  const Type& outermost_;
  std::span<const FieldText> texts_;
  bool has_files_ = false;
};

/// Returns all IDs that a field has on the page (views/form_view.h).
std::vector<std::string> ids_of(const ShapeField& field) {
  std::vector<std::string> ids = {field.id, field.id + "-hint", field.id + "-error"};
  for (std::size_t number = 2; number <= field.choices.size(); ++number) {
    ids.push_back(field.id + "-" + std::to_string(number));
  }
  return ids;
}

/// Makes the IDs unique: the hint of a group `x` has the ID "x-hint", and so would its member
/// `hint`.
void tell_ids_apart(std::vector<ShapeField>& fields, std::set<std::string>& taken) {
  for (ShapeField& field : fields) {
    while (std::ranges::any_of(ids_of(field),
                               [&](const std::string& id) { return taken.contains(id); })) {
      field.id += "-field";
    }
    for (std::string& id : ids_of(field)) {
      taken.insert(std::move(id));
    }
    tell_ids_apart(field.fields, taken);
  }
}

}  // namespace

FormShape make_shape(const Type& type, std::span<const FieldText> texts,
                     std::span<const std::string_view> passed) {
  ShapeMaker maker(type, texts);
  FormShape shape{&type, maker.fields(type, nullptr), passed, false};
  shape.has_files = maker.has_files();
  std::set<std::string> ids;
  tell_ids_apart(shape.fields, ids);
  return shape;
}

void offer_nothing(const ShapeField& field, std::string_view control,
                   std::vector<FieldChoice>& choices) {
  if (control == "select" && (field.is_optional || !field.has_default)) {
    choices.insert(choices.begin(), {"", "", false});
  } else if (control == "radios" && field.is_optional) {  // they cannot be deselected
    choices.insert(choices.begin(), {"", std::string(words::kNone), false});
  }
}

}  // namespace eider::forms::detail
