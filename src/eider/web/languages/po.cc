#include "eider/web/languages/po.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "eider/core/base/text.h"
#include "eider/core/base/text_encoding.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/list.h"

namespace eider::detail::languages {
namespace {

using Text = Result<void, std::string>;

struct PoMessage {
  std::size_t line = 0;
  bool is_fuzzy = false;
  bool has_context = false;
  std::string context;
  std::string id;
  std::optional<std::string> plural_id;
  std::vector<std::string> texts;

  [[nodiscard]] bool is_header() const noexcept { return id.empty() && !has_context; }
  [[nodiscard]] bool is_translated() const noexcept {
    return std::ranges::none_of(texts, &std::string::empty);
  }
};

/// Returns the character of an escape sequence with one character; nothing for another one.
std::optional<char> simple_escape(char byte) noexcept {
  constexpr std::string_view kNames = "ntrabfv\"\\'?";
  constexpr std::string_view kBytes = "\n\t\r\a\b\f\v\"\\'?";
  const std::size_t at = kNames.find(byte);
  return at == kNames.npos ? std::nullopt : std::optional(kBytes[at]);
}

/// Reads the digits of a byte in octal (up to three) or hexadecimal (up to two). Returns nothing
/// without digits, or for a byte that is not ASCII, because a single one is not UTF-8.
std::optional<char> take_number(std::string_view& rest, int base, std::size_t digits_max) noexcept {
  int value = 0;
  std::size_t count = 0;
  while (count < digits_max && count < rest.size()) {
    const int digit = hex_value(rest[count]);
    if (digit < 0 || digit >= base) {
      break;
    }
    value = value * base + digit;
    ++count;
  }
  rest.remove_prefix(count);
  return count == 0 || value > 0x7f ? std::nullopt : std::optional(static_cast<char>(value));
}

std::optional<char> take_escape(std::string_view& rest) noexcept {
  if (rest.empty()) {
    return std::nullopt;
  }
  if (rest.front() >= '0' && rest.front() <= '7') {
    return take_number(rest, 8, 3);
  }
  const char name = rest.front();
  rest.remove_prefix(1);
  return name == 'x' ? take_number(rest, 16, 2) : simple_escape(name);
}

/// Returns the text of a quoted string; nothing if it does not end with the line.
std::optional<std::string> unquote(std::string_view line) {
  if (line.size() < 2 || line.front() != '"' || line.back() != '"') {
    return std::nullopt;
  }
  line = line.substr(1, line.size() - 2);
  std::string text;
  while (!line.empty()) {
    const char byte = line.front();
    line.remove_prefix(1);
    const auto taken = byte == '\\' ? take_escape(line) : std::optional(byte);
    if (!taken || byte == '"') {
      return std::nullopt;
    }
    text += *taken;
  }
  return text;
}

/// Reads the file line by line; `messages` is complete after the last line, and `line` counts them.
class PoReader {
 public:
  std::vector<PoMessage> messages;
  std::size_t line = 0;

  /// text  without the line break
  Text take_line(std::string_view text) {
    ++line;
    text = trim(text);
    if (text.empty()) {
      return {};
    }
    if (text.starts_with('#')) {
      return take_comment(text);
    }
    return text.starts_with('"') ? append(text) : take_keyword(text);
  }

  Text finish() {
    if (expected_ == Part::nothing) {
      return {};
    }
    if (expected_ != Part::text) {
      return fail(std::string("a message has no msgstr"));
    }
    messages.push_back(std::exchange(message_, {}));
    expected_ = Part::nothing;
    return {};
  }

 private:
  /// The last part of the current message.
  enum class Part : std::uint8_t { nothing, context, id, plural_id, text };

  Text take_comment(std::string_view text) {
    // A comment after the texts of a message belongs to the next one.
    if (expected_ == Part::text) {
      static_cast<void>(finish());
    }
    if (text.starts_with("#~")) {
      message_.is_fuzzy = false;  // the flag belonged to this obsolete message
    }
    if (text.starts_with("#,")) {
      ListReader flags(text.substr(2));
      while (const auto flag = flags.next()) {
        message_.is_fuzzy = message_.is_fuzzy || *flag == "fuzzy";
      }
    }
    return {};
  }

  Text take_keyword(std::string_view text) {
    const std::size_t end = std::min(text.find_first_of(" \t\""), text.size());
    const std::string_view keyword = text.substr(0, end);
    if (expected_ == Part::text && !keyword.starts_with("msgstr[")) {
      static_cast<void>(finish());
    }
    if (Text begun = begin(keyword); !begun) {
      return begun;
    }
    return append(trim(text.substr(end)));
  }

  Text begin(std::string_view keyword) {
    if (keyword == "msgctxt" && expected_ == Part::nothing) {
      message_.has_context = true;
      return begin(Part::context, message_.context);
    }
    if (keyword == "msgid" && (expected_ == Part::nothing || expected_ == Part::context)) {
      message_.line = line;
      return begin(Part::id, message_.id);
    }
    if (keyword == "msgid_plural" && expected_ == Part::id) {
      return begin(Part::plural_id, message_.plural_id.emplace());
    }
    if (is_next_text(keyword)) {
      return begin(Part::text, message_.texts.emplace_back());
    }
    return fail("\"" + std::string(keyword) + "\" is not allowed here");
  }
  Text begin(Part part, std::string& into) noexcept {
    expected_ = part;
    into_ = &into;
    return {};
  }

  [[nodiscard]] bool is_next_text(std::string_view keyword) const {
    if (!message_.plural_id) {
      return expected_ == Part::id && keyword == "msgstr";
    }
    const std::size_t index = message_.texts.size();
    return (expected_ == Part::plural_id || expected_ == Part::text) &&
           index < PluralRule::kFormsMax && keyword == "msgstr[" + std::to_string(index) + "]";
  }

  Text append(std::string_view quoted) {
    const auto text = unquote(quoted);
    if (!text) {
      return fail(std::string("a text must be in double quotes, with C escapes"));
    }
    if (expected_ == Part::nothing) {
      return fail(std::string("a text must follow msgid or msgstr"));
    }
    into_->append(*text);
    return {};
  }

  PoMessage message_;
  Part expected_ = Part::nothing;
  std::string* into_ = nullptr;
};

/// Returns the value of a header field; there is one per line.
std::string_view header_field(std::string_view header, std::string_view name) noexcept {
  while (!header.empty()) {
    std::string_view field = take_until(header, "\n");
    if (equals_ignoring_case(take_until(field, ":"), name)) {
      return trim(field);
    }
  }
  return {};
}

Result<PluralRule, std::string> read_header(std::string_view header) {
  const std::string_view type = header_field(header, "Content-Type");
  const std::size_t charset = type.find("charset=");
  if (charset != type.npos && !equals_ignoring_case(trim(type.substr(charset + 8)), "UTF-8")) {
    return fail("the charset is " + std::string(type.substr(charset + 8)) + ", but must be UTF-8");
  }
  const std::string_view plurals = header_field(header, "Plural-Forms");
  return plurals.empty() ? PluralRule() : PluralRule::parse(plurals);
}

std::string at_line(std::size_t line, std::string_view what) {
  return std::to_string(line).append(": ").append(what);
}

Result<Catalogue, std::string> make_catalogue(std::vector<PoMessage> messages) {
  Catalogue catalogue;
  const auto header = std::ranges::find_if(messages, &PoMessage::is_header);
  if (header != messages.end()) {
    auto rule = read_header(header->texts.front());
    if (!rule) {
      return fail(at_line(header->line, rule.error()));
    }
    catalogue = Catalogue(std::move(*rule));
  }
  for (PoMessage& message : messages) {
    if (message.is_fuzzy || message.is_header() || !message.is_translated()) {
      continue;
    }
    if (message.plural_id && message.texts.size() != catalogue.rule().count()) {
      return fail(at_line(message.line,
                          "the header has nplurals=" + std::to_string(catalogue.rule().count()) +
                              ", but the number of msgstr entries is " +
                              std::to_string(message.texts.size())));
    }
    if (!catalogue.add({message.context, message.id}, std::move(message.texts))) {
      return fail(at_line(message.line, "duplicate message \"" + message.id + "\""));
    }
  }
  return catalogue;
}

}  // namespace

Result<Catalogue, std::string> read_po(std::string_view text) {
  if (text.size() > kPoBytesMax) {
    return fail(at_line(1, "a catalog has at most " + std::to_string(kPoBytesMax) + " bytes"));
  }
  if (const auto wrong = base::encoding_error(text)) {
    return fail(at_line(wrong->line, wrong->what));
  }
  text = without_bom(text);
  PoReader reader;
  while (!text.empty()) {
    std::string_view line = take_until(text, "\n");
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    if (const Text taken = reader.take_line(line); !taken) {
      return fail(at_line(reader.line, taken.error()));
    }
  }
  if (const Text finished = reader.finish(); !finished) {
    return fail(at_line(reader.line, finished.error()));
  }
  return make_catalogue(std::move(reader.messages));
}

bool Catalogue::add(const MessageKey& key, std::vector<std::string> texts) {
  return messages_.insert_or_assign(Key(key.context, key.id), std::move(texts)).second;
}

const std::vector<std::string>* Catalogue::texts_of(const MessageKey& key) const {
  const auto found = messages_.find(KeyView(key.context, key.id));
  return found == messages_.end() ? nullptr : &found->second;
}

const std::string* Catalogue::find(const MessageKey& key) const {
  const auto* const texts = texts_of(key);
  return texts == nullptr ? nullptr : &texts->front();
}

const std::string* Catalogue::find(const MessageKey& key, std::uint64_t count) const {
  const auto* const texts = texts_of(key);
  // A text without plural forms is the same for each number.
  return texts == nullptr ? nullptr : &(*texts)[std::min(rule_.form_of(count), texts->size() - 1)];
}

}  // namespace eider::detail::languages
