#include "site/language.h"

#include <eider/locale/locale.h>

namespace bookstore {

std::string tr(std::string_view english, const ReaderLanguage& language) {
  return language.text(english);
}

std::string named(std::string_view english, std::string_view name, const ReaderLanguage& language) {
  return language.text(english, {{"name", name}});
}

std::string books_word(std::int64_t count, const ReaderLanguage& language) {
  return language.plural("{count} book", "{count} books", count);
}

std::string reviews_word(std::int64_t count, const ReaderLanguage& language) {
  return language.plural("{count} review", "{count} reviews", count);
}

std::string in_cart_words(std::int64_t count, const ReaderLanguage& language) {
  return language.plural("{count} in your cart", "{count} in your cart", count);
}

std::int64_t times(std::int64_t cents, std::int64_t count) {
  return cents * count;
}

std::string money(std::int64_t cents, const ReaderLanguage& language) {
  const auto euros = eider::Decimal::from(cents, 2).value_or(eider::Decimal());
  return eider::locale::money(euros.text(), "EUR", language.tag());
}

std::string rating(double stars, const ReaderLanguage& language) {
  return eider::Locale(language.tag()).number(stars, {.decimals_min = 1, .decimals_max = 1});
}

std::string star_row(std::int64_t stars) {
  std::string row;
  for (std::int64_t star = 1; star <= 5; ++star) {
    row += star <= stars ? "★" : "☆";
  }
  return row;
}

std::string day(std::chrono::sys_seconds instant, const ReaderLanguage& language) {
  return eider::Locale(language.tag()).date(instant);
}

eider::PageLinks said_in(const ReaderLanguage& language, eider::PageLinks links) {
  links.label = language.text("Pages");
  links.previous_text = language.text("Back");
  links.next_text = language.text("Next");
  return links;
}

}  // namespace bookstore
