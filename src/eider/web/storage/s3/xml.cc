#include "eider/web/storage/s3/xml.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "eider/core/base/utf8.h"

namespace eider::detail::s3 {

namespace {

constexpr std::size_t kElementsMax = 20'000;
constexpr std::size_t kReferenceBytesMax = 10;  // "&#x10FFFF;"
constexpr std::string_view kXmlBlanks = " \t\r\n";

bool is_xml_blank(char byte) noexcept {
  return kXmlBlanks.find(byte) != std::string_view::npos;
}

bool is_blank_text(std::string_view text) noexcept {
  return std::ranges::all_of(text, is_xml_blank);
}

bool is_name_byte(char byte) noexcept {
  const auto code = static_cast<unsigned char>(byte);
  return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
         (code >= '0' && code <= '9') || byte == '_' || byte == '-' || byte == '.' || byte == ':' ||
         code >= 0x80;
}

std::string_view take_name(std::string_view& rest) noexcept {
  const auto end = std::ranges::find_if_not(rest, is_name_byte);
  const auto bytes = static_cast<std::size_t>(end - rest.begin());
  const std::string_view name = rest.substr(0, bytes);
  rest.remove_prefix(bytes);
  return name;
}

void skip_blanks(std::string_view& rest) noexcept {
  rest.remove_prefix(std::min(rest.find_first_not_of(kXmlBlanks), rest.size()));
}

std::string_view without_prefix(std::string_view name) noexcept {
  return name.substr(name.rfind(':') + 1);
}

/// Appends the character as UTF-8; false for one that does not exist. Control characters are not
/// allowed in XML, but S3 sends them so, since keys may have them.
bool append_character(std::string& out, std::uint32_t code) {
  if (code == 0 || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) {
    return false;
  }
  const auto continuation = [&out](std::uint32_t bits) {
    out += static_cast<char>(0x80U | (bits & 0x3fU));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0U | code >> 6U);
    continuation(code);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0U | code >> 12U);
    continuation(code >> 6U);
    continuation(code);
  } else {
    out += static_cast<char>(0xf0U | code >> 18U);
    continuation(code >> 12U);
    continuation(code >> 6U);
    continuation(code);
  }
  return true;
}

/// reference  between '&' and ';'
bool append_reference(std::string& out, std::string_view reference) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, byte] : kEntities) {
    if (reference == name) {
      out += byte;
      return true;
    }
  }
  if (!reference.starts_with('#')) {
    return false;
  }
  reference.remove_prefix(1);
  const bool is_hexadecimal = reference.starts_with('x');
  reference.remove_prefix(is_hexadecimal ? 1 : 0);
  std::uint32_t code = 0;
  const char* const end = reference.data() + reference.size();
  const auto [at, error] = std::from_chars(reference.data(), end, code, is_hexadecimal ? 16 : 10);
  return !reference.empty() && error == std::errc() && at == end && append_character(out, code);
}

std::optional<std::string> decode_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t ampersand = text.find('&');
    out.append(text.substr(0, ampersand));
    if (ampersand == std::string_view::npos) {
      break;
    }
    text.remove_prefix(ampersand + 1);
    const std::size_t end = text.substr(0, kReferenceBytesMax).find(';');
    if (end == std::string_view::npos || !append_reference(out, text.substr(0, end))) {
      return std::nullopt;
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace

XmlReader::XmlReader(std::string_view document) noexcept
    : rest_(without_bom(document)),
      is_malformed_(document.size() > kBytesMax || !is_utf8(document)) {}

std::optional<XmlReader::Event> XmlReader::fail() noexcept {
  is_malformed_ = true;
  return std::nullopt;
}

std::optional<XmlReader::Event> XmlReader::next() {
  if (is_malformed_) {
    return std::nullopt;
  }
  if (closes_) {
    return Event{Kind::end, *std::exchange(closes_, std::nullopt)};
  }
  while (!rest_.empty()) {
    if (!rest_.starts_with('<')) {
      if (auto event = read_text(); event || is_malformed_) {
        return event;
      }
    } else if (rest_.starts_with("<!--")) {
      rest_.remove_prefix(4);
      if (!skip_to("-->")) {
        return fail();
      }
    } else if (rest_.starts_with("<?")) {
      if (!skip_to("?>")) {
        return fail();
      }
    } else if (rest_.starts_with("<![CDATA[")) {
      return read_cdata();
    } else if (rest_.starts_with("</")) {
      return read_end();
    } else {
      return read_start();
    }
  }
  return open_.empty() && has_root_ ? std::nullopt : fail();
}

bool XmlReader::skip_to(std::string_view mark) noexcept {
  const std::size_t at = rest_.find(mark);
  if (at == std::string_view::npos) {
    return false;
  }
  rest_.remove_prefix(at + mark.size());
  return true;
}

/// Nothing without an error: blanks around the root.
std::optional<XmlReader::Event> XmlReader::read_text() {
  const std::string_view text = rest_.substr(0, rest_.find('<'));
  rest_.remove_prefix(text.size());
  if (open_.empty()) {
    return is_blank_text(text) ? std::nullopt : fail();
  }
  auto decoded = decode_text(text);
  return decoded ? std::optional(Event{Kind::text, {}, std::move(*decoded)}) : fail();
}

std::optional<XmlReader::Event> XmlReader::read_cdata() {
  constexpr std::size_t kOpeningBytes = 9;
  const std::size_t end = rest_.find("]]>");
  if (open_.empty() || end == std::string_view::npos) {
    return fail();
  }
  Event event{Kind::text, {}, std::string(rest_.substr(kOpeningBytes, end - kOpeningBytes))};
  rest_.remove_prefix(end + 3);
  return event;
}

std::optional<XmlReader::Event> XmlReader::read_start() {
  rest_.remove_prefix(1);
  const std::string_view name = take_name(rest_);
  if (name.empty() || (open_.empty() && has_root_) || open_.size() == kDepthMax ||
      !skip_attributes()) {
    return fail();
  }
  has_root_ = true;
  if (rest_.starts_with('/')) {
    rest_.remove_prefix(1);
    closes_ = without_prefix(name);
  } else {
    open_.push_back(name);
  }
  if (!rest_.starts_with('>')) {
    return fail();
  }
  rest_.remove_prefix(1);
  return Event{Kind::start, without_prefix(name)};
}

bool XmlReader::skip_attributes() noexcept {
  while (true) {
    skip_blanks(rest_);
    if (rest_.empty() || rest_.front() == '>' || rest_.front() == '/') {
      return true;
    }
    if (take_name(rest_).empty()) {
      return false;
    }
    skip_blanks(rest_);
    if (!rest_.starts_with('=')) {
      return false;
    }
    rest_.remove_prefix(1);
    skip_blanks(rest_);
    if (rest_.empty() || (rest_.front() != '"' && rest_.front() != '\'')) {
      return false;
    }
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos || rest_.substr(0, end).find('<') != std::string_view::npos) {
      return false;
    }
    rest_.remove_prefix(end + 1);
  }
}

std::optional<XmlReader::Event> XmlReader::read_end() {
  rest_.remove_prefix(2);
  const std::string_view name = take_name(rest_);
  skip_blanks(rest_);
  if (open_.empty() || open_.back() != name || !rest_.starts_with('>')) {
    return fail();
  }
  rest_.remove_prefix(1);
  open_.pop_back();
  return Event{Kind::end, without_prefix(name)};
}

std::string_view XmlElement::text_of(std::string_view child) const noexcept {
  const auto found = std::ranges::find(children, child, &XmlElement::name);
  return found == children.end() ? std::string_view() : std::string_view(found->text);
}

std::optional<XmlElement> read_xml(std::string_view document) {
  XmlReader reader(document);
  XmlElement root;
  // By position: an element that grows moves the addresses of its children.
  std::vector<XmlElement> open;
  std::size_t elements = 0;
  while (auto event = reader.next()) {
    switch (event->kind) {
      case XmlReader::Kind::start:
        if (++elements > kElementsMax) {
          return std::nullopt;
        }
        open.push_back({.name = std::string(event->name)});
        break;
      case XmlReader::Kind::text:
        open.back().text.append(event->text);
        break;
      case XmlReader::Kind::end: {
        XmlElement done = std::move(open.back());
        open.pop_back();
        (open.empty() ? root : open.back().children.emplace_back()) = std::move(done);
        break;
      }
    }
  }
  return reader.is_malformed() ? std::nullopt : std::optional(std::move(root));
}

std::string xml_escape(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    switch (byte) {
      case '&':
        out.append("&amp;");
        break;
      case '<':
        out.append("&lt;");
        break;
      case '>':
        out.append("&gt;");
        break;
      default:
        out += byte;
    }
  }
  return out;
}

}  // namespace eider::detail::s3
