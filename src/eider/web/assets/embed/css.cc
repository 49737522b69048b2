#include "eider/web/assets/embed/css.h"

#include <algorithm>

#include "eider/core/base/text.h"

namespace eider::detail::embed {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";
constexpr std::string_view kUrl = "url(";
constexpr std::string_view kImport = "@import";

/// Reads a complete style sheet.
class CssReader {
 public:
  explicit CssReader(std::string_view css) noexcept : css_(css) {}

  std::vector<CssReference> read() {
    while (at_ < css_.size()) {
      step();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string_view rest() const noexcept { return css_.substr(at_); }
  [[nodiscard]] bool sees(std::string_view word) const noexcept {
    return equals_ignoring_case(rest().substr(0, word.size()), word);
  }
  void skip_blanks() noexcept { at_ = std::min(css_.find_first_not_of(kBlanks, at_), css_.size()); }

  void step() {
    if (sees("/*")) {
      const std::size_t end = css_.find("*/", at_ + 2);
      at_ = end == css_.npos ? css_.size() : end + 2;
    } else if (css_[at_] == '"' || css_[at_] == '\'') {
      take_string();
    } else if (sees(kUrl) && !is_within_name()) {
      take_url();
    } else if (sees(kImport)) {
      take_import();
    } else {
      at_ += css_[at_] == '\\' ? 2 : 1;
    }
  }

  /// Returns whether the position is within a name: "my-url(" is another function.
  [[nodiscard]] bool is_within_name() const noexcept {
    const char before = at_ == 0 ? ' ' : css_[at_ - 1];
    return is_letter(before) || is_digit(before) || before == '-' || before == '_' ||
           before == '\\';
  }

  /// Returns the text between the quotes.
  std::string_view take_string() {
    const char quote = css_[at_];
    const std::size_t begin = ++at_;
    while (at_ < css_.size() && css_[at_] != quote && css_[at_] != '\n') {
      at_ += css_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, css_.size());
    const std::string_view text = css_.substr(begin, at_ - begin);
    ++at_;
    return text;
  }

  void take_url() {
    at_ += kUrl.size();
    skip_blanks();
    if (sees("\"") || sees("'")) {
      add(take_string());
      return;
    }
    const std::size_t end = std::min(css_.find(')', at_), css_.size());
    std::string_view text = css_.substr(at_, end - at_);
    text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    add(text);
    at_ = end;
  }

  void take_import() {
    at_ += kImport.size();
    skip_blanks();
    if (sees("\"") || sees("'")) {
      add(take_string());
    }
  }

  void add(std::string_view text) {
    const auto offset = static_cast<std::size_t>(text.data() - css_.data());
    const auto lines = std::ranges::count(css_.substr(0, offset), '\n');
    if (!text.empty() && !text.contains('\\')) {
      found_.push_back({offset, text, static_cast<std::size_t>(lines) + 1});
    }
  }

  std::string_view css_;
  std::size_t at_ = 0;
  std::vector<CssReference> found_;
};

}  // namespace

std::vector<CssReference> css_references(std::string_view css) {
  return CssReader(css).read();
}

}  // namespace eider::detail::embed
