// What a visitor is about to buy: a part of the session.
// Must not know prices or stock, which may change until the order is placed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bookstore {

struct CartLine {
  std::int64_t book_id = 0;
  int count = 1;
};

/// Of each book one line.
using Cart = std::vector<CartLine>;

inline constexpr int kCountMax = 99;
inline constexpr std::size_t kCartLinesMax = 50;

/// What sessions keep of a visitor.
struct Visit {
  Cart cart = {};
};

/// count    0 takes the book out
/// returns  whether there is room for it
inline bool set_count(Cart& cart, std::int64_t book_id, int count) {
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

[[nodiscard]] inline int count_of(const Cart& cart, std::int64_t book_id) {
  const auto line = std::ranges::find(cart, book_id, &CartLine::book_id);
  return line == cart.end() ? 0 : line->count;
}

[[nodiscard]] inline int count_of(const Cart& cart) {
  int count = 0;
  for (const CartLine& line : cart) {
    count += line.count;
  }
  return count;
}

}  // namespace bookstore
