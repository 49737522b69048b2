#include "eider/web/languages/library_texts.h"

#include <limits>
#include <optional>
#include <vector>

#include "eider/core/reflect/rule.h"
#include "eider/web/languages/library.h"

namespace eider::detail::languages {

namespace {

std::string_view value_of(const std::vector<FieldError::Argument>& arguments,
                          std::string_view name) {
  for (const FieldError::Argument& argument : arguments) {
    if (argument.name == name) {
      return argument.value;
    }
  }
  return {};
}

/// Returns "_min" for "at least 3", "_max" for "at most 3", and "_exact" for "exactly 3".
std::string_view bounds_of(const std::vector<FieldError::Argument>& arguments) {
  static const std::string kUnbounded = std::to_string(std::numeric_limits<std::size_t>::max());
  const std::string_view min = value_of(arguments, "min");
  const std::string_view max = value_of(arguments, "max");
  const bool is_length = !value_of(arguments, "unit").empty();
  if ((is_length && max == kUnbounded) || max == "inf") {
    return "_min";
  }
  if (min == "-inf" || (min == "0" && is_length)) {
    return "_max";
  }
  return !min.empty() && min == max ? "_exact" : "";
}

}  // namespace

std::optional<std::string> text_of_code(const Language& language, const std::string& code,
                                        const std::vector<FieldError::Argument>& arguments) {
  const std::string bounded = code + std::string(bounds_of(arguments));
  const std::string* text = find_text(language, {kErrorContext, bounded});
  if (text == nullptr) {
    text = find_text(language, {kErrorContext, code});
  }
  if (text == nullptr) {
    return std::nullopt;
  }
  Requirement filled{{}, *text};
  for (const FieldError::Argument& argument : arguments) {
    const std::string* const unit =
        argument.name == "unit" ? find_text(language, {{}, argument.value}) : nullptr;
    filled.arguments.push_back({argument.name, unit != nullptr ? *unit : argument.value});
  }
  return to_text(filled);
}

Translator translator_of(Request& request) {
  auto* const languages = request.find<Languages>();
  if (languages == nullptr) {
    return {};
  }
  if (request.find<Translator>() == nullptr) {
    request.set(Extract<Translator>::from(State<Languages>(*languages), request));
  }
  return *request.find<Translator>();
}

std::string error_text(const Translator& tr, const FieldError& error) {
  if (error.code.empty() || !Library::has_languages(tr)) {
    return tr(error.detail);
  }
  auto text = text_of_code(Library::language_of(tr), error.code, error.arguments);
  if (!text) {
    static_cast<void>(tr.context(kErrorContext, error.code));  // logs it during development
  }
  return text ? std::move(*text) : tr(error.detail);
}

std::string error_line(const Translator& tr, const Error& error) {
  std::string line;
  for (const FieldError& field : error.fields()) {
    const std::string label = label_of(field.pointer.substr(field.pointer.rfind('/') + 1));
    line.append(line.empty() ? "" : "; ");
    line.append(label.empty() ? "" : tr(label) + ": ").append(error_text(tr, field));
  }
  return line.empty() ? tr(error.detail()) : line + ".";
}

}  // namespace eider::detail::languages
