#include "checked.h"

#include <eider/middleware.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace arena {

namespace {

using namespace eider;

enum class Paid : std::uint8_t { card, invoice };

struct CheckedLine {
  Validated<std::string, HasLength<1, 32>, Matches<"[a-z0-9-]+">> sku;
  Bounded<std::int64_t, 1, 1000> count;
  Bounded<std::int64_t, 0, 10'000'000> cents;
};

struct CheckedOrder {
  Uuid id;
  Sized<std::string, 1, 80> name;
  Email mail;
  Sized<std::string, 1, 120> street;
  Validated<std::string, Matches<"[0-9]{5}">> postcode;
  Sized<std::string, 1, 80> city;
  Validated<std::string, OneOf<"DE", "AT", "CH">> country;
  Paid paid_with;
  Validated<std::vector<std::string>, Unique, HasLength<0, 8>> tags;
  std::optional<Sized<std::string, 0, 500>> note;
  bool is_gift;
  Sized<std::vector<CheckedLine>, 1, 50> lines;
};

struct PlainLine {
  std::string sku;
  std::int64_t count;
  std::int64_t cents;
};

struct PlainOrder {
  std::string id;
  std::string name;
  std::string mail;
  std::string street;
  std::string postcode;
  std::string city;
  std::string country;
  std::string paid_with;
  std::vector<std::string> tags;
  std::optional<std::string> note;
  bool is_gift;
  std::vector<PlainLine> lines;
};

struct Taken {
  std::string name;
  std::int64_t lines;
  std::int64_t cents;
};

/// Of a number with rules, and of one without.
std::int64_t value_of(std::int64_t value) {
  return value;
}

template <class Lines>
Taken taken(const std::string& name, const Lines& lines) {
  Taken answer{name, 0, 0};
  for (const auto& line : lines) {
    ++answer.lines;
    answer.cents += value_of(line.count) * value_of(line.cents);
  }
  return answer;
}

}  // namespace

void add_orders(App& app) {
  constexpr std::uint32_t kNobodyIsRefused = 1'000'000'000;
  app.post("/checked", [](Json<CheckedOrder> order) { return taken(*order->name, *order->lines); })
      .use(request_id())
      .use(concurrency_limit({.requests = kNobodyIsRefused}))
      .use(rate_limit({.requests = kNobodyIsRefused, .per = std::chrono::minutes(1)}))
      .use(security_headers())
      .use(cross_origin_protection());
  app.post("/unchecked", [](Json<PlainOrder> order) { return taken(order->name, order->lines); });
}

}  // namespace arena
