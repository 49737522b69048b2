#include "eider/app/handlers/unvalidated.h"

#include <algorithm>

namespace eider::detail::app {

namespace {

/// Returns whether `inner` is `outer` or a pointer into it: "/a" and "/a/b".
bool leads_to(std::string_view outer, std::string_view inner) noexcept {
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

}  // namespace

bool has_fault_at(const std::vector<FieldError>& faults, std::string_view pointer) {
  return std::ranges::any_of(faults, [pointer](const FieldError& fault) {
    return leads_to(fault.pointer, pointer) || leads_to(pointer, fault.pointer);
  });
}

}  // namespace eider::detail::app
