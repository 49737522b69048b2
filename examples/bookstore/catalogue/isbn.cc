#include "catalogue/isbn.h"

namespace bookstore {

std::optional<Isbn> Isbn::from_text(std::string_view text) {
  std::string digits;
  int sum = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      sum += (c - '0') * (digits.size() % 2 == 0 ? 1 : 3);
      digits += c;
    } else if (c != '-' && c != ' ') {
      return std::nullopt;
    }
  }
  if (digits.size() != kDigits || sum % 10 != 0) {
    return std::nullopt;
  }
  return Isbn(std::move(digits));
}

}  // namespace bookstore
