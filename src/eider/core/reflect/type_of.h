// type_of<T>(): the description of a type, made at compile time without macros.
// Layering: must not run code: the description is a constant, usable before main.
#pragma once

#include <array>
#include <new>
#include <type_traits>
#include <utility>

#include "eider/core/reflect/bytes.h"
#include "eider/core/reflect/concepts.h"
#include "eider/core/reflect/count.h"
#include "eider/core/reflect/names.h"
#include "eider/core/reflect/start.h"
#include "eider/core/reflect/tie.h"
#include "eider/core/reflect/type.h"

namespace eider::reflect {

/// Enumerators outside of these bounds are not found: they are written as numbers and cannot be
/// read.
inline constexpr std::int64_t kEnumFirst = -8;
inline constexpr std::int64_t kEnumLast = 127;

namespace detail {

template <class T>
struct Described {
  static const Type kType;
};

}  // namespace detail

/// Returns the description of T, the same object each time.
///
/// T  bool, an integer, float, double, std::string, std::string_view, const char*, an enum with a
///    fixed underlying type, json::Value, Sized, Bounded, a type with a TextFormat
///    (eider/core/kinds); a vector, set, array, optional, Nullable, std::unique_ptr, map from
///    std::string, or variant of structs, of such types; a struct without constructors and bases,
///    of up to kMembersMax such members (no C arrays, no alignas or bit-fields on members)
template <class T>
constexpr const Type& type_of() noexcept {
  return detail::Described<std::remove_cvref_t<T>>::kType;
}

/// Returns the name of the value's enumerator, or an empty text.
template <class E>
[[nodiscard]] std::string_view enumerator_name(E value) noexcept {
  const Enumerator* const found =
      type_of<E>().enumeration().find(static_cast<std::int64_t>(std::to_underlying(value)));
  return found == nullptr ? std::string_view() : found->name;
}

/// Calls `visit(name, member)` for each member of a plain struct, in the order of declaration. The
/// members may be of any type, also of types without a description.
template <class T, class Visit>
constexpr void for_each_member(T& object, Visit visit);

/// Returns the names of a plain struct's members, in the order of declaration.
template <class T>
consteval auto member_names();

namespace detail {

template <class T, std::size_t Index>
using MemberType = std::remove_pointer_t<decltype(slot<Index>(
    tie(std::declval<T&>(), Count<count_members<T>()>())))>;

/// The offsets of the members by the rules of the Itanium C++ ABI for a class without bases.
/// check_layout verifies them when the program starts.
template <std::size_t N>
struct Offsets {
  std::uint32_t at[N];

  consteval Offsets(const std::size_t (&bytes)[N], const std::size_t (&alignments)[N]) : at() {
    std::size_t end = 0;
    for (std::size_t i = 0; i < N; ++i) {
      end = (end + alignments[i] - 1) / alignments[i] * alignments[i];
      at[i] = static_cast<std::uint32_t>(end);
      end += bytes[i];
    }
  }
};

/// Appears in the compiler's message if the member has no description.
template <class Struct, auto* Member>
struct MemberOf;

template <class T, class Where>
consteval const Type* expect_description();

/// The slots of phantom<T> exist only at compile time: see MembersOf::describe.
template <class T, std::size_t... Index>
consteval std::array<std::string_view, sizeof...(Index)> names_of(std::index_sequence<Index...>) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"  // g++ does not know clang's warning
#pragma GCC diagnostic ignored "-Wundefined-var-template"
  constexpr auto kSlots = tie(phantom<T>.value, Count<sizeof...(Index)>());
#pragma GCC diagnostic pop
  return {{member_name<slot<Index>(kSlots)>()...}};
}

template <class T, class Indices>
struct MembersOf;

template <class T, std::size_t... Index>
struct MembersOf<T, std::index_sequence<Index...>> {
  static constexpr Offsets<sizeof...(Index)> kOffsets = {{sizeof(MemberType<T, Index>)...},
                                                         {alignof(MemberType<T, Index>)...}};

  /// The slots exist only at compile time, within this function. A static member would bring them
  /// into the program, with the addresses of phantom<T>, which is never defined.
  static consteval std::array<Member, sizeof...(Index)> describe() {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"  // g++ does not know clang's warning
#pragma GCC diagnostic ignored "-Wundefined-var-template"
    constexpr auto kSlots = tie(phantom<T>.value, Count<sizeof...(Index)>());
#pragma GCC diagnostic pop
    return {{{member_name<slot<Index>(kSlots)>(),
              expect_description<std::remove_cv_t<MemberType<T, Index>>,
                                 MemberOf<T, slot<Index>(kSlots)>>(),
              kOffsets.at[Index]}...}};
  }
  static constexpr std::array<Member, sizeof...(Index)> kMembers = describe();

  static bool check() {
    alignas(T) static constinit unsigned char nowhere[sizeof(T)] = {};
    const auto slots = tie(reinterpret_cast<T&>(nowhere), Count<sizeof...(Index)>());
    const void* const addresses[] = {slot<Index>(slots)...};
    return check_layout(Described<T>::kType, nowhere, addresses);
  }
  static const bool kIsChecked;
};

template <class T, std::size_t... Index>
const bool MembersOf<T, std::index_sequence<Index...>>::kIsChecked = check();

template <class T>
std::uint64_t default_bits() {
  static const std::uint64_t bits =
      find_defaults(Described<T>::kType, [](void* memory) { ::new (memory) T; });
  return bits;
}

/// Whether each text names an existing member.
template <class T>
consteval bool are_about_members() {
  constexpr auto kNames = names_of<T>(std::make_index_sequence<count_members<T>()>());
  for (const MemberText& text : T::kDocs) {
    bool is_found = false;
    for (const std::string_view name : kNames) {
      is_found = is_found || name == text.member;
    }
    if (!is_found) {
      return false;
    }
  }
  return true;
}

template <class T>
struct StructureOf {
  static constexpr std::size_t kCount = count_members<T>();
  using Members = MembersOf<T, std::make_index_sequence<kCount>>;

  static consteval Structure describe() {
    static_assert(has_no_c_array<T>(),
                  "eider: this struct has a C array, which cannot be described: use std::array");
    static_assert(
        ChecksItself<T> || !HasFunctionCheck<T>,
        "eider: a struct validates itself with `void check(eider::ValidationErrors& errors) "
        "const`; rename a function `check` that has another signature");
    Structure made = {nullptr,
                      kCount,
                      nullptr,
                      [](void* memory) { ::new (memory) T{}; },
                      [](void* object) noexcept { static_cast<T*>(object)->~T(); },
                      nullptr};
    if constexpr (kCount != 0) {
      made.first = Members::kMembers.data();
      made.is_checked = &Members::kIsChecked;
    }
    if constexpr (kCount != 0 && !std::is_trivially_default_constructible_v<T>) {
      made.default_bits = &default_bits<T>;
    }
    if constexpr (requires { T::kDocs; }) {
      static_assert(are_about_members<T>(),
                    "eider: kDocs describes a member that the struct does not have");
      made.about = T::kDocs;
    }
    if constexpr (ChecksItself<T>) {
      made.check = [](const void* object, ValidationErrors& errors) {
        static_cast<const T*>(object)->check(errors);
      };
    }
    return made;
  }
  static constexpr Structure kShape = describe();
};

template <class T>
struct SequenceOf {
  // A std::vector grows from room for one element to two, then four, and moves its elements each
  // time. Large elements start with room for one: a text of `[[0],[0],…]` must not use a multiple
  // of its size.
  static constexpr std::size_t kElementBytes = sizeof(typename T::value_type);
  static constexpr std::size_t kFirstCapacity = kElementBytes <= 64    ? 4
                                                : kElementBytes <= 128 ? 2
                                                                       : 1;
  static constexpr Sequence kShape = {
      &Described<typename T::value_type>::kType,
      [](void* sequence) { static_cast<T*>(sequence)->clear(); },
      [](void* sequence) -> void* {
        T& elements = *static_cast<T*>(sequence);
        if constexpr (requires { elements.reserve(elements.capacity()); }) {
          if (elements.capacity() == 0) {
            elements.reserve(kFirstCapacity);
          }
        }
        return &elements.emplace_back();
      },
      [](const void* sequence) -> std::size_t { return static_cast<const T*>(sequence)->size(); },
      [](const void* sequence) -> const void* { return static_cast<const T*>(sequence)->data(); }};
};

template <class T>
struct ArrayOf {
  static constexpr Array kShape = {&Described<typename T::value_type>::kType,
                                   std::tuple_size<T>::value};
};

template <class T>
void set_null(void* optional) {
  if constexpr (TellsNull<T>) {
    static_cast<T*>(optional)->set_null();
  } else {
    static_cast<T*>(optional)->reset();
  }
}

template <class T>
bool is_null(const void* optional) {
  if constexpr (TellsNull<T>) {
    return static_cast<const T*>(optional)->is_null();
  } else {
    return false;
  }
}

template <class T>
struct OptionalOf {
  static_assert(
      !OptionalLike<typename T::value_type>,
      "eider: an optional of an optional cannot distinguish null from absent: use Nullable<T>");
  static constexpr Optional kShape = {
      &Described<typename T::value_type>::kType,
      [](void* optional) -> void* { return &static_cast<T*>(optional)->emplace(); },
      [](void* optional) { static_cast<T*>(optional)->reset(); },
      [](const void* optional) -> const void* {
        const T& filled = *static_cast<const T*>(optional);
        return filled.has_value() ? &*filled : nullptr;
      },
      &set_null<T>,
      &is_null<T>,
      TellsNull<T>};
};

/// Returns whether the hash bucket of that key is so full that a client must have chosen keys with
/// equal hashes, which would make the time quadratic. Always false for ordered containers.
template <class Table, class Key>
bool is_crowded(const Table& table, const Key& key) {
  if constexpr (requires { table.bucket(key); }) {
    constexpr std::size_t kBucketMax = 128;
    if (table.size() >= kBucketMax) {
      const std::size_t bucket = table.bucket(key);
      auto one = table.begin(bucket);
      for (std::size_t count = 0; one != table.end(bucket); ++one) {
        if (++count == kBucketMax) {
          return true;
        }
      }
    }
  }
  return false;
}

template <class T>
struct MapOf {
  static void* insert(void* map, std::string_view name) {
    T& entries = *static_cast<T*>(map);
    std::string key(name);
    if (is_crowded(entries, key)) {
      return nullptr;
    }
    const auto [at, is_new] = entries.try_emplace(std::move(key));
    return is_new ? &at->second : nullptr;
  }
  static const void* find(const void* map, std::string_view key) {
    const T& entries = *static_cast<const T*>(map);
    const auto at = entries.find(std::string(key));
    return at == entries.end() ? nullptr : &at->second;
  }
  static void each(const void* map, void* context, Map::Visit visit) {
    for (const auto& [key, value] : *static_cast<const T*>(map)) {
      visit(context, key, &value);
    }
  }
  static constexpr Map kShape = {
      &Described<typename T::mapped_type>::kType,
      [](void* map) { static_cast<T*>(map)->clear(); },
      &insert,
      [](const void* map) -> std::size_t { return static_cast<const T*>(map)->size(); },
      &find,
      &each};
};

template <class T>
struct SetOf {
  using Element = T::value_type;

  static Set::Added add(void* set, void* context, Set::Fill fill) {
    Element element{};
    if (!fill(context, &element)) {
      return Set::Added::kFailed;
    }
    T& elements = *static_cast<T*>(set);
    if (is_crowded(elements, element)) {
      return Set::Added::kCrowded;
    }
    return elements.insert(std::move(element)).second ? Set::Added::kNew : Set::Added::kDoubled;
  }
  static void each(const void* set, void* context, Set::Visit visit) {
    for (const Element& value : *static_cast<const T*>(set)) {
      visit(context, &value);
    }
  }
  static constexpr Set kShape = {
      &Described<Element>::kType,
      [](void* set) { static_cast<T*>(set)->clear(); },
      &add,
      [](const void* set) -> std::size_t { return static_cast<const T*>(set)->size(); },
      [](const void* set, const void* value) -> bool {
        return static_cast<const T*>(set)->contains(*static_cast<const Element*>(value));
      },
      &each};
};

template <class T>
struct OwnerOf {
  using Owned = T::element_type;

  static constexpr Optional kShape = {
      &Described<Owned>::kType,
      [](void* owner) -> void* {
        auto& owned = *static_cast<T*>(owner);
        owned.reset(new Owned{});
        return &*owned;
      },
      [](void* owner) { static_cast<T*>(owner)->reset(); },
      [](const void* owner) -> const void* { return static_cast<const T*>(owner)->get(); },
      [](void* owner) { static_cast<T*>(owner)->reset(); },
      [](const void*) { return false; }};
};

template <class T>
struct TextOf {
  using Kind = TextFormat<T>;
  static_assert(
      requires(std::string_view text, const T& value) {
        static_cast<bool>(Kind::parse(text));
        { *Kind::parse(text) } -> std::convertible_to<T>;
        { Kind::format(value) } -> std::convertible_to<std::string_view>;
      },
      "eider: TextFormat<T> needs `static std::optional<T> parse(std::string_view text)` and "
      "`static "
      "std::string format(const T& value)` in addition to kSchema");

  static bool parse(void* value, std::string_view text) {
    auto parsed = Kind::parse(text);
    if (!parsed) {
      return false;
    }
    *static_cast<T*>(value) = *std::move(parsed);
    return true;
  }
  static void format(const void* value, void* context, Text::Take take) {
    const auto& text = Kind::format(*static_cast<const T*>(value));
    take(context, text);
  }
  static bool equal(const void* left, const void* right) {
    const T& one = *static_cast<const T*>(left);
    const T& other = *static_cast<const T*>(right);
    if constexpr (requires { static_cast<bool>(one == other); }) {
      return one == other;
    } else {
      const auto& text = Kind::format(one);
      return std::string_view(text) == std::string_view(Kind::format(other));
    }
  }
  static bool is_fresh(const void* value) {
    const T fresh{};
    return equal(&fresh, value);
  }
  static constexpr Text kShape = {&Kind::kSchema, &parse,
                                  &format,        &equal,
                                  &is_fresh,      std::is_same_v<T, std::vector<std::byte>>};
};

template <class T>
struct EnumerationOf {
  using Number = std::underlying_type_t<T>;
  static constexpr bool kIsSigned = std::is_signed_v<Number>;
  static constexpr std::int64_t kFirst = kIsSigned ? kEnumFirst : 0;

  template <std::size_t... Index>
  static consteval std::string_view list(std::index_sequence<Index...>) {
    constexpr const char* kText =
        enumerators_text<T, static_cast<T>(static_cast<std::int64_t>(Index) + kFirst)...>();
    std::string_view items = argument(kText, "Value = ");  // in braces (g++) or angles (clang)
    return items.substr(1, items.size() - 2);
  }
  static constexpr std::size_t kValues = static_cast<std::size_t>(kEnumLast - kFirst + 1);
  static constexpr EnumeratorTable<kValues> kAll{list(std::make_index_sequence<kValues>()), kFirst};
  static constexpr Enumeration kShape = {kAll.items, kAll.found, kIsSigned};
};

template <class T>
consteval bool has_member(std::string_view name) {
  for (std::size_t i = 0; i < StructureOf<T>::kCount; ++i) {
    if (StructureOf<T>::kShape.first[i].name == name) {
      return true;
    }
  }
  return false;
}

template <class T>
struct VariantOf;

template <template <class...> class V, class... A>
struct VariantOf<V<A...>> {
  static_assert((PlainStruct<A> && ...), "eider: each alternative of a variant must be a struct");
  static_assert(!(has_member<A>(Variant::kTagName) || ...),
                "eider: in JSON, the member \"type\" selects the alternative of a variant; rename "
                "the alternative's own member \"type\"");

  template <class Option>
  static constexpr Alternative kOption = {
      &Described<Option>::kType,
      [](void* variant) -> void* {
        return &static_cast<V<A...>*>(variant)->template emplace<Option>();
      },
      [](const void* variant) -> const void* {
        return get_if<Option>(static_cast<const V<A...>*>(variant));
      }};
  static constexpr Alternative kOptions[] = {kOption<A>...};
  static constexpr Variant kShape = {kOptions, sizeof...(A)};
};

template <class>
inline constexpr bool kNever = false;

template <class T>
consteval Type with_shape(Kind kind, std::string_view name, const void* shape) {
  return {kind, std::is_trivially_default_constructible_v<T>, sizeof(T), name, shape};
}

template <class T>
consteval Type describe_scalar() {
  if constexpr (std::same_as<T, bool>) {
    return with_shape<T>(Kind::kBool, {}, nullptr);
  } else if constexpr (Real<T>) {
    return with_shape<T>(Kind::kReal, {}, nullptr);
  } else {
    return with_shape<T>(std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned, {}, nullptr);
  }
}

template <class T>
consteval Type describe_class() {
  if constexpr (SelfDescribed<T>) {
    return with_shape<T>(Kind::kDynamic, {}, &T::kReflect);
  } else if constexpr (Constrained<T>) {
    return with_shape<T>(Kind::kConstrained, {}, &T::kConstraint);
  } else if constexpr (SequenceLike<T>) {
    return with_shape<T>(Kind::kSequence, {}, &SequenceOf<T>::kShape);
  } else if constexpr (OptionalLike<T>) {
    return with_shape<T>(Kind::kOptional, {}, &OptionalOf<T>::kShape);
  } else if constexpr (MapLike<T>) {
    return with_shape<T>(Kind::kMap, {}, &MapOf<T>::kShape);
  } else if constexpr (SetLike<T>) {
    return with_shape<T>(Kind::kSet, {}, &SetOf<T>::kShape);
  } else if constexpr (OwnerLike<T>) {
    return with_shape<T>(Kind::kOptional, {}, &OwnerOf<T>::kShape);
  } else if constexpr (VariantLike<T>) {
    return with_shape<T>(Kind::kVariant, {}, &VariantOf<T>::kShape);
  } else if constexpr (ArrayLike<T>) {
    return with_shape<T>(Kind::kArray, {}, &ArrayOf<T>::kShape);
  } else if constexpr (PlainStruct<T>) {
    return with_shape<T>(Kind::kStruct, type_name<T>(), &StructureOf<T>::kShape);
  } else {
    return *expect_description<T, void>();
  }
}

/// Returns the description of a T, or fails to compile with a message on what to write instead.
///
/// Where  the MemberOf of the member, for the compiler's message
template <class T, class Where>
consteval const Type* expect_description() {
  if constexpr (HasDescription<T>) {
    return &Described<T>::kType;
  } else {
    static_assert(!std::is_enum_v<T>,
                  "eider: use `enum class`: the values of an `enum` cannot be listed");
    static_assert(!PointerLike<T>,
                  "eider: a pointer cannot be described: use a value or a std::optional");
    static_assert(!TupleLike<T>,
                  "eider: a pair or tuple cannot be described: use a struct with named members");
    static_assert(!TimeLike<T>,
                  "eider: this time type cannot be described. Use std::chrono::sys_time of whole "
                  "parts of a second for instants, std::chrono::year_month_day for dates, and "
                  "std::chrono::duration of integers for durations. Include eider/types.h");
    static_assert(!MapOfOtherKeys<T>,
                  "eider: a map can be described only if its keys are std::string");
    static_assert(!OtherType<T>,
                  "eider: this type cannot be described: use a plain struct without constructors "
                  "and private members, use a type listed in reflect/type_of.h, or specialize "
                  "TextFormat to represent the type as text");
    return nullptr;
  }
}

template <class T>
consteval Type describe() {
  if constexpr (std::same_as<T, std::string>) {
    return with_shape<T>(Kind::kString, {}, nullptr);
  } else if constexpr (std::same_as<T, std::string_view>) {
    return with_shape<T>(Kind::kView, {}, nullptr);
  } else if constexpr (std::same_as<T, const char*>) {
    return with_shape<T>(Kind::kChars, {}, nullptr);
  } else if constexpr (std::same_as<T, bool> || Integer<T> || Real<T>) {
    return describe_scalar<T>();
  } else if constexpr (TextLike<T>) {
    return with_shape<T>(Kind::kText, {}, &TextOf<T>::kShape);
  } else if constexpr (FixedEnum<T>) {
    return with_shape<T>(Kind::kEnum, type_name<T>(), &EnumerationOf<T>::kShape);
  } else {
    return describe_class<T>();
  }
}

template <class T>
constinit const Type Described<T>::kType = describe<T>();

}  // namespace detail

template <class T>
consteval auto member_names() {
  return detail::names_of<T>(std::make_index_sequence<detail::count_members<T>()>());
}

template <class T, class Visit>
constexpr void for_each_member(T& object, Visit visit) {
  using Plain = std::remove_const_t<T>;
  using Indices = std::make_index_sequence<detail::count_members<Plain>()>;
  static constexpr auto kNames = member_names<Plain>();
  const auto slots = detail::tie(object, detail::Count<Indices::size()>());
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (visit(kNames[Index], *detail::slot<Index>(slots)), ...);
  }(Indices());
}

}  // namespace eider::reflect
