#include "orders/order_api.h"

#include <eider/apikeys.h>
#include <eider/eider.h>
#include <eider/middleware.h>

#include "orders/orders.h"
#include "people/user.h"

namespace bookstore {

using namespace eider;

namespace {

Task<std::vector<Order>> list(const User& user, State<Orders> orders) {
  return orders->list(user.id);
}

Task<Result<Order>> find(std::int64_t id, const User& user, State<Orders> orders) {
  std::optional<Order> order = co_await orders->find(id, user.id);
  co_return order ? Result<Order>(std::move(*order))
                  : fail(Error::not_found("This order does not exist."));
}

Task<Result<Created<Order>>> place(Json<NewOrder> given, const User& user, State<Orders> orders,
                                   const Translator& tr) {
  Result<Order> order = co_await orders->place(user.id, *given, tr);
  if (!order) {
    co_return fail(order.error());
  }
  std::string address = "/api/orders/" + std::to_string(order->id);
  co_return Created(std::move(*order), std::move(address));
}

}  // namespace

void add_order_api(Routes& api) {
  api.get("/orders", list)
      .docs({.summary = "Lists the orders of the user", .tags = {"orders"}})
      .guard(require_key_scope(kReadOrders));
  api.get("/orders/{id}", find)
      .docs({.summary = "Returns an order of the user", .tags = {"orders"}})
      .guard(require_key_scope(kReadOrders));
  api.post("/orders", place)
      .docs({.summary = "Orders books", .tags = {"orders"}})
      .guard(require_key_scope(kPlaceOrders))
      .use(idempotency_keys());
}

}  // namespace bookstore
