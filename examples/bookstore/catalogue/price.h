// Prices in forms: "12.99", "12,99".
// Layering: must not format prices for pages; the filter `money` does.
#pragma once

#include <eider/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "site/language.h"

namespace bookstore {

/// Cents of what somebody has typed in euros, with a point or a comma: at most two digits stand
/// behind it, so that nobody's "1.250" is taken for another amount than was meant. Nothing for what
/// is no price.
[[nodiscard]] std::optional<std::int64_t> cents_of(std::string_view typed);

/// The same the other way round, with the mark of that language: "12,99".
[[nodiscard]] std::string typed_price(std::int64_t cents, const eider::Translator& tr);

struct IsPrice {
  static bool check(std::string_view typed) { return cents_of(typed).has_value(); }
  static eider::Requirement describe() {
    return {.code = "price", .text = "must be an amount of up to 10000, such as 12.99"};
  }
};

}  // namespace bookstore
