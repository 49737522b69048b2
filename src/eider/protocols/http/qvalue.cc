#include "eider/protocols/http/qvalue.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

namespace {

constexpr std::size_t kDecimalsMax = 3;

/// Returns the digits after the point as thousandths, or nothing if one is not a digit.
std::optional<Weight> parse_decimals(std::string_view digits) noexcept {
  unsigned value = 0;
  unsigned place = 100;
  for (const char digit : digits) {
    if (!is_digit(digit)) {
      return std::nullopt;
    }
    value += static_cast<unsigned>(digit - '0') * place;
    place /= 10;
  }
  return static_cast<Weight>(value);
}

/// weight = OWS ";" OWS "q=" qvalue; `text` starts after the ';'.
std::optional<Weight> parse_weight(std::string_view text) noexcept {
  const std::string_view parameter = trim(text);
  const bool is_weight =
      parameter.size() > 2 && to_lower(parameter.front()) == 'q' && parameter[1] == '=';
  return is_weight ? parse_qvalue(parameter.substr(2)) : std::nullopt;
}

std::optional<WeightedToken> parse_item(std::string_view item) noexcept {
  const std::size_t semicolon = item.find(';');
  const std::string_view token = trim(item.substr(0, semicolon));
  if (!is_token(token)) {
    return std::nullopt;
  }
  if (semicolon == std::string_view::npos) {
    return WeightedToken{token, kWeightMax};
  }
  const std::optional<Weight> weight = parse_weight(item.substr(semicolon + 1));
  return weight ? std::optional(WeightedToken{token, *weight}) : std::nullopt;
}

}  // namespace

std::optional<Weight> parse_qvalue(std::string_view text) noexcept {
  if (text.empty() || (text.front() != '0' && text.front() != '1')) {
    return std::nullopt;
  }
  const Weight whole = text.front() == '1' ? kWeightMax : Weight{0};
  if (text.size() == 1) {
    return whole;
  }
  if (text[1] != '.' || text.size() > 2 + kDecimalsMax) {
    return std::nullopt;
  }
  const std::optional<Weight> decimals = parse_decimals(text.substr(2));
  // "1.001" has valid digits, but exceeds one.
  if (!decimals || whole + *decimals > kWeightMax) {
    return std::nullopt;
  }
  return static_cast<Weight>(whole + *decimals);
}

std::optional<WeightedToken> WeightedTokenReader::next() noexcept {
  while (const auto item = items_.next()) {
    if (const auto parsed = parse_item(*item)) {
      return parsed;
    }
  }
  return std::nullopt;
}

}  // namespace eider
