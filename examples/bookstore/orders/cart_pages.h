// The data of the pages from the cart to the order.
// Layering: must not know the layout; pages/*.html does.
#pragma once

#include <eider/eider.h>
#include <eider/views.h>

#include <string>
#include <vector>

#include "orders/order.h"
#include "site/frame.h"

namespace bookstore {

class Books;

struct CartEntry {
  std::int64_t id = 0;
  std::string title;
  std::int64_t price_cents = 0;
  int stock = 0;
  int count = 0;
};

struct CartPage {
  Frame frame;
  std::vector<CartEntry> entries;
  std::int64_t total_cents = 0;
};

struct CheckoutPage {
  Frame frame;
  std::vector<CartEntry> entries;
  std::int64_t total_cents = 0;
  eider::FormView form;
};

struct OrdersPage {
  Frame frame;
  std::vector<Order> orders;
};

struct OrderPage {
  Frame frame;
  Order order;
};

/// Returns the entries of the frame's cart. Removes deleted books from the cart, and shows a
/// message.
///
/// frame, books  outlive the call
[[nodiscard]] eider::Task<std::vector<CartEntry>> entries_of(Frame& frame,
                                                             eider::Session<Visit> session,
                                                             const Books& books);
[[nodiscard]] std::int64_t total_of(const std::vector<CartEntry>& entries);

/// Adds /cart.
void add_cart_pages(eider::Routes& app);
/// Adds /checkout and /orders.
void add_checkout_pages(eider::Routes& app);

}  // namespace bookstore
