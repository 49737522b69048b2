// Weights, and lists of weighted tokens (RFC 9110, section 12.4.2): "gzip;q=0.5, *;q=0".
// Layering: must not be used for Accept, whose items have parameters that may be quoted.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/protocols/http/list.h"

namespace eider {

/// In thousandths: 0 (not acceptable) to 1000 (most preferred).
using Weight = std::uint16_t;
inline constexpr Weight kWeightMax = 1000;

/// Parses qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ); nothing for other texts.
[[nodiscard]] std::optional<Weight> parse_qvalue(std::string_view text) noexcept;

struct WeightedToken {
  std::string_view token;
  Weight weight = kWeightMax;
};

/// Reads the items `token [ OWS ";" OWS "q=" qvalue ]` of one field value in order; empty and
/// malformed ones are skipped.
///
///     WeightedTokenReader items(field_value);
///     while (auto item = items.next()) …
class WeightedTokenReader {
 public:
  explicit WeightedTokenReader(std::string_view field_value) noexcept : items_(field_value) {}

  /// Returns the next item; nothing at the end.
  [[nodiscard]] std::optional<WeightedToken> next() noexcept;

 private:
  ListReader items_;
};

}  // namespace eider
