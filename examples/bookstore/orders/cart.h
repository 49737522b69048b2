// The cart of a visitor, which is part of the session.
// Layering: must not know prices or stock, which may change until the order is placed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bookstore {

struct CartLine {
  std::int64_t book_id = 0;
  int count = 1;
};

/// Each book has at most one line.
using Cart = std::vector<CartLine>;

inline constexpr int kCountMax = 99;
inline constexpr std::size_t kCartLinesMax = 50;

/// The session of a visitor.
struct Visit {
  Cart cart = {};
};

/// count    0 removes the book
/// returns  false if the cart is full
bool set_count(Cart& cart, std::int64_t book_id, int count);
[[nodiscard]] int count_of(const Cart& cart, std::int64_t book_id);
[[nodiscard]] int count_of(const Cart& cart);

}  // namespace bookstore
