#include <eider/forms.h>
#include <eider/text.h>
#include <eider/views.h>

#include "catalogue/books.h"
#include "checkout.html.h"
#include "order.html.h"
#include "orders.html.h"
#include "orders/cart_pages.h"
#include "orders/orders.h"
#include "site/responses.h"

namespace bookstore {

using namespace eider;

namespace {

/// The values that the form was shown with.
///
/// checkout  identifies the order, so that a double click places only one; its characters need no
///           escaping in a URL
/// cart      lines_of the cart: another window may have changed it without a change of the total
struct Asked {
  Validated<std::string, Matches<"[A-Za-z0-9_-]{1,64}">> checkout;
  std::int64_t total_cents;
  Sized<std::string, 0, 2000> cart;
};

/// "3x1.14x2": one of book 3 and two of book 14.
std::string lines_of(const Cart& cart) {
  std::string lines;
  for (const CartLine& line : cart) {
    lines += (lines.empty() ? "" : ".") + std::to_string(line.book_id) + "x" +
             std::to_string(line.count);
  }
  return lines;
}

/// frame, books  outlive the call
Task<CheckoutPage> page_of(Frame& frame, Session<Visit> session, const Books& books) {
  CheckoutPage page;
  page.entries = co_await entries_of(frame, session, books);
  page.total_cents = total_of(page.entries);
  page.frame = std::move(frame);
  co_return page;
}

FormOptions options_of(const std::string& checkout, const CheckoutPage& page) {
  return {.action = "/checkout?checkout=" + checkout + "&total_cents=" +
                    std::to_string(page.total_cents) + "&cart=" + lines_of(page.frame.cart),
          .submit = "Order now"};
}

Task<Response> show_checkout(EmptyForm<Address> form, Frame frame, const User& user,
                             Session<Visit> session, State<Books> books, State<Views> views) {
  CheckoutPage page = co_await page_of(frame, session, *books);
  if (page.entries.empty()) {
    co_return see_other("/cart");
  }
  Address address;
  address.name = user.name;
  page.form = form.view_of(address, options_of(random_token(), page));
  co_return shown(*views, session, std::move(page));
}

NewOrder order_of(const Address& address, const Cart& cart, const Asked& asked) {
  std::vector<NewOrderLine> lines;
  for (const CartLine& line : cart) {
    lines.push_back({line.book_id, line.count});
  }
  return {address, std::move(lines), asked.checkout, asked.total_cents};
}

/// Returns why an order was rejected, in the reader's language.
std::string told(const Error& error, const eider::Translator& tr) {
  for (const FieldError& fault : error.fields()) {
    for (const FieldError::Argument& argument : fault.arguments) {
      return tr(fault.detail, {{argument.name, argument.value}});
    }
  }
  return tr(error.detail());
}

Task<Response> check_out(Query<Asked> asked, BoundForm<Address> form, Frame frame, const User& user,
                         Session<Visit> session, State<Orders> orders, State<Books> books,
                         State<Views> views, const Translator& tr) {
  // Before the cart is used, which the first request of a double click has emptied.
  const auto before = co_await orders->find_checkout(*asked->checkout, user.id);
  if (before) {
    co_return see_other("/orders/" + std::to_string(*before));
  }
  if (*asked->cart != lines_of(frame.cart)) {
    form.add(frame.tr("Your cart has changed. Please check it again."));
  }
  if (form.is_valid() && !frame.cart.empty()) {
    NewOrder wanted = order_of(*form, frame.cart, *asked);
    const Result<Order> order = co_await orders->place(user.id, std::move(wanted), tr);
    if (order) {
      session->cart.clear();
      session.flash("info", tr("Thank you, your order is placed."));
      co_return see_other("/orders/" + std::to_string(order->id));
    }
    form.add(told(order.error(), frame.tr));
  }
  CheckoutPage page = co_await page_of(frame, session, *books);
  if (page.entries.empty()) {
    co_return see_other("/cart");
  }
  page.form = form.view(options_of(*asked->checkout, page));
  co_return shown(*views, session, std::move(page), 422);
}

Task<Response> show_orders(Frame frame, Session<> session, const User& user, State<Orders> orders,
                           State<Views> views) {
  OrdersPage page;
  page.frame = std::move(frame);
  page.orders = co_await orders->list(user.id);
  co_return shown(*views, session, page);
}

Task<Result<Response>> show_order(std::int64_t id, Frame frame, Session<> session, const User& user,
                                  State<Orders> orders, State<Views> views) {
  std::optional<Order> order = co_await orders->find(id, user.id);
  if (!order) {
    co_return fail(Error::not_found("This order does not exist."));
  }
  const OrderPage page{std::move(frame), std::move(*order)};
  co_return shown(*views, session, page);
}

}  // namespace

void add_checkout_pages(Routes& app) {
  app.get("/checkout", show_checkout);
  app.post("/checkout", check_out);
  app.get("/orders", show_orders);
  app.get("/orders/{id}", show_order);
}

}  // namespace bookstore
