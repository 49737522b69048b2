#include "orders/cart.h"

#include <algorithm>

namespace bookstore {

bool set_count(Cart& cart, std::int64_t book_id, int count) {
  const auto line = std::ranges::find(cart, book_id, &CartLine::book_id);
  if (count <= 0) {
    if (line != cart.end()) {
      cart.erase(line);
    }
  } else if (line != cart.end()) {
    line->count = std::min(count, kCountMax);
  } else if (cart.size() < kCartLinesMax) {
    cart.push_back({book_id, std::min(count, kCountMax)});
  } else {
    return false;
  }
  return true;
}

int count_of(const Cart& cart, std::int64_t book_id) {
  const auto line = std::ranges::find(cart, book_id, &CartLine::book_id);
  return line == cart.end() ? 0 : line->count;
}

int count_of(const Cart& cart) {
  int count = 0;
  for (const CartLine& line : cart) {
    count += line.count;
  }
  return count;
}

}  // namespace bookstore
