// Sends changes of the stock to all open pages.
// Layering: must not store the stock.
#pragma once

#include <eider/eider.h>

#include <cstdint>
#include <functional>

namespace bookstore {

/// The new stock of a book.
struct StockChange {
  std::int64_t book_id = 0;
  int stock = 0;
};

/// Publishes a change to all subscribers.
using TellStock = std::function<void(StockChange)>;
[[nodiscard]] TellStock tell_followers(eider::Topics& topics);

/// Adds GET /live/stock, a WebSocket: {"book_id":3,"stock":11} for each change.
void add_live_stock(eider::Routes& app);

}  // namespace bookstore
