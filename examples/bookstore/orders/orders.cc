#include "orders/orders.h"

#include "site/language.h"

namespace bookstore {

using eider::Error;
using eider::fail;
using eider::Result;
using eider::Task;
using eider::Transaction;
using eider::Translator;
using eider::db::Statements;

namespace {

const eider::ProblemType kOutOfStock{.uri = "/problems/out-of-stock", .title = "Out of stock"};

struct Taken {
  std::string title;
  std::int64_t price_cents = 0;
  int stock = 0;
};

/// left  empty: the book no longer exists
Error out_of_stock(const std::optional<Taken>& left) {
  Error error =
      Error::conflict(left ? "There are not enough copies." : "A book is no longer sold.");
  error.with_type(kOutOfStock);
  if (left) {
    error.with_field({.pointer = "/lines",
                      .detail = "There are not enough copies of {title}.",
                      .code = "out_of_stock",
                      .arguments = {{"title", left->title}}});
  }
  return error;
}

/// Stores one line of an order, within its transaction.
///
/// errors  409: not enough copies
Task<Result<StockChange>> take(const Transaction& all, std::int64_t order_id, NewOrderLine line) {
  const auto taken = co_await all.one<Taken>(
      "update books set stock = stock - $2 where id = $1 and stock >= $2 returning title, "
      "price_cents, stock",
      line.book_id, *line.count);
  if (!taken) {
    const auto left = co_await all.one<Taken>(
        "select title, price_cents, stock from books where id = $1", line.book_id);
    co_return fail(out_of_stock(left));
  }
  co_await all.exec(
      "insert into order_lines(order_id, book_id, title, price_cents, count) "
      "values($1, $2, $3, $4, $5)",
      order_id, line.book_id, taken->title, taken->price_cents, *line.count);
  co_return StockChange{line.book_id, taken->stock};
}

/// errors  409
Task<Result<std::int64_t>> put(const Transaction& all, std::int64_t user_id, const NewOrder& order,
                               std::vector<StockChange>& changes) {
  const auto id = co_await all.one<std::int64_t>(
      "insert into orders(user_id, name, street, city, total_cents, checkout) "
      "values($1, $2, $3, $4, 0, $5) returning id",
      user_id, order.address.name, order.address.street, order.address.city, order.checkout);
  for (const NewOrderLine& line : *order.lines) {
    const auto change = co_await take(all, id.value(), line);
    if (!change) {
      co_return fail(change.error());
    }
    changes.push_back(*change);
  }
  const auto total = co_await all.one<std::int64_t>(
      "update orders set total_cents = (select sum(price_cents * count) from order_lines where "
      "order_id = $1) where id = $1 returning total_cents",
      id.value());
  if (order.total_cents && order.total_cents != total) {
    co_return fail(Error::conflict("The total has changed. Please check it again."));
  }
  co_return id.value();
}

Task<std::optional<Order>> find_in(const Statements& at, std::int64_t id, std::int64_t user_id) {
  auto order = co_await at.one<Order>(
      "select id, state, name, street, city, total_cents, placed from orders where id = $1 and "
      "user_id = $2",
      id, user_id);
  if (order) {
    order->lines = co_await at.all<OrderLine>(
        "select book_id, title, price_cents, count from order_lines where order_id = $1", id);
  }
  co_return order;
}

Task<std::optional<std::int64_t>> find_checkout_in(const Statements& at, std::string checkout,
                                                   std::int64_t user_id) {
  co_return co_await at.one<std::int64_t>(
      "select id from orders where user_id = $1 and checkout = $2", user_id, checkout);
}

}  // namespace

Task<Result<Order>> Orders::place(std::int64_t user_id, NewOrder order, Translator tr) const {
  std::vector<StockChange> changes;
  const auto body = [&](Transaction& all) -> Task<Result<Order>> {
    const std::string checkout = order.checkout ? std::string(**order.checkout) : "";
    const auto before = co_await find_checkout_in(all, checkout, user_id);
    if (before) {
      co_return (co_await find_in(all, *before, user_id)).value();
    }
    const Result<std::int64_t> id = co_await put(all, user_id, order, changes);
    if (!id) {
      co_return fail(id.error());
    }
    std::optional<Order> placed = co_await find_in(all, *id, user_id);
    co_await confirm(all, user_id, placed.value(), tr);
    co_return std::move(*placed);
  };
  Result<Order> placed = co_await database_.transaction(body);
  for (const StockChange& change : placed ? changes : std::vector<StockChange>()) {
    stock_changed_(change);
  }
  co_return placed;
}

/// The mail is sent if, and only if, the order is committed.
Task<> Orders::confirm(const Transaction& all, std::int64_t user_id, const Order& order,
                       const Translator& tr) const {
  const auto to = co_await all.one<std::string>("select mail from users where id = $1", user_id);
  std::string text = tr("Thank you, your order is placed.") + "\n\n";
  for (const OrderLine& line : order.lines) {
    text += std::to_string(line.count) + " × " + line.title + ": " +
            money(line.price_cents * line.count, tr) + "\n";
  }
  text += tr("Total") + ": " + money(order.total_cents, tr) + "\n";
  const eider::Mail mail{.from = from_,
                         .to = {to.value()},
                         .subject = tr("Your order {number}", {{"number", order.id}}),
                         .text = std::move(text)};
  co_await mails_->add(all, mail);
}

Task<std::vector<Order>> Orders::list(std::int64_t user_id) const {
  co_return co_await database_.all<Order>(
      "select id, state, name, street, city, total_cents, placed from orders where user_id = $1 "
      "order by id desc limit 100",
      user_id);
}

Task<std::optional<Order>> Orders::find(std::int64_t id, std::int64_t user_id) const {
  return find_in(database_, id, user_id);
}

Task<std::optional<std::int64_t>> Orders::find_checkout(std::string checkout,
                                                        std::int64_t user_id) const {
  return find_checkout_in(database_, std::move(checkout), user_id);
}

}  // namespace bookstore
