#include "eider/protocols/http/disposition.h"

#include <algorithm>
#include <array>

#include "eider/core/base/hidden_text.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/parameters.h"

namespace eider {

namespace {

struct Unescaped {
  std::string_view escape;
  char byte;
};
constexpr Unescaped kEscapes[] = {{"%22", '"'},  {"%0D", '\r'}, {"%0d", '\r'}, {"%0A", '\n'},
                                  {"%0a", '\n'}, {"\\\"", '"'}, {"\\\\", '\\'}};
constexpr std::string_view kNotLast = ". ";
/// A leading dot would hide the file, and a command would read a leading '-' as an option.
constexpr std::string_view kNotFirst = ". -";
constexpr std::string_view kUnnamed = "unnamed";
constexpr std::size_t kExtensionBytesMax = 16;

const Unescaped* escape_at_front(std::string_view text) noexcept {
  const auto* found = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                   [&](const auto& one) { return text.starts_with(one.escape); });
  return found == std::end(kEscapes) ? nullptr : found;
}

std::string unescape(std::string_view value) {
  std::string text;
  text.reserve(value.size());
  while (!value.empty()) {
    const std::size_t plain = std::min(value.find_first_of("%\\"), value.size());
    text.append(value.substr(0, plain));
    value.remove_prefix(plain);
    if (const Unescaped* escape = escape_at_front(value)) {
      text.push_back(escape->byte);
      value.remove_prefix(escape->escape.size());
    } else if (!value.empty()) {
      text.push_back(value.front());
      value.remove_prefix(1);
    }
  }
  return text;
}

/// Replaces characters with a meaning for terminals or file systems, and bytes that are not UTF-8,
/// with '_'.
std::string without_odd_characters(std::string_view name) {
  std::string clean = with_hidden_replaced(name, '_');
  std::ranges::replace_if(
      clean, [](char byte) { return std::string_view("<>:\"|?*").contains(byte); }, '_');
  return clean;
}

/// Windows opens a device for these names, with any extension.
bool is_device(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 6> kDevices = {"CON", "PRN",    "AUX",
                                                        "NUL", "CONIN$", "CONOUT$"};
  constexpr std::array<std::string_view, 2> kPorts = {"COM", "LPT"};
  std::string_view stem = name.substr(0, name.find('.'));
  stem = stem.substr(0, stem.find_last_not_of(' ') + 1);
  const auto equals = [](std::string_view text) {
    return [text](std::string_view device) { return equals_ignoring_case(text, device); };
  };
  const std::string_view number = stem.substr(std::min<std::size_t>(3, stem.size()));
  const bool is_number = (number.size() == 1 && is_digit(number[0])) || number == "\xC2\xB9" ||
                         number == "\xC2\xB2" || number == "\xC2\xB3";
  return std::ranges::any_of(kDevices, equals(stem)) ||
         (is_number && std::ranges::any_of(kPorts, equals(stem.substr(0, 3))));
}

std::string cut_name(std::string_view name, std::size_t bytes_max) {
  const std::size_t dot = name.rfind('.');
  const bool has_extension = dot != std::string_view::npos && dot != 0 &&
                             name.size() - dot <= std::min(kExtensionBytesMax, bytes_max / 2);
  const std::string_view extension = has_extension ? name.substr(dot) : std::string_view();
  const std::string_view stem = name.substr(0, name.size() - extension.size());
  return std::string(cut_utf8(stem, bytes_max - extension.size())).append(extension);
}

}  // namespace

Result<Disposition, MultipartRefusal> read_disposition(std::string_view field_value) {
  if (!equals_ignoring_case(without_parameters(field_value), "form-data")) {
    return fail(MultipartRefusal::bad_disposition);
  }
  const FoundParameter name = find_parameter(field_value, "name");
  const FoundParameter filename = find_parameter(field_value, "filename");
  // RFC 7578, 4.2 allows one name. With two, different programs would use different ones.
  if (name.outcome == ParameterSearch::malformed || name.outcome == ParameterSearch::doubled ||
      filename.outcome == ParameterSearch::doubled) {
    return fail(MultipartRefusal::bad_disposition);
  }
  if (name.outcome == ParameterSearch::absent || name.parameter.value.empty()) {
    return fail(MultipartRefusal::missing_name);
  }
  Disposition disposition{unescape(name.parameter.value), std::nullopt};
  if (!is_utf8(disposition.name)) {
    return fail(MultipartRefusal::bad_name);
  }
  if (filename.outcome == ParameterSearch::found) {
    disposition.filename = unescape(filename.parameter.value);
  }
  return disposition;
}

std::string safe_filename(std::string_view filename, std::size_t bytes_max) {
  // Remove the path first, so that later cuts and replacements cannot create a separator.
  filename.remove_prefix(filename.find_last_of("/\\") + 1);
  std::string clean = without_odd_characters(filename);
  clean.erase(0, std::min(clean.find_first_not_of(kNotFirst), clean.size()));
  if (is_device(clean)) {
    clean.insert(0, 1, '_');
  }
  std::string_view name = clean;
  // Cut the name before trimming its end, because the cut may leave a dot or a blank there.
  const std::string cut = cut_name(name, bytes_max);
  name = cut;
  name = name.substr(0, name.find_last_not_of(kNotLast) + 1);
  return std::string(name.empty() ? kUnnamed : name);
}

std::string attachment_disposition(std::string_view filename) {
  std::string plain(filename);
  std::ranges::replace_if(
      plain, [](char byte) { return byte < ' ' || byte > '~' || byte == '"' || byte == '\\'; },
      '_');
  return "attachment; filename=\"" + plain + "\"; filename*=UTF-8''" + percent_encode(filename);
}

}  // namespace eider
