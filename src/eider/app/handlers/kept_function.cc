#include "eider/app/handlers/kept_function.h"

#include <cstring>
#include <new>

namespace eider::detail::app {

std::shared_ptr<const void> keep_bytes(const void* object, std::size_t size) {
  struct Free {
    void operator()(void* bytes) const noexcept { ::operator delete(bytes); }
  };
  std::unique_ptr<void, Free> kept(::operator new(size));
  std::memcpy(kept.get(), object, size);
  return kept;
}

}  // namespace eider::detail::app
