#include "eider/protocols/http/ws/deflate_offer.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::ws {

namespace {

constexpr std::string_view kServerTakeover = "server_no_context_takeover";
constexpr std::string_view kClientTakeover = "client_no_context_takeover";
constexpr std::string_view kServerBits = "server_max_window_bits";
constexpr std::string_view kClientBits = "client_max_window_bits";
constexpr std::array kNames{kServerTakeover, kClientTakeover, kServerBits, kClientBits};

enum class Role : std::uint8_t { offer, response };

/// The parameters of one offer or response, each at most once.
struct Params {
  bool drops_server_takeover = false;
  bool drops_client_takeover = false;
  bool has_server_bits = false;
  bool has_client_bits = false;
  std::uint8_t server_bits = kWindowBitsMax;
  std::uint8_t client_bits = kWindowBitsMax;
};

/// "a decimal integer value between 8 to 15, inclusive, without leading zeros" (section 7.1.2.1)
std::optional<std::uint8_t> read_bits(std::string_view value) noexcept {
  const auto bits = value.starts_with('0') ? std::nullopt : parse_integer<std::uint8_t>(value);
  const bool is_good = bits.has_value() && *bits >= kWindowBitsMin && *bits <= kWindowBitsMax;
  return is_good ? bits : std::nullopt;
}

/// Reads the parameters of one extension. Returns false if one is unknown, duplicate, or has an
/// invalid value (section 7.1.3).
class ParamsReader {
 public:
  explicit ParamsReader(Role role) noexcept : role_(role) {}

  [[nodiscard]] std::optional<Params> read(const Extension& extension) noexcept {
    const bool is_good = std::ranges::all_of(
        extension.params, [this](const ExtensionParam& param) { return take(param); });
    return is_good ? std::optional(params_) : std::nullopt;
  }

 private:
  [[nodiscard]] bool take(const ExtensionParam& param) noexcept {
    const auto* const name = std::ranges::find_if(
        kNames, [&param](std::string_view one) { return equals_ignoring_case(one, param.name); });
    const auto index = static_cast<std::size_t>(name - kNames.begin());
    if (index == kNames.size() || was_taken_[index]) {
      return false;
    }
    was_taken_[index] = true;
    return take_first(*name, param.value);
  }

  [[nodiscard]] bool take_first(std::string_view name,
                                const std::optional<std::string>& value) noexcept {
    if (name == kServerTakeover || name == kClientTakeover) {
      (name == kServerTakeover ? params_.drops_server_takeover : params_.drops_client_takeover) =
          true;
      return !value.has_value();
    }
    const bool is_server = name == kServerBits;
    (is_server ? params_.has_server_bits : params_.has_client_bits) = true;
    if (!value.has_value()) {
      // Only in an offer, client_max_window_bits may have no value (section 7.1.2.2).
      return !is_server && role_ == Role::offer;
    }
    const std::optional<std::uint8_t> bits = read_bits(*value);
    (is_server ? params_.server_bits : params_.client_bits) = bits.value_or(kWindowBitsMax);
    return bits.has_value();
  }

  Role role_;
  Params params_;
  std::array<bool, kNames.size()> was_taken_{};
};

Takeover takeover_of(bool is_dropped) noexcept {
  return is_dropped ? Takeover::dropped : Takeover::kept;
}

/// Returns the terms for an offer, or nothing if the server's compressor does not support so small
/// a window.
std::optional<DeflateTerms> meet(const Params& offer, const DeflateWishes& wishes) noexcept {
  const DeflateTerms& wished = wishes.terms;
  const DeflateTerms terms{
      .server_takeover =
          takeover_of(offer.drops_server_takeover || wished.server_takeover == Takeover::dropped),
      .client_takeover =
          takeover_of(offer.drops_client_takeover || wished.client_takeover == Takeover::dropped),
      .server_window_bits = std::min(offer.server_bits, wished.server_window_bits),
      // "the server MUST NOT include it" if the offer does not have it (section 7.1.2.2).
      .client_window_bits = offer.has_client_bits
                                ? std::min(offer.client_bits, wished.client_window_bits)
                                : kWindowBitsMax};
  const bool is_met = terms.server_window_bits >= wishes.own_window_bits_min;
  return is_met ? std::optional(terms) : std::nullopt;
}

std::string named_bits(std::string_view name, std::uint8_t bits) {
  return "; " + std::string(name) + "=" + std::to_string(bits);
}

std::string named_takeovers(const DeflateTerms& terms) {
  std::string text;
  if (terms.server_takeover == Takeover::dropped) {
    text.append("; ").append(kServerTakeover);
  }
  if (terms.client_takeover == Takeover::dropped) {
    text.append("; ").append(kClientTakeover);
  }
  return text;
}

/// The response names an offered parameter to accept it, even if it has no effect.
std::string response_to(const Params& offer, const DeflateTerms& terms) {
  std::string text = std::string(kDeflateName) + named_takeovers(terms);
  if (offer.has_server_bits || terms.server_window_bits < kWindowBitsMax) {
    text += named_bits(kServerBits, terms.server_window_bits);
  }
  if (offer.has_client_bits && terms.client_window_bits < kWindowBitsMax) {
    text += named_bits(kClientBits, terms.client_window_bits);
  }
  return text;
}

std::optional<DeflateChoice> choose(const Extension& extension, const DeflateWishes& wishes) {
  if (!equals_ignoring_case(extension.name, kDeflateName)) {
    return std::nullopt;
  }
  const std::optional<Params> offer = ParamsReader(Role::offer).read(extension);
  const std::optional<DeflateTerms> terms = offer ? meet(*offer, wishes) : std::nullopt;
  return terms ? std::optional(DeflateChoice{*terms, response_to(*offer, *terms)}) : std::nullopt;
}

}  // namespace

std::optional<DeflateChoice> choose_deflate(std::span<const Extension> offers,
                                            const DeflateWishes& wishes) {
  for (const Extension& extension : offers) {
    if (auto choice = choose(extension, wishes)) {
      return choice;
    }
  }
  return std::nullopt;
}

std::string deflate_offer(const DeflateWishes& wishes) {
  const DeflateTerms& terms = wishes.terms;
  std::string text = std::string(kDeflateName) + named_takeovers(terms);
  if (terms.server_window_bits < kWindowBitsMax) {
    text += named_bits(kServerBits, terms.server_window_bits);
  }
  if (terms.client_window_bits < kWindowBitsMax) {
    return text + named_bits(kClientBits, terms.client_window_bits);
  }
  return text.append("; ").append(kClientBits);
}

namespace {

/// Returns whether the response agrees with the request of deflate_offer.
bool agrees(const Params& response, const DeflateWishes& wishes) noexcept {
  const DeflateTerms& asked = wishes.terms;
  const bool keeps_takeover =
      asked.server_takeover == Takeover::kept || response.drops_server_takeover;
  return keeps_takeover && response.server_bits <= asked.server_window_bits &&
         (!response.has_client_bits || response.client_bits <= asked.client_window_bits);
}

DeflateTerms terms_of(const Params& response, const DeflateTerms& asked) noexcept {
  return {.server_takeover = takeover_of(response.drops_server_takeover),
          // A client may drop its context even if it need not.
          .client_takeover = takeover_of(response.drops_client_takeover ||
                                         asked.client_takeover == Takeover::dropped),
          .server_window_bits = response.server_bits,
          .client_window_bits = std::min(response.client_bits, asked.client_window_bits)};
}

}  // namespace

Result<std::optional<DeflateTerms>, std::string_view> check_deflate_response(
    std::span<const Extension> response, const DeflateWishes& wishes) noexcept {
  using namespace std::string_view_literals;
  if (response.empty()) {
    return std::nullopt;
  }
  if (response.size() > 1 || !equals_ignoring_case(response.front().name, kDeflateName)) {
    return fail("The server chose an extension that was not offered."sv);
  }
  const std::optional<Params> params = ParamsReader(Role::response).read(response.front());
  if (!params.has_value()) {
    return fail("A parameter of permessage-deflate is not valid."sv);
  }
  if (!agrees(*params, wishes)) {
    return fail("The server's permessage-deflate is not what was offered."sv);
  }
  const DeflateTerms terms = terms_of(*params, wishes.terms);
  if (terms.client_window_bits < wishes.own_window_bits_min) {
    return fail("The server requires a compression window that is too small."sv);
  }
  return terms;
}

}  // namespace eider::ws
