#include "catalogue/price.h"

#include <algorithm>

#include "catalogue/book.h"

namespace bookstore {

std::optional<std::int64_t> cents_of(std::string_view typed) {
  std::string euros(typed);
  std::ranges::replace(euros, ',', '.');
  const auto price = eider::Decimal::parse(euros);
  const auto cents = price && price->scale() <= 2 ? price->with_scale(2) : std::nullopt;
  if (!cents || cents->unscaled() < 1 || cents->unscaled() > kCentsMax) {
    return std::nullopt;
  }
  return cents->unscaled();
}

std::string typed_price(std::int64_t cents, const eider::Translator& tr) {
  const auto euros = eider::Decimal::from(cents, 2).value_or(eider::Decimal());
  std::string text{std::string_view(euros.text())};
  const std::string half = tr.decimal("0.5");
  text.replace(text.find('.'), 1, half.substr(1, half.size() - 2));
  return text;
}

}  // namespace bookstore
