#include "eider/auth/passwords/argon2_hash.h"

#include <charconv>
#include <utility>

#include "eider/core/base/base64.h"

namespace eider::detail::passwords {

namespace {

constexpr std::uint32_t kMemoryPerLaneMin = 8;
constexpr std::string_view kIdPrefix = "$argon2id$v=19$";
constexpr std::string_view kIPrefix = "$argon2i$v=19$";

/// Reads from the front of a text; after an error, all further reads fail.
class Parts {
 public:
  explicit Parts(std::string_view text) noexcept : rest_(text) {}

  /// Reads a decimal number after `before`, without a sign or leading zeros.
  [[nodiscard]] std::uint32_t number_after(std::string_view before) noexcept {
    skip(before);
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    is_good_ = is_good_ && error == std::errc() && rest_.front() != '0';
    if (is_good_) {
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    }
    return number;
  }
  /// Reads bytes in base64, up to the next '$' or the end.
  [[nodiscard]] std::string bytes_after(std::string_view before, std::size_t min, std::size_t max) {
    skip(before);
    const std::string_view text = rest_.substr(0, rest_.find('$'));
    rest_.remove_prefix(text.size());
    auto bytes = is_good_ ? from_base64_unpadded(text) : std::nullopt;
    is_good_ = bytes && bytes->size() >= min && bytes->size() <= max;
    return is_good_ ? std::move(*bytes) : std::string();
  }
  [[nodiscard]] bool are_all_read() const noexcept { return is_good_ && rest_.empty(); }

 private:
  void skip(std::string_view before) noexcept {
    is_good_ = is_good_ && rest_.starts_with(before) && rest_.size() > before.size();
    if (is_good_) {
      rest_.remove_prefix(before.size());
    }
  }

  std::string_view rest_;
  bool is_good_ = true;
};

std::optional<Argon2Hash> parse_behind(std::string_view text, Argon2Variant variant) {
  Parts parts(text);
  Argon2Hash hash{.variant = variant, .cost = {}, .salt = {}, .tag = {}};
  hash.cost.memory_kib = parts.number_after("m=");
  hash.cost.passes = parts.number_after(",t=");
  hash.cost.lanes = parts.number_after(",p=");
  hash.salt = parts.bytes_after("$", kSaltBytesMin, kSaltBytesMax);
  hash.tag = parts.bytes_after("$", kTagBytesMin, kTagBytesMax);
  return parts.are_all_read() ? std::optional(std::move(hash)) : std::nullopt;
}

std::string_view prefix_of(Argon2Variant variant) noexcept {
  return variant == Argon2Variant::argon2id ? kIdPrefix : kIPrefix;
}

}  // namespace

bool is_cost_within(const Argon2Cost& cost, const Argon2Cost& max) noexcept {
  return cost.lanes > 0 && cost.lanes <= max.lanes && cost.passes > 0 &&
         cost.passes <= max.passes && cost.memory_kib <= max.memory_kib &&
         cost.memory_kib / kMemoryPerLaneMin >= cost.lanes;
}

std::optional<Argon2Hash> parse_argon2_hash(std::string_view text, const Argon2Cost& max) {
  for (const Argon2Variant variant : {Argon2Variant::argon2id, Argon2Variant::argon2i}) {
    if (text.starts_with(prefix_of(variant))) {
      auto hash = parse_behind(text.substr(prefix_of(variant).size()), variant);
      return hash && is_cost_within(hash->cost, max) ? std::move(hash) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::string to_text(const Argon2Hash& hash) {
  return std::string(prefix_of(hash.variant)) + "m=" + std::to_string(hash.cost.memory_kib) +
         ",t=" + std::to_string(hash.cost.passes) + ",p=" + std::to_string(hash.cost.lanes) + "$" +
         to_base64_unpadded(hash.salt) + "$" + to_base64_unpadded(hash.tag);
}

}  // namespace eider::detail::passwords
