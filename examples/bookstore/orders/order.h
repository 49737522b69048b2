// An order in requests and in the database.
// Layering: must not know the database or pages.
#pragma once

#include <eider/eider.h>
#include <eider/forms.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orders/cart.h"

namespace bookstore {

// tr
enum class OrderState : std::uint8_t { placed, sent, cancelled };

struct Address {
  eider::Sized<std::string, 1, 100> name;
  eider::Sized<std::string, 1, 200> street;
  eider::Sized<std::string, 1, 100> city;

  static constexpr eider::FieldText kFormFields[] = {
      {.member = "name", .autocomplete = "name"},
      {.member = "street", .autocomplete = "street-address"},
      {.member = "city", .autocomplete = "address-level2"}};
};

struct NewOrderLine {
  std::int64_t book_id;
  eider::Bounded<int, 1, kCountMax> count;
};

struct NewOrder {
  Address address;
  eider::Sized<std::vector<NewOrderLine>, 1, kCartLinesMax> lines;
  std::optional<eider::Sized<std::string, 1, 64>> checkout;
  std::optional<std::int64_t> total_cents;

  static constexpr eider::MemberText kDocs[] = {
      {"checkout", "Unique key of the client: a repeated key does not create another order."},
      {"total_cents", "Expected total. If the total differs, nothing is ordered."}};
};

struct OrderLine {
  std::optional<std::int64_t> book_id;
  std::string title;
  std::int64_t price_cents = 0;
  int count = 1;
};

struct Order {
  std::int64_t id = 0;
  OrderState state = OrderState::placed;
  std::string name;
  std::string street;
  std::string city;
  std::int64_t total_cents = 0;
  std::chrono::sys_seconds placed;
  std::vector<OrderLine> lines = eider::kOptional;
};

}  // namespace bookstore
