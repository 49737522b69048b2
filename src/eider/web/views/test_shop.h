// For tests: structs for templates, in a namespace as in an application.
// Layering: must not know templates.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "eider/core/kinds/times.h"
#include "eider/core/reflect/constraints.h"

namespace shop {

enum class State { open, sold_out };

struct Maker {
  std::string name;
  std::string url;
};

struct Item {
  std::string name;
  double price = 0;
  std::int32_t left = 0;
  State state = State::open;
  std::optional<Maker> maker = {};
  std::vector<std::string> tags = {};
};

struct Circle {
  double radius = 1;
};
struct Square {
  double side = 2;
  std::string colour = "red";
};

struct Shop {
  std::string title;
  std::string_view motto;
  const char* note = nullptr;
  bool is_open = false;
  std::uint64_t visits = 0;
  std::int64_t balance = 0;
  float rating = 0;
  State state = State::open;
  std::optional<std::string> notice;
  std::optional<Item> featured;
  std::optional<std::vector<Item>> hidden;
  std::vector<Item> items;
  std::array<int, 2> pair = {1, 2};
  std::set<std::string> words;
  std::map<std::string, int> counts;
  std::variant<Circle, Square> shape;
  eider::Bounded<int, 0, 5> stars = 0;
  eider::Sized<std::string, 0, 90> slogan;
  std::unique_ptr<Maker> owner;
  std::chrono::year_month_day day = std::chrono::year_month_day(
      std::chrono::year(2026), std::chrono::month(11), std::chrono::day(3));
};

struct ShopPage {
  Shop shop;
  std::string accent = "red";
};

inline std::string shout(std::string_view text) {
  return std::string(text) + "!";
}
/// Returns a view of its argument; the next one has a text by value.
inline std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}
inline std::string doubled(std::string text) {
  return text + text;
}
inline std::vector<std::string> words_of(const std::string& text) {
  return {text, std::string(first_word(text))};
}
inline std::int64_t times(std::int64_t number, std::int64_t factor) {
  return number * factor;
}
inline std::string label(const Item& item) {
  return "<" + item.name + ">";
}

}  // namespace shop
