#include "eider/web/views/expression.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/core/base/text.h"

namespace eider::views {

namespace {

using ExpressionKind = Expression::Kind;

constexpr int kDepthMax = 32;
constexpr std::array<std::string_view, 6> kComparisons = {"==", "!=", "<=", ">=", "<", ">"};
constexpr std::array<std::string_view, 5> kKeywords = {"and", "or", "not", "true", "false"};

constexpr bool begins_name(char byte) {
  return is_letter(byte) || byte == '_';
}

constexpr bool is_blank_byte(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

std::size_t name_bytes(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && (begins_name(text[size]) || is_digit(text[size]))) {
    ++size;
  }
  return size;
}

std::size_t number_bytes(std::string_view text) {
  std::size_t size = text.front() == '-' ? 1 : 0;
  while (size < text.size() &&
         (is_digit(text[size]) ||
          (text[size] == '.' && size + 1 < text.size() && is_digit(text[size + 1])))) {
    ++size;
  }
  return size;
}

Expression of_parts(ExpressionKind kind, Place place, std::string text, Expression first,
                    Expression second) {
  Expression made{kind, place, std::move(text)};
  made.parts.push_back(std::move(first));
  made.parts.push_back(std::move(second));
  return made;
}

/// Limits the depth of recursion, because input determines it.
class Deeper {
 public:
  Deeper(int& depth, const Place& place) : depth_(depth) {
    if (++depth_ > kDepthMax) {
      refuse(place, "this expression is nested too deeply");
    }
  }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  ~Deeper() { --depth_; }

 private:
  int& depth_;
};

}  // namespace

Words::Words(std::string_view text, Place place) : all_(text), place_(place) {
  next();
}

void Words::next() {
  begin_ += word_.size();
  while (begin_ < all_.size() && is_blank_byte(all_[begin_])) {
    ++begin_;
  }
  const std::string_view rest = all_.substr(begin_);
  if (rest.empty()) {
    word_ = {};
  } else if (begins_name(rest.front())) {
    word_ = rest.substr(0, name_bytes(rest));
  } else if (is_digit(rest.front()) ||
             (rest.size() > 1 && rest.front() == '-' && is_digit(rest[1]))) {
    word_ = rest.substr(0, number_bytes(rest));
  } else if (rest.front() == '"' || rest.front() == '\'') {
    word_ = rest.substr(0, quoted_end());
  } else {
    const bool is_double = rest.size() > 1 && (rest.substr(0, 2) == "::" || rest[1] == '=');
    word_ = rest.substr(0, is_double ? 2 : 1);
  }
}

std::size_t Words::quoted_end() const {
  const std::string_view rest = all_.substr(begin_);
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '\\') {
      ++at;
    } else if (rest[at] == rest.front()) {
      return at + 1;
    }
  }
  refuse(place(), "this string is not closed");
}

bool Words::is_name() const noexcept {
  return !word_.empty() && begins_name(word_.front());
}

bool Words::take(std::string_view word) {
  if (word_ != word) {
    return false;
  }
  next();
  return true;
}

void Words::expect(std::string_view word, std::string_view what_for) {
  if (!take(word)) {
    refuse(place(), "expected \"" + std::string(word) + "\": " + std::string(what_for));
  }
}

std::optional<std::string> Words::try_name() {
  if (!is_name()) {
    return std::nullopt;
  }
  std::string name(word_);
  next();
  return name;
}

std::string Words::name(std::string_view what) {
  auto found = try_name();
  if (!found) {
    refuse(place(), "expected " + std::string(what));
  }
  return std::move(*found);
}

std::string Words::unquoted() const {
  std::string text;
  for (std::size_t at = 1; at + 1 < word_.size(); ++at) {
    if (word_[at] == '\\') {
      ++at;
      text += word_[at] == 'n' ? '\n' : word_[at] == 't' ? '\t' : word_[at];
    } else {
      text += word_[at];
    }
  }
  return text;
}

std::string Words::text(std::string_view what) {
  if (word_.empty() || (word_.front() != '"' && word_.front() != '\'')) {
    refuse(place(), "expected " + std::string(what) + " in quotes");
  }
  std::string found = unquoted();
  next();
  return found;
}

std::string Words::type() {
  const std::size_t begin = begin_;
  int open = 0;
  while (!at_end() && (open > 0 || (word_ != "," && word_ != ")"))) {
    open += word_ == "<" ? 1 : word_ == ">" ? -1 : 0;
    next();
  }
  std::string_view found = all_.substr(begin, begin_ - begin);
  while (!found.empty() && is_blank_byte(found.back())) {
    found.remove_suffix(1);
  }
  const auto fits = [](char byte) {
    return begins_name(byte) || is_digit(byte) || std::string_view(":<>, *&").contains(byte);
  };
  if (found.empty() || !begins_name(found.front()) || !std::ranges::all_of(found, fits)) {
    refuse({place_.source, place_.offset + begin},
           "expected the type of the parameter: text, integer, number, boolean, or a C++ type");
  }
  return std::string(found);
}

std::string Words::rest() {
  std::string all(all_.substr(begin_));
  begin_ = all_.size();
  word_ = {};
  return all;
}

void Words::expect_end(std::string_view behind) {
  if (!at_end()) {
    refuse(place(), "unexpected text after " + std::string(behind));
  }
}

Expression Words::expression() {
  const Deeper deeper(depth_, place());
  return alternatives();
}

Expression Words::alternatives() {
  Expression left = conditions();
  for (Place at = place(); take("or"); at = place()) {
    left = of_parts(ExpressionKind::either, at, "or", std::move(left), conditions());
  }
  return left;
}

Expression Words::conditions() {
  Expression left = negated();
  for (Place at = place(); take("and"); at = place()) {
    left = of_parts(ExpressionKind::both, at, "and", std::move(left), negated());
  }
  return left;
}

Expression Words::negated() {
  const Place at = place();
  if (!take("not")) {
    return comparison();
  }
  const Deeper deeper(depth_, at);
  Expression made{ExpressionKind::negation, at, "not"};
  made.parts.push_back(negated());
  return made;
}

Expression Words::comparison() {
  Expression left = filtered();
  for (const std::string_view sign : kComparisons) {
    const Place at = place();
    if (take(sign)) {
      return of_parts(ExpressionKind::compare, at, std::string(sign), std::move(left), filtered());
    }
  }
  return left;
}

Expression Words::filtered() {
  Expression value = primary();
  while (take("|")) {
    Expression filter{ExpressionKind::filter, place(), name("a filter's name")};
    filter.parts.push_back(std::move(value));
    if (take("(")) {
      while (!take(")")) {
        filter.names.push_back(label());
        filter.parts.push_back(expression());
        if (!take(",") && word_ != ")") {
          refuse(place(), "expected \",\" or \")\" in the arguments of the filter");
        }
      }
    }
    if (std::ranges::all_of(filter.names, &std::string::empty)) {
      filter.names.clear();
    }
    value = std::move(filter);
  }
  return value;
}

/// Reads the name of an argument, `name: value`, with its colon; returns an empty text without one.
std::string Words::label() {
  if (!is_name()) {
    return {};
  }
  std::string_view next_word = all_.substr(begin_ + word_.size());
  next_word.remove_prefix(std::min(next_word.find_first_not_of(" \t\r\n\f\v"), next_word.size()));
  if (!next_word.starts_with(':')) {
    return {};
  }
  std::string made = name("");
  expect(":", "a colon after the name of an argument");
  return made;
}

Expression Words::primary() {
  const Place at = place();
  if (take("(")) {
    Expression inner = expression();
    expect(")", "the closing parenthesis");
    return inner;
  }
  if (word_ == "true" || word_ == "false") {
    return {ExpressionKind::boolean, at, name("")};
  }
  if (is_name()) {
    return path();
  }
  if (!word_.empty() && (word_.front() == '"' || word_.front() == '\'')) {
    return {ExpressionKind::text, at, text("")};
  }
  return number();
}

Expression Words::number() {
  const Place at = place();
  const std::string digits(word_);
  if (parse_int64(digits)) {
    next();
    return {ExpressionKind::integer, at, digits};
  }
  if (digits.size() > 1 && parse_double(digits)) {
    next();
    return {ExpressionKind::real, at, digits};
  }
  refuse(at, at_end() ? "expected a value" : "expected a value: a name, a number or a text");
}

Expression Words::path() {
  Expression made{ExpressionKind::path, place()};
  do {
    if (std::ranges::find(kKeywords, word_) != kKeywords.end()) {
      refuse(place(), "\"" + std::string(word_) + "\" cannot be used as a name");
    }
    made.names.push_back(name("a member's name"));
  } while (take("."));
  return made;
}

}  // namespace eider::views
