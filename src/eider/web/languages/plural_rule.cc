#include "eider/web/languages/plural_rule.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "eider/core/base/text.h"

namespace eider::detail::languages {
namespace {

using Node = PluralRule::Node;
using Operation = PluralRule::Operation;
using Value = std::optional<std::uint64_t>;

struct Sign {
  std::string_view text;
  Operation operation;
};

/// Binary operators, lowest precedence first. A longer sign precedes its prefixes.
constexpr std::array<std::array<Sign, 4>, 6> kLevels = {{
    {{{"||", Operation::disjunction}}},
    {{{"&&", Operation::conjunction}}},
    {{{"==", Operation::equal}, {"!=", Operation::not_equal}}},
    {{{"<=", Operation::less_or_equal},
      {">=", Operation::greater_or_equal},
      {"<", Operation::less},
      {">", Operation::greater}}},
    {{{"+", Operation::add}, {"-", Operation::subtract}}},
    {{{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::remainder}}},
}};

/// Parses an expression into nodes; nothing if it is invalid or too large.
class Expression {
 public:
  explicit Expression(std::string_view text) noexcept : rest_(text) {}

  std::optional<std::vector<Node>> read() {
    const Index root = choice();
    skip_blanks();
    return root && rest_.empty() ? std::optional(std::move(nodes_)) : std::nullopt;
  }

 private:
  using Index = std::optional<std::size_t>;

  /// Counts the depth of recursion, because input determines the use of the stack.
  class Deeper {
   public:
    explicit Deeper(int& depth) noexcept : depth_(depth) { ++depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth_; }

   private:
    int& depth_;
  };

  Index choice() {
    const Deeper deeper(depth_);
    if (depth_ > PluralRule::kDepthMax) {
      return std::nullopt;
    }
    const Index condition = binary(0);
    if (!condition || !take("?")) {
      return condition;
    }
    const Index yes = choice();
    const Index no = yes && take(":") ? choice() : std::nullopt;
    return no ? add({Operation::choice, 0, {*condition, *yes, *no}}) : std::nullopt;
  }

  Index binary(std::size_t level) {
    if (level == kLevels.size()) {
      return unary();
    }
    Index left = binary(level + 1);
    while (left) {
      const Sign* const sign = take_one_of(kLevels[level]);
      if (sign == nullptr) {
        return left;
      }
      const Index right = binary(level + 1);
      left = right ? add({sign->operation, 0, {*left, *right}}) : std::nullopt;
    }
    return left;
  }

  Index unary() {
    const Deeper deeper(depth_);
    if (depth_ > PluralRule::kDepthMax) {
      return std::nullopt;
    }
    if (!take("!")) {
      return primary();
    }
    const Index operand = unary();
    return operand ? add({Operation::negate, 0, {*operand}}) : std::nullopt;
  }

  Index primary() {
    if (take("(")) {
      const Index inner = choice();
      return inner && take(")") ? inner : std::nullopt;
    }
    if (take("n")) {
      return add({Operation::n});
    }
    const auto digits =
        rest_.substr(0, std::min(rest_.find_first_not_of("0123456789"), rest_.size()));
    const auto number = parse_uint64(digits);
    rest_.remove_prefix(digits.size());
    return number ? add({Operation::constant, *number}) : std::nullopt;
  }

  Index add(Node node) {
    if (nodes_.size() == PluralRule::kNodesMax) {
      return std::nullopt;
    }
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }

  void skip_blanks() noexcept { rest_ = trim(rest_); }

  bool take(std::string_view sign) noexcept {
    skip_blanks();
    const bool is_there = rest_.starts_with(sign);
    rest_.remove_prefix(is_there ? sign.size() : 0);
    return is_there;
  }

  const Sign* take_one_of(std::span<const Sign> signs) noexcept {
    const auto found = std::ranges::find_if(
        signs, [this](const Sign& sign) { return !sign.text.empty() && take(sign.text); });
    return found == signs.end() ? nullptr : &*found;
  }

  std::string_view rest_;
  std::vector<Node> nodes_;
  int depth_ = 0;
};

/// Computes the value of a node; nothing after a division by zero.
class Evaluation {
 public:
  Evaluation(std::span<const Node> nodes, std::uint64_t n) noexcept : nodes_(nodes), n_(n) {}

  // The depth of recursion is at most the number of nodes.
  [[nodiscard]] Value of(std::size_t index) const noexcept {
    const Node& node = nodes_[index];
    switch (node.operation) {
      case Operation::n:
        return n_;
      case Operation::constant:
        return node.value;
      case Operation::choice:
      case Operation::conjunction:
      case Operation::disjunction:
        return by_condition(node);
      case Operation::negate:
        return is_zero(of(node.operands[0]));
      case Operation::multiply:
      case Operation::divide:
      case Operation::remainder:
      case Operation::add:
      case Operation::subtract:
        return computed(node);
      case Operation::less:
      case Operation::less_or_equal:
      case Operation::greater:
      case Operation::greater_or_equal:
      case Operation::equal:
      case Operation::not_equal:
        break;
    }
    return compared(node);
  }

 private:
  /// Evaluates operators whose other operands C evaluates only if needed.
  [[nodiscard]] Value by_condition(const Node& node) const noexcept {
    const Value first = of(node.operands[0]);
    if (!first) {
      return std::nullopt;
    }
    if (node.operation == Operation::choice) {
      return of(node.operands[*first != 0 ? 1 : 2]);
    }
    const bool is_decided = (*first != 0) == (node.operation == Operation::disjunction);
    const Value second = is_decided ? first : of(node.operands[1]);
    return second ? Value(*second != 0 ? 1 : 0) : std::nullopt;
  }

  static Value is_zero(Value value) noexcept { return value ? Value(*value == 0 ? 1 : 0) : value; }

  [[nodiscard]] Value computed(const Node& node) const noexcept {
    const Value left = of(node.operands[0]);
    const Value right = of(node.operands[1]);
    if (!left || !right) {
      return std::nullopt;
    }
    switch (node.operation) {
      case Operation::multiply:
        return *left * *right;
      case Operation::add:
        return *left + *right;
      case Operation::subtract:
        return *left - *right;
      default:
        break;
    }
    if (*right == 0) {
      return std::nullopt;
    }
    return node.operation == Operation::divide ? *left / *right : *left % *right;
  }

  [[nodiscard]] Value compared(const Node& node) const noexcept {
    const Value left = of(node.operands[0]);
    const Value right = of(node.operands[1]);
    return left && right ? Value(holds(node.operation, *left, *right) ? 1 : 0) : std::nullopt;
  }

  static bool holds(Operation operation, std::uint64_t left, std::uint64_t right) noexcept {
    switch (operation) {
      case Operation::less:
        return left < right;
      case Operation::less_or_equal:
        return left <= right;
      case Operation::greater:
        return left > right;
      case Operation::greater_or_equal:
        return left >= right;
      case Operation::equal:
        return left == right;
      default:
        break;
    }
    return left != right;
  }

  std::span<const Node> nodes_;
  std::uint64_t n_;
};

/// Returns the text after "name=" in a list of parts that are separated by semicolons.
std::optional<std::string_view> find_part(std::string_view text, std::string_view name) noexcept {
  while (!text.empty()) {
    const std::string_view part = trim(take_until(text, ";"));
    const std::string_view behind = trim(part.substr(std::min(name.size(), part.size())));
    if (part.starts_with(name) && behind.starts_with('=')) {
      return trim(behind.substr(1));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<PluralRule, std::string> PluralRule::parse(std::string_view text) {
  const auto count = parse_uint64(find_part(text, "nplurals").value_or(""));
  const auto expression = find_part(text, "plural");
  if (text.size() > kTextBytesMax || !count || !expression) {
    return fail(std::string("Plural-Forms is not \"nplurals=…; plural=…;\""));
  }
  if (*count == 0 || *count > kFormsMax) {
    return fail("nplurals must be between 1 and " + std::to_string(kFormsMax));
  }
  auto nodes = Expression(*expression).read();
  if (!nodes) {
    return fail("\"" + std::string(*expression) +
                "\" is not a valid plural expression. Use C operators, n and numbers.");
  }
  PluralRule rule;
  rule.count_ = static_cast<std::size_t>(*count);
  rule.nodes_ = std::move(*nodes);
  return rule;
}

std::size_t PluralRule::form_of(std::uint64_t number) const noexcept {
  if (nodes_.empty()) {
    return number == 1 ? 0 : 1;
  }
  const Value form = Evaluation(nodes_, number).of(nodes_.size() - 1);
  return form && *form < count_ ? static_cast<std::size_t>(*form) : 0;
}

}  // namespace eider::detail::languages
