#include "eider/protocols/http/accept_encoding.h"

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kIdentity = "identity";

/// RFC 9110, section 8.4.1.3: "x-gzip" is equivalent to "gzip".
std::string_view canonical(std::string_view coding) noexcept {
  return equals_ignoring_case(coding, "x-gzip") ? coding.substr(2) : coding;
}

}  // namespace

AcceptEncoding::AcceptEncoding(std::span<const Field> fields) noexcept {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, "accept-encoding")) {
      add(field.value);
    }
  }
}

void AcceptEncoding::add(std::string_view field_value) noexcept {
  if (field_value.size() > kBytesMax) {
    return;
  }
  WeightedTokenReader items(field_value);
  while (const std::optional<WeightedToken> item = items.next()) {
    add_item(*item);
  }
}

void AcceptEncoding::add_item(const WeightedToken& item) noexcept {
  if (item.token == "*") {
    // The first mention counts, even if a later one has a greater weight.
    any_weight_ = any_weight_.value_or(item.weight);
  } else if (item_count_ < kItemsMax) {
    items_[item_count_] = {canonical(item.token), item.weight};
    ++item_count_;
  }
}

std::optional<Weight> AcceptEncoding::listed(std::string_view coding) const noexcept {
  for (const WeightedToken& item : std::span(items_).first(item_count_)) {
    if (equals_ignoring_case(item.token, coding)) {
      return item.weight;
    }
  }
  return std::nullopt;
}

Weight AcceptEncoding::weight_of(std::string_view coding) const noexcept {
  const std::optional<Weight> own = listed(coding);
  return own ? *own : any_weight_.value_or(Weight{0});
}

std::optional<Weight> AcceptEncoding::identity_weight() const noexcept {
  const std::optional<Weight> own = listed(kIdentity);
  return own ? own : any_weight_;
}

std::optional<std::size_t> AcceptEncoding::choose(
    std::span<const std::string_view> offered) const noexcept {
  std::optional<std::size_t> best;
  Weight best_weight = 0;
  for (std::size_t index = 0; index < offered.size(); ++index) {
    const Weight weight = weight_of(offered[index]);
    if (weight > best_weight) {
      best = index;
      best_weight = weight;
    }
  }
  // Only an explicit item for identity counts: without one, any acceptable coding is preferred.
  const bool prefers_identity = identity_weight().value_or(Weight{0}) > best_weight;
  return prefers_identity ? std::nullopt : best;
}

}  // namespace eider
