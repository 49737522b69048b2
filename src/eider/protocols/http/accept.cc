#include "eider/protocols/http/accept.h"

#include <algorithm>
#include <cstdint>

#include "eider/core/base/text.h"
#include "eider/protocols/http/list.h"
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

/// Returns whether the range matches the tag: "de" matches "de-AT" (RFC 4647, section 3.3.1).
bool covers(std::string_view range, std::string_view tag) noexcept {
  return equals_ignoring_case(tag.substr(0, range.size()), range) &&
         (tag.size() == range.size() || tag[range.size()] == '-');
}

/// Returns the first language that the client neither rejects ("en;q=0, *") nor names with its own
/// weight.
std::optional<std::size_t> find_other(std::string_view field_value,
                                      std::span<const std::string_view> offered) noexcept {
  const auto is_named = [field_value](std::string_view tag) {
    WeightedTokenReader items(field_value);
    while (const auto item = items.next()) {
      if (item->weight == 0 ? covers(item->token, tag) : equals_ignoring_case(item->token, tag)) {
        return true;
      }
    }
    return false;
  };
  const auto other = std::ranges::find_if_not(offered, is_named);
  return other == offered.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(other - offered.begin()));
}

/// Tries "zh-Hant-TW", then "zh-Hant", then "zh".
std::optional<std::size_t> look_up(std::string_view range,
                                   std::span<const std::string_view> offered) noexcept {
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
  std::optional<std::optional<std::size_t>> other;  // of "*", searched once
  if (field_value.size() > kAcceptLanguageBytesMax) {
    return best;
  }
  WeightedTokenReader items(field_value);
  while (const auto item = items.next()) {
    if (item->weight <= best_weight) {
      continue;
    }
    if (item->token == "*" && !other) {
      other = find_other(field_value, offered);
    }
    const auto found = item->token == "*" ? *other : look_up(item->token, offered);
    if (found) {
      best = found;
      best_weight = item->weight;
    }
  }
  return best;
}

namespace {

/// How specifically a range matches a type.
enum class Closeness : std::uint8_t { none, any, any_subtype, exact };

/// Removes and returns the text up to the next `separator` outside of quoted strings; also removes
/// the separator.
std::string_view take_part(std::string_view& rest, char separator) noexcept {
  bool is_quoted = false;
  std::size_t at = 0;
  for (; at < rest.size(); ++at) {
    const char byte = rest[at];
    if (is_quoted && byte == '\\') {
      ++at;  // quoted-pair
    } else if (byte == '"') {
      is_quoted = !is_quoted;
    } else if (byte == separator && !is_quoted) {
      break;
    }
  }
  const std::string_view part = trim(rest.substr(0, at));
  rest.remove_prefix(std::min(at + 1, rest.size()));
  return part;
}

/// Returns the weight in the parameters of a range, or nothing if it is invalid.
std::optional<Weight> weight_of(std::string_view parameters) noexcept {
  while (!parameters.empty()) {
    const std::string_view parameter = take_part(parameters, ';');
    if (parameter.size() > 1 && to_lower(parameter[0]) == 'q' && parameter[1] == '=') {
      return parse_qvalue(parameter.substr(2));
    }
  }
  return kWeightMax;
}

Closeness closeness(std::string_view range, std::string_view type) noexcept {
  if (range == "*/*") {
    return Closeness::any;
  }
  if (equals_ignoring_case(range, type)) {
    return Closeness::exact;
  }
  const std::size_t slash = range.find('/');
  const bool is_any_subtype =
      slash != range.npos && range.substr(slash) == "/*" &&
      equals_ignoring_case(range.substr(0, slash + 1), type.substr(0, slash + 1));
  return is_any_subtype ? Closeness::any_subtype : Closeness::none;
}

/// The weight of one type according to Accept.
struct Judgement {
  Closeness closeness = Closeness::none;
  Weight weight = 0;
};

void judge(Judgement& judgement, std::string_view ranges, std::string_view type) noexcept {
  while (!ranges.empty()) {
    std::string_view parameters = take_part(ranges, ',');
    const std::string_view range = take_part(parameters, ';');
    const Closeness now = closeness(range, type);
    if (now == Closeness::none || now < judgement.closeness) {
      continue;
    }
    const auto weight = weight_of(parameters);
    if (weight && (now > judgement.closeness || *weight > judgement.weight)) {
      judgement = {now, *weight};
    }
  }
}

bool is_accept(const Field& field) noexcept {
  return equals_ignoring_case(field.name, "Accept");
}

}  // namespace

std::optional<std::size_t> choose_media_type(std::span<const Field> fields,
                                             std::span<const std::string_view> offered) noexcept {
  const bool asks = std::ranges::any_of(fields, [](const Field& field) {
    return is_accept(field) && ListReader(field.value).next();
  });
  if (!asks) {
    return offered.empty() ? std::nullopt : std::optional<std::size_t>(0);
  }
  std::optional<std::size_t> best;
  Weight best_weight = 0;
  for (std::size_t index = 0; index < offered.size(); ++index) {
    const std::string_view type = trim(offered[index].substr(0, offered[index].find(';')));
    Judgement judgement;
    for (const Field& field : fields) {
      if (is_accept(field)) {
        judge(judgement, field.value, type);
      }
    }
    if (judgement.weight > best_weight) {
      best = index;
      best_weight = judgement.weight;
    }
  }
  return best;
}

}  // namespace eider
