#include "eider/app/settings/settings_file.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 16
#if __has_include(<toml++/impl/preprocessor.hpp>)  // 3.4
#include <toml++/impl/preprocessor.hpp>
#else
#include <toml++/impl/preprocessor.h>
#endif
// Malformed files can violate assertions of toml++ 3.3 (for example "[.a", or U+FCFF after a
// value), which would abort the process or cause undefined behavior. The assertions are removed:
// the code after each one reports the error or returns nothing.
#undef TOML_ASSERT
#define TOML_ASSERT(fact) static_cast<void>(0)
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(fact) static_cast<void>(0)
#if __has_include(<toml++/impl/forward_declarations.hpp>)  // 3.4
#include <toml++/impl/forward_declarations.hpp>
#else
#include <toml++/impl/forward_declarations.h>
#endif
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE \
  return {}
#if __has_include(<toml++/impl/unicode.hpp>)  // 3.4
#include <toml++/impl/unicode.hpp>
#else
#include <toml++/impl/unicode.h>
#endif
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE __builtin_unreachable()
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "eider/app/settings/bounded_file.h"
#include "eider/core/base/digits.h"

namespace eider::detail::app {

namespace {

constexpr std::size_t kFileBytesMax = 1024UL * 1024;
constexpr std::size_t kKeyPartsMax = 16;

/// Removes a string from the front, even if it is not terminated.
///
/// text  starts with the quote
void skip_string(std::string_view& text) {
  const char quote = text.front();
  const std::string triple(3, quote);
  const bool is_long = text.starts_with(triple);
  const std::string_view end = is_long ? std::string_view(triple) : text.substr(0, 1);
  std::size_t at = end.size();
  while (at < text.size() && !text.substr(at).starts_with(end) && (is_long || text[at] != '\n')) {
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  }
  at = std::min(text.size(), at + end.size());
  // The three quotes that end a long string may follow two more quotes, which are its last
  // characters.
  for (int more = 0; is_long && more < 2 && at < text.size() && text[at] == quote; ++more) {
    ++at;
  }
  text.remove_prefix(at);
}

/// Each part of a dotted key is a nested table, which toml++ destroys recursively: a key with a
/// hundred thousand parts would overflow the stack.
///
/// returns  the line of the first key with too many parts; 0: none
std::size_t line_of_long_key(std::string_view text) {
  std::size_t dots = 0;
  std::size_t line = 1;
  while (!text.empty()) {
    const char first = text.front();
    if (first == '"' || first == '\'') {
      const std::size_t before = text.size();
      const std::string_view all = text;
      skip_string(text);
      line +=
          static_cast<std::size_t>(std::ranges::count(all.substr(0, before - text.size()), '\n'));
      continue;
    }
    if (first == '#') {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
      continue;
    }
    constexpr std::string_view kEnds = "\n=,{[";
    dots = kEnds.contains(first) ? 0 : dots + (first == '.' ? 1 : 0);
    line += first == '\n' ? 1 : 0;
    if (dots >= kKeyPartsMax) {
      return line;
    }
    text.remove_prefix(1);
  }
  return 0;
}

std::string_view odd_name(const toml::node& node) {
  return node.is_table() ? "a table" : node.is_array() ? "a nested list" : "a date or time";
}

void add_value(SettingLine& line, const toml::node& node) {
  using Kind = OptionSpec::Kind;
  const auto add = [&line](Kind kind, std::string text) {
    line.kinds.push_back(kind);
    line.values.push_back(std::move(text));
  };
  if (const auto* const text = node.as_string()) {
    add(Kind::text, text->get());
  } else if (const auto* const integer = node.as_integer()) {
    add(Kind::integer, std::to_string(integer->get()));
  } else if (const auto* const real = node.as_floating_point()) {
    add(Kind::real, digits_of(real->get()));
  } else if (const auto* const boolean = node.as_boolean()) {
    add(Kind::boolean, boolean->get() ? "true" : "false");
  } else {
    add(Kind::text, {});
    line.odd = odd_name(node);
  }
  line.lines.push_back(node.source().begin.line);
}

void add_lines(std::vector<SettingLine>& lines, const toml::table& table,
               const std::string& prefix) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const toml::table* const inner = node.as_table()) {
      add_lines(lines, *inner, key + ".");
      if (inner->empty()) {
        lines.push_back({.key = key, .line = node.source().begin.line, .is_empty_table = true});
      }
      continue;
    }
    SettingLine line{.key = key, .line = name.source().begin.line, .is_list = node.is_array()};
    if (const toml::array* const list = node.as_array()) {
      for (const toml::node& each : *list) {
        add_value(line, each);
      }
    } else {
      add_value(line, node);
    }
    lines.push_back(std::move(line));
  }
}

/// Shortens "Error while parsing key-value pair: cannot redefine …", and adds the fix of the most
/// common mistake, `kept_for = 10s`.
std::string cause_of(const toml::parse_error& error) {
  std::string_view text = error.description();
  const bool is_of_value =
      text.contains("parsing value:") || text.contains("parsing decimal integer:");
  const std::size_t colon = text.find(": ");
  if (text.starts_with("Error while") && colon != std::string_view::npos) {
    text.remove_prefix(colon + 2);
  }
  constexpr std::size_t kCauseBytesMax = 160;  // because it quotes the file
  return std::string(text.substr(0, kCauseBytesMax)) +
         (is_of_value ? "; put text, times and sizes in quotes" : "");
}

}  // namespace

Result<SettingsFile, std::string> SettingsFile::read(const std::string& path) {
  auto text = read_bounded_file(path, kFileBytesMax);
  if (!text) {
    return fail(std::move(text.error()));
  }
  return parse(*text, path);
}

Result<SettingsFile, std::string> SettingsFile::parse(std::string_view text, std::string path) {
  SettingsFile file;
  file.path_ = std::move(path);
  if (const std::size_t line = line_of_long_key(text); line != 0) {
    return fail(file.place_of(line) + ": a key has at most 16 parts");
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return fail(file.place_of(parsed.error().source().begin.line) +
                ": is not TOML: " + cause_of(parsed.error()));
  }
  add_lines(file.lines_, parsed.table(), {});
  std::ranges::sort(file.lines_, {}, [](const SettingLine& line) {
    return std::pair(line.line, std::string_view(line.key));
  });
  return file;
}

const SettingLine* SettingsFile::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(lines_, key, &SettingLine::key);
  return found == lines_.end() ? nullptr : &*found;
}

std::string SettingsFile::place_of(std::size_t line) const {
  return path_ + ":" + std::to_string(line);
}

}  // namespace eider::detail::app
