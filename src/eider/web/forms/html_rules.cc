#include "eider/web/forms/html_rules.h"

#include <algorithm>
#include <chrono>

#include "eider/core/base/text.h"
#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/text.h"
#include "eider/core/reflect/type_of.h"

namespace eider::forms::detail {

namespace {

constexpr std::string_view kSyntax = "^$\\.*+?()[]{}|/";
/// Two equal ones in a row have a meaning in a class, or are reserved.
constexpr std::string_view kDoubled = "&!#$%*+,.:;<=>?@^`~";
/// With flag v, escaped only in a class.
constexpr std::string_view kEscapedInClass = "&-!#%,:;<=>@`~";
constexpr std::string_view kBareInClass = "()[{}/-|";
constexpr std::size_t kFractionDigitsMax = 3;

class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  std::string done() {
    while (!rest_.empty()) {
      if (rest_.front() == '[') {
        character_class();
      } else {
        character("");
      }
    }
    return is_wrong_ ? std::string() : std::move(out_);
  }

 private:
  void copy(std::size_t bytes) {
    out_ += rest_.substr(0, bytes);
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  void character(std::string_view more_escapes) {
    if (rest_.front() != '\\') {
      return copy(1);
    }
    if (rest_.size() == 1) {
      is_wrong_ = true;
      return copy(1);
    }
    const char letter = rest_[1];
    if (std::string_view("pPu").contains(letter) && rest_.substr(2).starts_with('{')) {
      return copy(std::min(rest_.find('}'), rest_.size() - 1) + 1);
    }
    const bool has_backslash = is_letter(letter) || is_digit(letter) || kSyntax.contains(letter) ||
                               more_escapes.contains(letter);
    rest_.remove_prefix(has_backslash ? 0 : 1);
    copy(has_backslash ? 2 : 1);
  }

  void class_character() {
    const char byte = rest_.front();
    const bool is_doubled = kDoubled.contains(byte) && rest_.substr(1).starts_with(byte);
    out_ += is_doubled || kBareInClass.contains(byte) ? "\\" : "";
    character(kEscapedInClass);
  }

  void character_class() {
    copy(rest_.starts_with("[^") ? 2 : 1);
    while (!rest_.empty() && rest_.front() != ']') {
      class_character();
      if (rest_.starts_with('-') && !rest_.starts_with("-]") && rest_.size() > 1) {
        copy(1);
        class_character();
      }
    }
    is_wrong_ = is_wrong_ || rest_.empty();
    copy(1);
  }

  std::string_view rest_;
  std::string out_;
  bool is_wrong_ = false;
};

template <class T>
bool is_read(std::string_view text) {
  T value{};
  return reflect::read_text(reflect::type_of<T>(), &value, text).has_value();
}

std::size_t fraction_digits(std::string_view time) noexcept {
  const std::size_t dot = time.find('.');
  return dot == time.npos ? 0 : time.size() - dot - 1;
}

}  // namespace

std::string browser_pattern(std::string_view pattern) {
  return Translator(pattern).done();
}

bool is_shown_by_browsers(std::string_view input_type, std::string_view value) {
  if (input_type == "number") {
    return is_read<double>(value);
  }
  if (input_type == "time") {
    return is_read<TimeOfDay>(value) && fraction_digits(value) <= kFractionDigitsMax;
  }
  if (input_type == "date") {
    return is_read<std::chrono::year_month_day>(value) && !value.starts_with("0000");
  }
  if (input_type == "datetime-local") {
    const std::size_t end = std::min(value.find('T'), value.size());
    return is_shown_by_browsers("date", value.substr(0, end)) &&
           is_shown_by_browsers("time", value.substr(std::min(end + 1, value.size())));
  }
  return true;
}

std::string_view without_fraction_zeros(std::string_view time) noexcept {
  while (fraction_digits(time) > kFractionDigitsMax && time.ends_with('0')) {
    time.remove_suffix(1);
  }
  return time;
}

}  // namespace eider::forms::detail
