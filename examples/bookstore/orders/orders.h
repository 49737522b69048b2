// Orders: placing one reduces the stock of all its books, or of none.
// Layering: must not know carts or permissions.
#pragma once

#include <eider/database.h>
#include <eider/languages.h>
#include <eider/mail.h>

#include <optional>
#include <utility>
#include <vector>

#include "catalogue/live.h"
#include "orders/order.h"

namespace bookstore {

/// A module of the application.
class Orders {
 public:
  static constexpr std::string_view kName = "orders";

  /// mails, from    for the confirmation to the customer
  /// stock_changed  called with the remaining stock of a book after the commit
  Orders(eider::Database database, eider::Outbox& mails, std::string from, TellStock stock_changed)
      : database_(std::move(database)),
        mails_(&mails),
        from_(std::move(from)),
        stock_changed_(std::move(stock_changed)) {}

  /// Places an order, or returns the existing order of that user with the same `checkout`.
  ///
  /// tr      translator for the mail
  /// errors  409 with the name of a book that is sold out or deleted, or if the total differs from
  ///         `total_cents`
  [[nodiscard]] eider::Task<eider::Result<Order>> place(std::int64_t user_id, NewOrder order,
                                                        eider::Translator tr) const;
  /// Returns the orders of that user, the newest first.
  [[nodiscard]] eider::Task<std::vector<Order>> list(std::int64_t user_id) const;
  /// Returns nothing if the order belongs to another user.
  [[nodiscard]] eider::Task<std::optional<Order>> find(std::int64_t id, std::int64_t user_id) const;
  /// Returns the id of the order with that `checkout`.
  [[nodiscard]] eider::Task<std::optional<std::int64_t>> find_checkout(std::string checkout,
                                                                       std::int64_t user_id) const;

 private:
  eider::Task<> confirm(const eider::Transaction& all, std::int64_t user_id, const Order& order,
                        const eider::Translator& tr) const;

  eider::Database database_;
  eider::Outbox* mails_;
  std::string from_;
  TellStock stock_changed_;
};

}  // namespace bookstore
