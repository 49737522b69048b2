// Names of types, members and enumerators, taken from the compiler's function names.
// Layering: must not be used at run time: every function here is evaluated by the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/reflect/type.h"

namespace eider::reflect::detail {

/// Never defined: only the addresses of its members are used, at compile time.
template <class T>
struct Phantom {
  T value;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"  // g++ does not know clang's two
#pragma GCC diagnostic ignored "-Wundefined-internal"
#pragma GCC diagnostic ignored "-Wundefined-var-template"
template <class T>
extern Phantom<T> phantom;
#pragma GCC diagnostic pop

template <class T>
consteval const char* type_text() {
  return __PRETTY_FUNCTION__;
}

template <auto* Pointer>
consteval const char* member_text() {
  return __PRETTY_FUNCTION__;
}

template <class E, E... Value>
consteval const char* enumerators_text() {
  return __PRETTY_FUNCTION__;
}

constexpr bool is_name_byte(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

/// The identifier at the end of `text`.
constexpr std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_byte(text[begin - 1])) {
    --begin;
  }
  return text.substr(begin);
}

/// Returns how a byte changes the depth of nested brackets.
constexpr int bracket(char byte) {
  return (byte == '<' || byte == '(' || byte == '{') - (byte == '>' || byte == ')' || byte == '}');
}

/// Returns `text` without its leading scopes: "a::Page<b::Note>" becomes "Page<b::Note>".
constexpr std::string_view unqualified(std::string_view text) {
  int depth = 0;
  for (std::size_t at = text.size(); at > 0; --at) {
    depth -= bracket(text[at - 1]);
    if (depth == 0 && text[at - 1] == ':') {
      return text.substr(at);
    }
  }
  return text;
}

/// Returns the text after "<parameter> = " in the list that ends a function's name with ']'.
constexpr std::string_view argument(std::string_view text, std::string_view parameter) {
  const std::size_t begin = text.find(parameter) + parameter.size();
  return text.substr(begin, text.size() - begin - 1);
}

/// `Pointer` points to a member of phantom<T>. g++ ends with "::name)]", clang with ".name]".
template <auto* Pointer>
consteval std::string_view member_name() {
  std::string_view text = member_text<Pointer>();
  text.remove_suffix(text.ends_with(")]") ? 2 : 1);
  return last_name(text);
}

template <class T>
consteval std::string_view type_name() {
  return unqualified(argument(type_text<T>(), "T = "));
}

/// Returns the size of the first item in a list such as "a::b<c, d>::e, (a::b)2".
constexpr std::size_t item_bytes(std::string_view list) {
  int depth = 0;
  for (std::size_t at = 0; at < list.size(); ++at) {
    depth += bracket(list[at]);
    if (depth == 0 && list[at] == ',') {
      return at;
    }
  }
  return list.size();
}

/// A value without an enumerator appears in the list as a cast: "(a::E)7", "(a::E)-7".
constexpr bool is_enumerator(std::string_view item) {
  const std::size_t before = item.size() - last_name(item).size();
  return before == 0 || item[before - 1] == ':';
}

/// Returns whether a list starts with that cast. Another parenthesis at the start is an enumerator
/// of an unnamed namespace; its casts start with two.
constexpr bool begins_as(std::string_view list, std::string_view cast) {
  return !cast.empty() && list.size() > cast.size() && list[0] == '(' && list[1] == cast[1] &&
         list[cast.size() - 1] == ')';
}

/// The enumerators in a list of the enum values first … first + Count - 1.
template <std::size_t Count>
struct EnumeratorTable {
  Enumerator items[Count] = {};
  std::size_t found = 0;

  constexpr EnumeratorTable(std::string_view list, std::int64_t first) {
    std::string_view cast;
    for (std::int64_t value = first; !list.empty(); ++value) {
      // Nearly all items are casts with the same text. Reading each in full took 30 ms of compile
      // time per enum.
      if (begins_as(list, cast)) {
        const std::size_t end = list.find(',', cast.size());
        list.remove_prefix(end == list.npos ? list.size() : end + 2);
        continue;
      }
      const std::size_t bytes = item_bytes(list);
      const std::string_view item = list.substr(0, bytes);
      if (is_enumerator(item)) {
        items[found++] = {last_name(item), value};
      } else {
        cast = item.substr(0, item.rfind(')') + 1);
      }
      list.remove_prefix(bytes == list.size() ? bytes : bytes + 2);
    }
  }
};

}  // namespace eider::reflect::detail
