#include "eider/testkit/html_form.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

#include "eider/core/base/text.h"

namespace eider::detail::testkit {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";

std::string to_utf8(std::uint32_t code) {
  constexpr std::uint32_t kLasts[] = {0x7F, 0x7FF, 0xFFFF};
  constexpr std::uint32_t kMarks[] = {0, 0xC0, 0xE0, 0xF0};
  const auto more = static_cast<std::size_t>(std::ranges::lower_bound(kLasts, code) - kLasts);
  std::string text(1, static_cast<char>(kMarks[more] | code >> (6 * more)));
  for (std::size_t left = more; left-- > 0;) {
    text.push_back(static_cast<char>(0x80U | (code >> (6 * left) & 0x3FU)));
  }
  return text;
}

/// Returns the character of "#39", "#x27" or "amp"; nothing for other names.
std::optional<std::string> character_of(std::string_view reference) {
  static const std::map<std::string_view, std::string_view> kNamed = {
      {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}, {"nbsp", "\u00a0"}};
  if (!reference.starts_with('#')) {
    const auto named = kNamed.find(reference);
    return named == kNamed.end() ? std::nullopt : std::optional(std::string(named->second));
  }
  reference.remove_prefix(1);
  const bool is_hex = reference.starts_with('x') || reference.starts_with('X');
  reference.remove_prefix(is_hex ? 1 : 0);
  std::uint32_t code = 0;
  const char* const end = reference.data() + reference.size();
  const auto read = std::from_chars(reference.data(), end, code, is_hex ? 16 : 10);
  constexpr std::uint32_t kCodeMax = 0x10FFFF;
  if (read.ec != std::errc() || read.ptr != end || code > kCodeMax) {
    return std::nullopt;
  }
  return to_utf8(code);
}

std::string without_references(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t at = text.find('&');
    plain.append(text.substr(0, at));
    if (at == std::string_view::npos) {
      break;
    }
    text.remove_prefix(at);
    const std::size_t end = text.find(';');
    const auto character =
        end == std::string_view::npos ? std::nullopt : character_of(text.substr(1, end - 1));
    plain.append(character.value_or("&"));
    text.remove_prefix(character ? end + 1 : 1);
  }
  return plain;
}

/// A browser sends each line break as two bytes.
std::string with_sent_breaks(std::string_view text) {
  std::string sent;
  for (const char byte : text) {
    if (byte != '\r') {
      sent.append(byte == '\n' ? "\r\n" : std::string(1, byte));
    }
  }
  return sent;
}

struct Tag {
  std::string name;  // "/form" for an end tag
  std::map<std::string, std::string, std::less<>> attributes;

  [[nodiscard]] bool has(std::string_view attribute) const {
    return attributes.contains(attribute);
  }
  [[nodiscard]] std::string value(std::string_view attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? std::string() : found->second;
  }
};

/// Iterates over the tags of a page.
class Tags {
 public:
  explicit Tags(std::string_view page) : rest_(page) {}

  [[nodiscard]] std::optional<Tag> next() {
    for (;;) {
      const std::size_t at = rest_.find('<');
      if (at == std::string_view::npos) {
        return std::nullopt;
      }
      rest_.remove_prefix(at);
      if (rest_.starts_with("<!--")) {
        skip_past("-->");
      } else if (rest_.size() > 1 && (is_letter(rest_[1]) || rest_[1] == '/')) {
        return read();
      } else {
        rest_.remove_prefix(1);
      }
    }
  }
  /// Returns the text before the next tag that starts with `tag`: "</textarea".
  [[nodiscard]] std::string_view text_until(std::string_view tag) {
    std::size_t end = rest_.find(tag);
    end = end == std::string_view::npos ? rest_.size() : end;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return text;
  }

 private:
  static bool is_letter(char byte) noexcept {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  }
  void skip_past(std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + end.size());
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }
  std::string_view take_until(std::string_view stops) {
    const std::string_view taken = rest_.substr(0, rest_.find_first_of(stops));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string take_value() {
    skip_blanks();
    if (!rest_.starts_with('"') && !rest_.starts_with('\'')) {
      return without_references(take_until(" \t\r\n\f>"));
    }
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    const std::string_view value = take_until(std::string_view(&quote, 1));
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    return without_references(value);
  }
  Tag read() {
    rest_.remove_prefix(1);
    Tag tag{.name = in_lower_case(take_until(" \t\r\n\f>")), .attributes = {}};
    for (skip_blanks(); !rest_.empty() && rest_.front() != '>'; skip_blanks()) {
      std::string name = in_lower_case(take_until(" \t\r\n\f=>/"));
      skip_blanks();
      const bool has_value = rest_.starts_with('=');
      if (has_value || name.empty()) {
        rest_.remove_prefix(1);  // "=", or the slash of "<br />"
      }
      std::string value = has_value ? take_value() : std::string();
      if (!name.empty()) {
        tag.attributes.try_emplace(std::move(name), std::move(value));
      }
    }
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    if (tag.name == "script" || tag.name == "style") {
      static_cast<void>(text_until("</" + tag.name));
    }
    return tag;
  }

  std::string_view rest_;
};

void add_input(HtmlForm& form, const Tag& tag) {
  const std::string name = tag.value("name");
  const std::string type = in_lower_case(tag.value("type"));
  const bool is_box = type == "checkbox" || type == "radio";
  form.names.push_back(name);
  if (type == "file") {
    form.files.push_back(name);
  } else if (!is_box || tag.has("checked")) {
    form.fields.emplace_back(name, is_box && !tag.has("value") ? "on" : tag.value("value"));
  }
}

void add_textarea(HtmlForm& form, const Tag& tag, Tags& tags) {
  std::string_view text = tags.text_until("</textarea");
  text.remove_prefix(text.starts_with("\r\n") ? 2 : text.starts_with('\n') ? 1 : 0);
  form.names.push_back(tag.value("name"));
  form.fields.emplace_back(tag.value("name"), with_sent_breaks(without_references(text)));
}

void add_select(HtmlForm& form, const Tag& select, Tags& tags) {
  std::vector<std::string> chosen;
  std::optional<std::string> first;
  for (auto tag = tags.next(); tag && tag->name != "/select"; tag = tags.next()) {
    if (tag->name != "option") {
      continue;
    }
    const std::string text = without_references(trim(tags.text_until("<")));
    std::string value = tag->has("value") ? tag->value("value") : text;
    if (tag->has("selected")) {
      chosen.push_back(value);
    }
    if (!first && !tag->has("disabled")) {
      first = std::move(value);
    }
  }
  if (chosen.empty() && first && !select.has("multiple")) {
    chosen.push_back(*first);
  }
  form.names.push_back(select.value("name"));
  for (std::string& value : chosen) {
    form.fields.emplace_back(select.value("name"), std::move(value));
  }
}

bool is_button(const Tag& tag) {
  const std::string type = in_lower_case(tag.value("type"));
  return type == "submit" || type == "button" || type == "reset" || type == "image";
}

}  // namespace

std::vector<HtmlForm> forms_of(std::string_view page) {
  std::vector<HtmlForm> forms;
  bool is_within = false;
  Tags tags(page);
  while (const auto tag = tags.next()) {
    const bool is_field = is_within && !tag->value("name").empty() && !tag->has("disabled");
    if (tag->name == "form") {
      is_within = true;
      HtmlForm& form = forms.emplace_back();
      form.action = tag->value("action");
      form.is_get = in_lower_case(tag->value("method")) != "post";
      form.is_multipart = in_lower_case(tag->value("enctype")) == "multipart/form-data";
    } else if (tag->name == "/form") {
      is_within = false;
    } else if (is_field && tag->name == "input" && !is_button(*tag)) {
      add_input(forms.back(), *tag);
    } else if (is_field && tag->name == "textarea") {
      add_textarea(forms.back(), *tag, tags);
    } else if (is_field && tag->name == "select") {
      add_select(forms.back(), *tag, tags);
    } else if (tag->name == "textarea") {
      static_cast<void>(tags.text_until("</textarea"));
    }
  }
  return forms;
}

}  // namespace eider::detail::testkit
