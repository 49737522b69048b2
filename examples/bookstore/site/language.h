// The reader's language, as pages have it: the texts, money and dates of templates.
// Must not choose the language: use_languages does.
#pragma once

#include <eider/http/page_links.h>
#include <eider/kinds/kinds.h>
#include <eider/languages/languages.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bookstore {

/// In a template `{{ language }}` is its tag, and filters take it: {{ "Cart" | tr(language) }}.
class ReaderLanguage {
 public:
  ReaderLanguage() = default;
  explicit ReaderLanguage(const eider::Translator& translator) : translator_(translator) {}

  [[nodiscard]] std::string tag() const { return translator_ ? translator_->language() : "en"; }
  [[nodiscard]] std::string text(std::string_view english,
                                 eider::TextArguments arguments = {}) const {
    return translator_ ? (*translator_)(english, arguments) : std::string(english);
  }
  [[nodiscard]] std::string plural(std::string_view one, std::string_view many,
                                   std::int64_t count) const {
    return translator_ ? translator_->plural(one, many, count) : std::string(many);
  }

 private:
  std::optional<eider::Translator> translator_;
};

/// Filters, by the names that templates use.
[[nodiscard]] std::string tr(std::string_view english, const ReaderLanguage& language);
/// With what stands for {name}.
[[nodiscard]] std::string named(std::string_view english, std::string_view name,
                                const ReaderLanguage& language);
[[nodiscard]] std::string books_word(std::int64_t count, const ReaderLanguage& language);
[[nodiscard]] std::string reviews_word(std::int64_t count, const ReaderLanguage& language);
/// "2 in your cart"
[[nodiscard]] std::string in_cart_words(std::int64_t count, const ReaderLanguage& language);
/// What so many cost.
[[nodiscard]] std::int64_t times(std::int64_t cents, std::int64_t count);
/// "€19.90", "19,90 €".
[[nodiscard]] std::string money(std::int64_t cents, const ReaderLanguage& language);
/// "4.3", "4,3".
[[nodiscard]] std::string rating(double stars, const ReaderLanguage& language);
/// "★★★☆☆"
[[nodiscard]] std::string star_row(std::int64_t stars);
/// "Nov 23, 2026", "23.11.2026".
[[nodiscard]] std::string day(std::chrono::sys_seconds instant, const ReaderLanguage& language);

/// The links to a list's pages, in that language.
[[nodiscard]] eider::PageLinks said_in(const ReaderLanguage& language, eider::PageLinks links);

}  // namespace bookstore

template <>
struct eider::TextKind<bookstore::ReaderLanguage> {
  static std::optional<bookstore::ReaderLanguage> parse(std::string_view) { return std::nullopt; }
  static std::string format(const bookstore::ReaderLanguage& language) { return language.tag(); }
  static constexpr TextSchema kSchema = {.requirement = "must be a language", .format = "language"};
};
