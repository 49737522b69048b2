#include "eider/web/forms/form_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/core/reflect/wording.h"
#include "eider/protocols/http/multipart.h"

namespace eider::forms::detail {

namespace {

using reflect::Kind;
using reflect::Type;
using Form = ShapeField::Form;
namespace wording = reflect::wording;

constexpr std::size_t kNameBytesMax = 100;
constexpr reflect::Wording kNotAFile = {TextFormat<FormFile>::kSchema.format,
                                        TextFormat<FormFile>::kSchema.requirement};

void add(std::vector<FieldError>& faults, std::string pointer, const Requirement& broken) {
  if (faults.size() < ValidationErrors::kMax) {
    faults.push_back(field_error(std::move(pointer), broken));
  }
}

/// Returns a name as one part of a pointer, so that an unknown name "a/b" is not the member b of a.
std::string pointer_of(std::string_view name) {
  std::string pointer;
  for (const char byte : name) {
    if (byte == '~' || byte == '/') {
      pointer += byte == '~' ? "~0" : "~1";
    } else {
      pointer += byte;
    }
  }
  return pointer;
}

bool takes_many(const ShapeField& field) noexcept {
  return field.form == Form::lines || field.form == Form::choices;
}

/// Collects the values of each name.
class Collector {
 public:
  Collector(const FormShape& shape, std::string_view token_name)
      : passed_(shape.passed), token_name_(token_name) {
    enter(shape.fields);
  }

  void take(std::string_view name, std::string value) {
    Slot* const slot = find(name);
    if (slot == nullptr) {
      return;
    }
    if (slot->field->form == Form::file) {
      // The part has no file name, or the form is not multipart: the file must not be lost
      // silently.
      if (!value.empty()) {
        add(form_.faults, slot->field->pointer, kNotAFile);
      }
    } else if (slot->typed->values.size() < 2 || takes_many(*slot->field)) {
      slot->typed->values.push_back(std::move(value));
    }
  }
  /// A browser sends an empty file without a name if no file was selected.
  void take(std::string_view name, FormFile file) {
    Slot* const slot = find(name);
    if (slot != nullptr && slot->field->form == Form::file &&
        !(file.name.empty() && file.bytes.empty())) {
      slot->typed->file = std::move(file);
    }
  }
  void refuse(std::string_view name, const Requirement& broken) {
    const Slot* const slot = find(name);
    if (slot != nullptr) {
      add(form_.faults, slot->field->pointer, broken);
    }
  }
  [[nodiscard]] TypedForm done() { return std::move(form_); }

 private:
  struct Slot {
    const ShapeField* field;
    TypedField* typed;
  };

  void enter(const std::vector<ShapeField>& fields) {
    for (const ShapeField& each : fields) {
      if (each.form == Form::group) {
        enter(each.fields);
      } else {
        slots_.emplace(each.name, Slot{&each, &form_.fields[each.name]});
      }
    }
  }
  /// Returns null for ignored names, and for unknown ones, which are reported.
  Slot* find(std::string_view name) {
    const auto found = slots_.find(name);
    if (found != slots_.end()) {
      return &found->second;
    }
    const bool is_token = !token_name_.empty() && name == token_name_;
    if (!is_token && std::ranges::find(passed_, name) == passed_.end()) {
      add(form_.faults, pointer_of(name.substr(0, kNameBytesMax)), wording::kUnknown);
    }
    return nullptr;
  }

  std::span<const std::string_view> passed_;
  std::string_view token_name_;
  TypedForm form_;
  std::map<std::string_view, Slot> slots_;
};

/// The part of a multipart form that is being read.
struct OpenPart {
  std::string name;
  std::optional<std::string> filename;
  std::string content_type;
  std::string content;
};

void close(Collector& to, OpenPart part) {
  if (part.filename) {
    to.take(part.name, FormFile{std::move(*part.filename), std::move(part.content_type),
                                std::move(part.content)});
  } else {
    to.take(part.name, std::move(part.content));
  }
}

Error error_of(MultipartRefusal refusal) {
  const MultipartRefusalInfo& info = refusal_info(refusal);
  return {info.status, std::string(info.text)};
}

/// Fills a struct and its nested structs.
class Filler {
 public:
  explicit Filler(const TypedForm& typed) : typed_(typed), faults_(typed.faults) {}

  void fill(const std::vector<ShapeField>& fields, const Type& type, void* object,
            const std::string& pointer, bool checks_struct = true) {
    const std::size_t wrong_before = wrong_;
    for (const ShapeField& field : fields) {
      void* const member = static_cast<char*>(object) + field.offset;
      if (field.form == Form::group) {
        fill_group(field, member);
        continue;
      }
      // Values that could not be decoded are already reported.
      if (!is_told(field)) {
        read(field, typed_.fields.find(field.name)->second, member);
      }
    }
    const reflect::Structure& structure = type.structure();
    if (checks_struct && structure.check != nullptr && wrong_ == wrong_before &&
        typed_.faults.empty()) {
      check(structure, object, pointer);
    }
  }
  [[nodiscard]] std::vector<FieldError> done() { return std::move(faults_); }

 private:
  void fill_group(const ShapeField& field, void* member) {
    const std::size_t wrong_before = wrong_;
    fill(field.fields, reflect::without_rules(*field.type), member, field.pointer);
    if (wrong_ == wrong_before && typed_.faults.empty()) {
      ask_rules(field, member);
    }
  }
  /// Checks the constraints of the complete member; inner ones first, because outer ones may rely
  /// on them.
  void ask_rules(const ShapeField& field, const void* member) {
    std::vector<const Type*> levels;
    for (const Type* type = field.type; type->kind == Kind::kConstrained;
         type = type->constraint().value) {
      levels.insert(levels.begin(), type);
    }
    for (const Type* const each : levels) {
      const auto broken = reflect::broken_requirements(each->constraint(), member);
      if (!broken.empty()) {
        return tell(field, broken);
      }
    }
  }

  [[nodiscard]] bool is_told(const ShapeField& field) const {
    return std::ranges::find(typed_.faults, field.pointer, &FieldError::pointer) !=
           typed_.faults.end();
  }
  void tell(const ShapeField& field, const Requirement& broken) {
    ++wrong_;
    add(faults_, field.pointer, broken);
  }
  void tell(const ShapeField& field, const std::vector<Requirement>& broken) {
    for (const Requirement& each : broken) {
      tell(field, each);
    }
  }

  void check(const reflect::Structure& structure, const void* object, const std::string& pointer) {
    ValidationErrors found(structure, object);
    structure.check(object, found);
    for (FieldError& fault : found.found()) {
      const std::string whole = pointer + fault.pointer;
      fault.pointer = whole.substr(whole.starts_with('/') ? 1 : 0);
      ++wrong_;
      if (faults_.size() < ValidationErrors::kMax) {
        faults_.push_back(std::move(fault));
      }
    }
  }

  void read(const ShapeField& field, const TypedField& typed, void* member) {
    switch (field.form) {
      case Form::text:
        return read_text(field, typed, member);
      case Form::flag:
        return read_flag(field, typed, member);
      case Form::lines:
        return read_lines(field, typed, member);
      case Form::choices:
        return read_list(field, typed.values, member);
      case Form::file:
        return read_file(field, typed, member);
      case Form::group:
        return;
    }
  }

  void read_text(const ShapeField& field, const TypedField& typed, void* member) {
    if (typed.values.size() > 1) {
      return tell(field, wording::kTakenTwice);
    }
    const bool is_string = reflect::without_rules(*field.type).kind == Kind::kString;
    const bool is_empty = typed.values.empty() || typed.values.front().empty();
    if (is_empty && field.is_optional) {
      reflect::without_rules(*field.type).optional().set_null(member);
      return ask_rules(field, member);
    }
    if (is_empty && (typed.values.empty() || !is_string)) {
      return field.has_default ? void() : tell(field, wording::kMissing);
    }
    const std::string& value = typed.values.front();
    const bool has_breaks = field.control == "textarea" || field.control == "hidden";
    const auto read =
        reflect::read_text(*field.type, member, has_breaks ? with_plain_breaks(value) : value);
    if (!read) {
      tell(field, read.error());
    }
  }

  /// Browsers send nothing for a checkbox that is not ticked.
  void read_flag(const ShapeField& field, const TypedField& typed, void* member) {
    if (typed.values.size() > 1) {
      return tell(field, wording::kTakenTwice);
    }
    const std::string_view value =
        typed.values.empty() ? "false" : std::string_view(typed.values.front());
    if (const auto read = reflect::read_text(*field.type, member, value == "on" ? "true" : value);
        !read) {
      tell(field, read.error());
    }
  }

  /// Texts are kept unchanged, as for a single text; whitespace around numbers and dates is
  /// removed.
  void read_lines(const ShapeField& field, const TypedField& typed, void* member) {
    if (typed.values.empty() && field.has_default && field.chosen_with.empty()) {
      return;
    }
    const Type& list = reflect::without_rules(*field.type);
    const Type& element = list.kind == Kind::kSet ? *list.set().element : *list.sequence().element;
    const bool is_text = reflect::without_rules(element).kind == Kind::kString;
    std::vector<std::string> lines;
    for (const std::string& value : typed.values) {
      const std::string text = with_plain_breaks(value);
      for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = take_until(rest, "\n");
        if (const std::string_view trimmed = trim(line); !trimmed.empty()) {
          lines.emplace_back(is_text ? line : trimmed);
        }
      }
    }
    read_list(field, lines, member);
  }

  void read_list(const ShapeField& field, const std::vector<std::string>& values, void* member) {
    const std::size_t wrong_before = wrong_;
    const Type& type = reflect::without_rules(*field.type);
    clear_list(type, member);
    for (const std::string& value : values) {
      if (faults_.size() >= ValidationErrors::kMax) {
        return;
      }
      type.kind == Kind::kSet ? void(add_to_set(field, type.set(), member, value))
                              : void(read_element(field, *type.sequence().element,
                                                  type.sequence().append(member), value));
    }
    if (wrong_ == wrong_before) {
      ask_rules(field, member);
    }
  }

  bool read_element(const ShapeField& field, const Type& type, void* element,
                    const std::string& value) {
    const auto read = reflect::read_text(type, element, value);
    if (!read) {
      tell(field, read.error());
    }
    return read.has_value();
  }

  bool add_to_set(const ShapeField& field, const reflect::Set& set, void* elements,
                  const std::string& value) {
    auto read = [&](void* element) { return read_element(field, *set.element, element, value); };
    const auto added = set.add(elements, &read, [](void* context, void* element) {
      return (*static_cast<decltype(read)*>(context))(element);
    });
    if (added == reflect::Set::Added::kDoubled) {
      tell(field, wording::kHeldTwice);
    } else if (added == reflect::Set::Added::kCrowded) {
      tell(field, wording::kCrowded);
    }
    return added == reflect::Set::Added::kNew;
  }

  void read_file(const ShapeField& field, const TypedField& typed, void* member) {
    if (!typed.file) {
      if (field.is_optional) {
        return ask_rules(field, member);
      }
      return field.has_default ? void() : tell(field, wording::kNoFile);
    }
    const Type* type = field.type;
    std::vector<const Type*> rules;
    while (type->kind == Kind::kOptional || type->kind == Kind::kConstrained) {
      if (type->kind == Kind::kOptional) {
        member = type->optional().emplace(member);
        type = type->optional().value;
      } else {
        rules.push_back(type);
        type = type->constraint().value;
      }
    }
    *static_cast<FormFile*>(member) = *typed.file;
    for (const Type* const each : rules) {
      tell(field, reflect::broken_requirements(each->constraint(), member));
    }
  }

  const TypedForm& typed_;
  std::vector<FieldError> faults_;
  std::size_t wrong_ = 0;  // includes errors beyond the maximum that is reported
};

}  // namespace

bool TypedForm::has(std::string pointer) const {
  std::ranges::replace(pointer, '/', '.');
  const auto found = fields.find(pointer);
  return found != fields.end() && !found->second.values.empty() &&
         !found->second.values.front().empty();
}

TypedForm read_pairs(const FormShape& shape, std::string_view pairs, std::string_view token_name) {
  Collector collected(shape, token_name);
  QueryReader query(without_bom(pairs));
  while (const auto pair = query.next()) {
    const auto name = percent_decode(pair->name, Plus::space);
    auto value = percent_decode(pair->value, Plus::space);
    const std::string known(name ? *name : pair->name);
    if (!name || !value) {
      collected.refuse(known, wording::kBadEscape);
    }
    if (name) {
      collected.take(known, value ? std::move(*value) : std::string(pair->value));
    }
  }
  return collected.done();
}

Result<TypedForm> read_parts(const FormShape& shape, std::string_view content_type,
                             std::string_view content, std::string_view token_name) {
  const auto boundary = multipart_boundary(content_type);
  if (!boundary) {
    return fail(error_of(boundary.error()));
  }
  Collector collected(shape, token_name);
  MultipartReader reader(*boundary);
  OpenPart part;
  while (true) {
    const MultipartStep step = reader.read(content);
    content.remove_prefix(step.consumed);
    switch (step.status) {
      case MultipartStatus::part_begin: {
        const MultipartPart& head = reader.part();
        part = {std::string(head.name), {}, std::string(head.content_type), {}};
        if (head.filename) {
          part.filename.emplace(*head.filename);
        }
        break;
      }
      case MultipartStatus::part_data:
        part.content += step.data;
        break;
      case MultipartStatus::part_end:
        close(collected, std::exchange(part, {}));
        break;
      case MultipartStatus::end:
        break;
      case MultipartStatus::refused:
        return fail(error_of(reader.refusal()));
      case MultipartStatus::need_more:
        if (reader.finish().status == MultipartStatus::refused) {
          return fail(error_of(reader.refusal()));
        }
        return collected.done();
    }
  }
}

std::vector<FieldError> fill(const FormShape& shape, void* object, const TypedForm& typed,
                             bool checks_struct) {
  Filler filler(typed);
  filler.fill(shape.fields, *shape.type, object, "", checks_struct);
  return filler.done();
}

void clear_list(const reflect::Type& list, void* object) {
  list.kind == Kind::kSet ? list.set().clear(object) : list.sequence().clear(object);
}

std::string with_plain_breaks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      i += text.substr(i + 1).starts_with('\n') ? 1 : 0;
      out += '\n';
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace eider::forms::detail
