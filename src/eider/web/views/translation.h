// The filter `tr`: the translator of a page, and the arguments.
// Layering: must not know languages; a translator is any type with kTranslatesTexts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/base/translation.h"
#include "eider/core/reflect/concepts.h"
#include "eider/core/reflect/type_of.h"
#include "eider/web/views/value.h"

namespace eider::views {

/// Maximum depth of the search for a translator: in the page's struct, and in its direct members.
inline constexpr int kTranslatorDepth = 2;

/// Returns the offset in bytes of the first translator in an object of that type; nothing if it has
/// none.
[[nodiscard]] std::optional<std::size_t> find_translator(const reflect::Type& in,
                                                         const reflect::Type& translator,
                                                         int depth = kTranslatorDepth) noexcept;

/// Returns whether a type can be translated: a text, an enumerator by its label, or an optional of
/// one.
[[nodiscard]] bool is_translatable(const reflect::Type& type) noexcept;
/// Returns whether a type can select a plural form.
[[nodiscard]] bool is_count(const reflect::Type& type) noexcept;

/// Returns the text that is translated for a value: for an enumerator its label, "Sold out" for
/// sold_out, as in forms. Pre: is_translatable.
[[nodiscard]] std::string translatable_text(Ref value);
/// Returns the number; 0 for an empty optional. Pre: is_count.
[[nodiscard]] std::int64_t count_of(Ref value) noexcept;

template <class T>
concept Translating = requires { requires T::kTranslatesTexts; };

namespace detail {

template <class Found>
consteval Found first_of(Found /*found*/) {
  return {};
}
template <class First, class Next, class... More>
consteval auto first_of(First first, Next next, More... more) {
  if constexpr (std::is_void_v<typename First::type>) {
    return first_of(next, more...);
  } else {
    return first;
  }
}

/// The type of the first translator in a T, like find_translator; void: none.
template <class T, int Depth = kTranslatorDepth>
consteval auto translator_in_type() {
  using namespace reflect::detail;
  if constexpr (Translating<T>) {
    return std::type_identity<T>();
  } else if constexpr (Depth > 0 && PlainStruct<T> && !SelfDescribed<T> && !reflect::TextLike<T> &&
                       !ArrayLike<T>) {
    return []<std::size_t... Index>(std::index_sequence<Index...>) {
      return first_of(std::type_identity<void>(),
                      translator_in_type<MemberType<T, Index>, Depth - 1>()...);
    }(std::make_index_sequence<count_members<T>()>());
  } else {
    return std::type_identity<void>();
  }
}

template <class T>
using TranslatorIn = typename decltype(translator_in_type<T>())::type;

template <class Root>
const TranslatorIn<Root>& translator_of(const Root& root) {
  using Translator = TranslatorIn<Root>;
  static const std::size_t at =
      find_translator(reflect::type_of<Root>(), reflect::type_of<Translator>(), kTranslatorDepth)
          .value_or(0);
  return *reinterpret_cast<const Translator*>(reinterpret_cast<const char*>(&root) + at);
}

}  // namespace detail

/// Returns the translator of a page: the first one in its struct, else in its frame.
template <class Page>
[[nodiscard]] const auto& translator_in(const Page& page) {
  constexpr bool kIsThere = !std::is_void_v<detail::TranslatorIn<Page>>;
  static_assert(kIsThere,
                "eider: tr needs a translator: add `Translator tr;` to the page's struct, or to "
                "the frame of the layout");
  if constexpr (kIsThere) {
    return detail::translator_of(page);
  } else {
    return page;
  }
}
template <class Page, class Frame>
[[nodiscard]] const auto& translator_in(const Page& page, const Frame& frame) {
  if constexpr (!std::is_void_v<detail::TranslatorIn<Page>>) {
    return detail::translator_of(page);
  } else {
    return translator_in(frame);
  }
}

/// Implements `{{ text | tr }}` in generated code.
template <class Translator, class T>
[[nodiscard]] std::string translate(const Translator& translator, std::string_view context,
                                    const T& value, TextArguments arguments) {
  if constexpr (requires { translator.translate(Translatable()); }) {
    const std::string text = translatable_text(ref(value));
    return translator.translate(
        {.context = context, .text = text, .arguments = {arguments.begin(), arguments.size()}});
  } else {
    return {};
  }
}
/// Implements `{{ count | tr("{count} note", "{count} notes") }}` in generated code.
template <class Translator, class T>
[[nodiscard]] std::string translate_plural(const Translator& translator, std::string_view context,
                                           const T& count, std::string_view one,
                                           std::string_view many, TextArguments arguments) {
  if constexpr (requires { translator.translate(Translatable()); }) {
    return translator.translate({.context = context,
                                 .text = one,
                                 .many = many,
                                 .count = count_of(ref(count)),
                                 .arguments = {arguments.begin(), arguments.size()}});
  } else {
    return {};
  }
}

/// For interpreted templates, which know an object only by its type description.
struct Translation {
  const reflect::Type* type = nullptr;
  std::string (*translate)(const void* translator, const Translatable& translatable) = nullptr;
};

template <Translating T>
[[nodiscard]] Translation translation_by() {
  return {&reflect::type_of<T>(), [](const void* translator, const Translatable& translatable) {
            return static_cast<const T*>(translator)->translate(translatable);
          }};
}

}  // namespace eider::views
