#include "site/language.h"

namespace bookstore {

std::int64_t times(std::int64_t cents, std::int64_t count) {
  return cents * count;
}

std::string money(std::int64_t cents, const eider::Translator& tr) {
  const auto euros = eider::Decimal::from(cents, 2).value_or(eider::Decimal());
  return tr.money(euros.text(), "EUR");
}

std::string rating(double stars, const eider::Translator& tr) {
  return tr.number(stars, {.decimals_min = 1, .decimals_max = 1});
}

std::string star_row(std::int64_t stars) {
  std::string row;
  for (std::int64_t star = 1; star <= 5; ++star) {
    row += star <= stars ? "★" : "☆";
  }
  return row;
}

std::string day(std::chrono::sys_seconds instant, const eider::Translator& tr) {
  return tr.date(instant);
}

eider::PageLinks translated(const eider::Translator& tr, eider::PageLinks links) {
  links.label = tr("Pages");
  links.previous_text = tr("Back");
  links.next_text = tr("Next");
  return links;
}

}  // namespace bookstore
