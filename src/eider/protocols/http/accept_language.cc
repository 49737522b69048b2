#include "eider/protocols/http/accept_language.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/qvalue.h"

namespace eider {

namespace {

std::optional<std::size_t> find_language(std::string_view tag,
                                         std::span<const std::string_view> offered) noexcept {
  for (std::size_t index = 0; index < offered.size(); ++index) {
    if (equals_ignoring_case(offered[index], tag)) {
      return index;
    }
  }
  return std::nullopt;
}

/// Tries "zh-Hant-TW", then "zh-Hant", then "zh".
std::optional<std::size_t> look_up(std::string_view range,
                                   std::span<const std::string_view> offered) noexcept {
  if (range == "*" && !offered.empty()) {
    return 0;
  }
  // RFC 4647, 3.4: subtags are removed from the end until a language is offered, so the nearest one
  // wins.
  while (true) {
    if (const auto found = find_language(range, offered)) {
      return found;
    }
    const std::size_t dash = range.rfind('-');
    if (dash == range.npos) {
      return std::nullopt;
    }
    range = range.substr(0, dash);
  }
}

}  // namespace

std::optional<std::size_t> choose_language(std::string_view field_value,
                                           std::span<const std::string_view> offered) noexcept {
  std::optional<std::size_t> best;
  Weight best_weight = 0;
  if (field_value.size() > kAcceptLanguageBytesMax) {
    return best;
  }
  WeightedTokenReader items(field_value);
  while (const auto item = items.next()) {
    const auto found = item->weight > best_weight ? look_up(item->token, offered) : std::nullopt;
    if (found) {
      best = found;
      best_weight = item->weight;
    }
  }
  return best;
}

}  // namespace eider
