#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "eider/core/reflect/rule.h"
#include "eider/web/languages/languages.h"
#include "eider/web/languages/library.h"

namespace eider {

namespace {

using detail::languages::Library;
using detail::languages::MessageKey;

/// Languages that are written from right to left; others, such as "az-Arab", by their script.
constexpr std::array<std::string_view, 12> kRightToLeft = {"ar", "arc", "ckb", "dv", "fa", "he",
                                                           "ks", "ps",  "sd",  "ug", "ur", "yi"};
constexpr std::array<std::string_view, 4> kRightToLeftScripts = {"Arab", "Hebr", "Syrc", "Thaa"};

std::string fill(std::string_view pattern, std::span<const TextArgument> arguments,
                 std::optional<std::int64_t> count) {
  Requirement said{{}, std::string(pattern)};
  for (const TextArgument& argument : arguments) {
    said.arguments.push_back({argument.name, argument.value});
  }
  if (count) {  // after the others, because the first argument of a name is used
    said.arguments.push_back({"count", std::to_string(*count)});
  }
  return to_text(said);
}

/// Returns the absolute value, also of the smallest number.
std::uint64_t amount_of(std::int64_t count) noexcept {
  const auto bits = static_cast<std::uint64_t>(count);
  return count < 0 ? 0 - bits : bits;
}

bool contains(std::span<const std::string_view> list, std::string_view one) noexcept {
  return std::ranges::find(list, one) != list.end();
}

}  // namespace

std::string Translator::operator()(std::string_view text, TextArguments arguments) const {
  return context({}, text, arguments);
}

std::string Translator::plural(std::string_view one, std::string_view many, std::int64_t count,
                               TextArguments arguments) const {
  return context_plural({}, one, many, count, arguments);
}

std::string Translator::context(std::string_view context, std::string_view text,
                                TextArguments arguments) const {
  return translate(
      {.context = context, .text = text, .arguments = {arguments.begin(), arguments.size()}});
}

std::string Translator::context_plural(std::string_view context, std::string_view one,
                                       std::string_view many, std::int64_t count,
                                       TextArguments arguments) const {
  return translate({.context = context,
                    .text = one,
                    .many = many,
                    .count = count,
                    .arguments = {arguments.begin(), arguments.size()}});
}

std::string Translator::translate(const Translatable& translatable) const {
  const std::optional<std::uint64_t> amount = translatable.count.transform(amount_of);
  const std::string* const found =
      catalogues_ == nullptr
          ? nullptr
          : catalogues_->find(*language_, {translatable.context, translatable.text}, amount);
  const std::string_view own = amount.value_or(1) == 1 ? translatable.text : translatable.many;
  return fill(found != nullptr ? std::string_view(*found) : own, translatable.arguments,
              translatable.count);
}

const std::string& Translator::language() const noexcept {
  static const std::string kSourceLanguage = "en";
  return language_ == nullptr ? kSourceLanguage : language_->tag;
}

std::string_view Translator::direction() const noexcept {
  const std::string_view tag = language();
  const std::string_view primary = tag.substr(0, tag.find('-'));
  const std::string_view second =
      primary.size() == tag.size() ? std::string_view() : tag.substr(primary.size() + 1, 4);
  const bool names_script =
      second.size() == 4 && second.front() >= 'A' && second.front() <= 'Z' && second[1] >= 'a';
  return (names_script ? contains(kRightToLeftScripts, second) : contains(kRightToLeft, primary))
             ? "rtl"
             : "ltr";
}

std::string Translator::path(std::string_view path) const {
  const bool is_in_path = chosen_by_ == LanguageSource::path;
  return (is_in_path ? "/" + language() : std::string()).append(path);
}

}  // namespace eider
