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

  /// mails, from    confirm an order to whoever has placed it
  /// stock_changed  is told how many of a book are left, once that is so for everybody
  Orders(eider::Database database, eider::Outbox& mails, std::string from, TellStock stock_changed)
      : database_(std::move(database)),
        mails_(&mails),
        from_(std::move(from)),
        stock_changed_(std::move(stock_changed)) {}

  /// The order, which one of that user with the same `checkout` is already.
  ///
  /// tr      of the mail
  /// errors  409 that names the book of which there are not enough, or none any more, or where it
  ///         costs another sum than `total_cents`
  [[nodiscard]] eider::Task<eider::Result<Order>> place(std::int64_t user_id, NewOrder order,
                                                        eider::Translator tr) const;
  /// That user's, the last one first.
  [[nodiscard]] eider::Task<std::vector<Order>> list(std::int64_t user_id) const;
  /// Nothing where it is another's.
  [[nodiscard]] eider::Task<std::optional<Order>> find(std::int64_t id, std::int64_t user_id) const;
  /// The id of the order that was placed under that name.
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
