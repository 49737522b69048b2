// Selects the plural form of a number, using the expression in the header of a catalog.
// Layering: must not know languages; catalogs contain the rules.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::detail::languages {

/// source  GNU gettext manual, "Plural forms"
class PluralRule {
 public:
  static constexpr std::size_t kFormsMax = 8;  // Arabic has six
  static constexpr std::size_t kTextBytesMax = 1024;
  static constexpr std::size_t kNodesMax = 256;
  static constexpr int kDepthMax = 32;

  /// The rule of English: one form for 1, and one for all other numbers.
  PluralRule() = default;

  /// text    "nplurals=2; plural=n != 1;": a C expression in n, evaluated with unsigned 64-bit
  ///         numbers
  /// errors  what is wrong with the expression
  [[nodiscard]] static Result<PluralRule, std::string> parse(std::string_view text);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Returns a number below count(); 0 if the expression divides by zero or its result is not a
  /// form.
  [[nodiscard]] std::size_t form_of(std::uint64_t number) const noexcept;

  enum class Operation : std::uint8_t {
    n,
    constant,
    negate,
    multiply,
    divide,
    remainder,
    add,
    subtract,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    equal,
    not_equal,
    conjunction,
    disjunction,
    choice,
  };
  /// value     of a constant
  /// operands  indices of nodes, as many as the operation takes
  struct Node {
    Operation operation;
    std::uint64_t value = 0;
    std::array<std::size_t, 3> operands{};
  };

 private:
  std::size_t count_ = 2;
  std::vector<Node> nodes_;  // the root is last; empty: English
};

}  // namespace eider::detail::languages
