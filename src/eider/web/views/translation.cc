#include "eider/web/views/translation.h"

namespace eider::views {

using reflect::Kind;

std::optional<std::size_t> find_translator(const reflect::Type& in, const reflect::Type& translator,
                                           int depth) noexcept {
  if (&in == &translator) {
    return 0;
  }
  if (depth == 0 || in.kind != Kind::kStruct) {
    return std::nullopt;
  }
  for (const reflect::Member& member : in.structure()) {
    if (const auto found = find_translator(*member.type, translator, depth - 1)) {
      return member.offset + *found;
    }
  }
  return std::nullopt;
}

bool is_translatable(const reflect::Type& type) noexcept {
  const Kind kind = held_type(type).kind;
  return kind == Kind::kString || kind == Kind::kView || kind == Kind::kChars ||
         kind == Kind::kEnum;
}

bool is_count(const reflect::Type& type) noexcept {
  const Kind kind = held_type(type).kind;
  return kind == Kind::kSigned || kind == Kind::kUnsigned;
}

std::string translatable_text(Ref value) {
  const Ref inner = held(value);
  if (inner.at == nullptr) {
    return {};
  }
  std::string text = shown(inner);
  return inner.type->kind == Kind::kEnum ? label_of(text) : text;
}

std::int64_t count_of(Ref value) noexcept {
  const Ref inner = held(value);
  return inner.at == nullptr ? 0 : load_integer(inner);
}

}  // namespace eider::views
