#include "eider/core/json/reader.h"

#include <simdjson.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "eider/core/base/utf8.h"
#include "eider/core/reflect/text.h"

namespace eider::json::detail {

namespace {

/// Returns whether that byte ends a number or word before it.
bool ends_token(char byte) noexcept {
  switch (byte) {
    case ',':
    case ':':
    case '[':
    case ']':
    case '{':
    case '}':
    case '"':
      return true;
    default:
      return is_space(byte);
  }
}

}  // namespace

Result<void> Reader::run(const reflect::Type& type, void* object, std::string_view text) {
  text_ = without_bom(text);
  bom_bytes_ = text.size() - text_.size();
  if (text_.size() > limits_.bytes_max) {
    give_up("is longer than " + std::to_string(limits_.bytes_max) + " bytes");
  } else if (is_utf16(text_)) {
    give_up("is UTF-16 or UTF-32 and must be UTF-8");
  } else if (!simdjson::validate_utf8(text_.data(), text_.size())) {
    give_up("is not UTF-8");
  } else if (read_root(type, object)) {
    return std::move(complaints_).verdict();
  }
  return fail(Error::bad_request(std::move(failure_)));
}

bool Reader::read_root(const reflect::Type& type, void* object) {
  const std::size_t last = text_.find_last_not_of(" \t\r\n");
  if (last == text_.npos) {
    return give_up("is empty");
  }
  text_ = text_.substr(0, last + 1);
  if (text_[last] != ']' && text_[last] != '}') {
    copy_ = text_;  // for its '\0'
    text_ = copy_;
  }
  end_ = text_.data() + text_.size();
  at_ = skip_spaces(text_.data());
  if (!read(type, object, Path())) {
    return false;
  }
  return at_ == end_ || give_up("has data after its end");
}

/// Skips a value that is not needed. It must still be valid JSON.
bool Reader::skip(const Path& path) {
  if (*at_ == '"') {
    return string().data() != nullptr;
  }
  if (*at_ == '[') {
    return each_element(path, [this](const Path& at) { return skip(at); });
  }
  if (*at_ == '{') {
    return each_member(path, [this](std::string_view, const Path& at) { return skip(at); });
  }
  const std::string_view found = token();
  if (found != "null" && found != "true" && found != "false" &&
      number_form(found) == NumberForm::kNone) {
    return give_up_syntax();
  }
  at_ += found.size();
  return true;
}

bool Reader::skip_mistyped(const reflect::Type& type, const Path& path) {
  complaints_.add(path, [&] { return requirement(type); });
  return skip(path);
}

/// Returns a number, true, false or null as it was sent, or other text at its place.
std::string_view Reader::token() const noexcept {
  return {at_, std::find_if(at_, end_, ends_token)};
}

/// Reads a member's name and its colon. The name is valid until the member is read; its data is
/// null if the syntax is invalid.
std::string_view Reader::name() {
  std::string_view name;
  if (*at_ == '"') {
    const char* const first = at_ + 1;
    const char* const mark = find_mark(first, end_);
    if (mark == end_ || *mark != '"') [[unlikely]] {
      name = escaped_string(mark, names_.emplace_front());
      if (name.data() == nullptr) {
        return {};
      }
    } else {
      at_ = mark + 1;
      name = {first, mark};
    }
    at_ = skip_spaces(at_);
    if (*at_ == ':') {
      at_ = skip_spaces(at_ + 1);
      return name;
    }
  }
  give_up_syntax();
  return {};
}

/// Returns the text of a string, valid until the next one is read; its data is null if it is
/// invalid.
/// Pre: *at_ is '"'.
std::string_view Reader::string() {
  const char* const first = at_ + 1;
  const char* const mark = find_mark(first, end_);
  if (mark == end_ || *mark != '"') [[unlikely]] {
    return escaped_string(mark, unescaped_);
  }
  at_ = mark + 1;
  return {first, mark};
}

/// Reads a string that has escapes or is invalid, into `to`. `mark` is the first mark in it.
std::string_view Reader::escaped_string(const char* mark, std::string& to) {
  const char* const first = at_ + 1;
  while (mark != end_ && *mark == '\\') {
    mark = end_ - mark > 2 ? find_mark(mark + 2, end_) : end_;
  }
  if (mark == end_) {
    give_up("has an unterminated string");
    return {};
  }
  if (*mark != '"') {
    at_ = mark;
    give_up("has a control character in a string");
    return {};
  }
  std::optional<std::string> text = unescape({first, mark});
  if (!text) {
    give_up("has an invalid escape in a string");
    return {};
  }
  at_ = mark + 1;
  to = *std::move(text);
  return to;
}

bool Reader::give_up(std::string_view reason) {
  failure_ = "The JSON text ";
  failure_ += reason;
  if (at_ != nullptr) {
    const auto offset = static_cast<std::size_t>(at_ - text_.data());
    failure_ += ", near byte " + std::to_string(bom_bytes_ + offset);
  }
  failure_ += '.';
  return false;
}

bool Reader::give_up_syntax() {
  return give_up("has a syntax error");
}

bool Reader::give_up_nested() {
  const std::size_t depth_max = std::min(limits_.depth_max, Limits::kDepthMax);
  return give_up("is nested deeper than " + std::to_string(depth_max) + " levels");
}

bool Reader::give_up_elements() {
  return give_up("has more than " + std::to_string(limits_.elements_max) + " elements");
}

}  // namespace eider::json::detail
