#include "eider/protocols/http/parameters.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

void FieldScanner::skip_blanks() noexcept {
  while (!rest_.empty() && is_blank(rest_.front())) {
    rest_.remove_prefix(1);
  }
}

bool FieldScanner::accept(char byte) noexcept {
  if (!rest_.starts_with(byte)) {
    return false;
  }
  rest_.remove_prefix(1);
  return true;
}

std::string_view FieldScanner::token() noexcept {
  std::size_t size = 0;
  while (size < rest_.size() && is_token_byte(rest_[size])) {
    ++size;
  }
  const std::string_view token = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return token;
}

/// quoted-string = DQUOTE *( qdtext / quoted-pair ) DQUOTE
std::optional<std::string_view> FieldScanner::quoted() noexcept {
  if (!rest_.starts_with('"')) {
    return std::nullopt;
  }
  for (std::size_t at = 1; at < rest_.size(); ++at) {
    if (rest_[at] == '"') {
      const std::string_view inside = rest_.substr(1, at - 1);
      rest_.remove_prefix(at + 1);
      return inside;
    }
    // A backslash at the end escapes nothing: the string is then incomplete.
    if (rest_[at] == '\\') {
      ++at;
    }
    if (at == rest_.size() || !is_value_byte(rest_[at])) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::string unescape_quoted(std::string_view inside) {
  std::string text;
  text.reserve(inside.size());
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (inside[at] == '\\' && at + 1 < inside.size()) {
      ++at;
    }
    text.push_back(inside[at]);
  }
  return text;
}

std::string_view without_parameters(std::string_view field_value) noexcept {
  return trim(field_value.substr(0, field_value.find(';')));
}

ParameterReader::ParameterReader(std::string_view field_value) noexcept
    : scanner_(field_value.substr(std::min(field_value.find(';'), field_value.size()))) {}

std::optional<Parameter> ParameterReader::stop() noexcept {
  scanner_ = FieldScanner({});
  is_malformed_ = true;
  return std::nullopt;
}

/// parameters = *( OWS ";" OWS [ parameter ] ); parameter = token "=" ( token / quoted-string )
std::optional<Parameter> ParameterReader::next() noexcept {
  scanner_.skip_blanks();
  while (scanner_.accept(';')) {
    scanner_.skip_blanks();
    const std::string_view name = scanner_.token();
    if (name.empty()) {
      continue;
    }
    if (!scanner_.accept('=')) {
      return stop();
    }
    if (const std::optional<std::string_view> inside = scanner_.quoted()) {
      return Parameter{name, *inside, true};
    }
    // The value may be empty: some clients send "filename=" for a field without a file.
    return Parameter{name, scanner_.token(), false};
  }
  return scanner_.is_at_end() ? std::nullopt : stop();
}

FoundParameter find_parameter(std::string_view field_value, std::string_view name) noexcept {
  FoundParameter found{ParameterSearch::absent};
  ParameterReader parameters(field_value);
  while (const std::optional<Parameter> parameter = parameters.next()) {
    if (equals_ignoring_case(parameter->name, name)) {
      const bool is_first = found.outcome == ParameterSearch::absent;
      found = {is_first ? ParameterSearch::found : ParameterSearch::doubled, *parameter};
    }
  }
  // A malformed rest makes the whole field malformed, even if the name was found before.
  return parameters.is_malformed() ? FoundParameter{ParameterSearch::malformed} : found;
}

}  // namespace eider
