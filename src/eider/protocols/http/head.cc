#include "eider/protocols/http/head.h"

#include <cstdint>

#include "eider/core/base/arena.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

/// Moves views from one copy of some bytes to another. Views of other memory (literals) stay.
class Rebase {
 public:
  Rebase(std::string_view from, std::string_view to) noexcept : from_(from), to_(to) {}

  std::string_view operator()(std::string_view view) const noexcept {
    // Compared as integers, because pointers into different objects are not ordered.
    const auto begin = reinterpret_cast<std::uintptr_t>(from_.data());
    const auto at = reinterpret_cast<std::uintptr_t>(view.data());
    const bool is_inside = at >= begin && at - begin + view.size() <= from_.size();
    return is_inside ? to_.substr(at - begin, view.size()) : view;
  }

 private:
  std::string_view from_;
  std::string_view to_;
};

}  // namespace

std::optional<std::string_view> find_field(std::span<const Field> fields,
                                           std::string_view name) noexcept {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      return field.value;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> find_only_field(std::span<const Field> fields,
                                                std::string_view name) noexcept {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      if (found) {
        return std::nullopt;
      }
      found = field.value;
    }
  }
  return found;
}

RequestHead copy_head(const RequestHead& head, Arena& arena) {
  RequestHead copy = head;
  // Copy the bytes first, because all other views point into them.
  copy.bytes = arena.copy(head.bytes);
  const Rebase rebase(head.bytes, copy.bytes);
  copy.target = rebase(head.target);
  copy.path = rebase(head.path);
  copy.query = rebase(head.query);
  copy.authority = rebase(head.authority);
  const std::span<Field> fields = arena.make_array<Field>(head.fields.size());
  for (std::size_t index = 0; index < fields.size(); ++index) {
    fields[index] = {rebase(head.fields[index].name), rebase(head.fields[index].value)};
  }
  copy.fields = fields;
  return copy;
}

}  // namespace eider
