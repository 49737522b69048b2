// One object of a struct that is known only by its description.
// Layering: must not be used for requests in production: it allocates.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "eider/core/reflect/type.h"

namespace eider::reflect::detail {

class Scratch {
 public:
  /// Fills the memory with `fill`, then calls `init(memory)` to construct the object.
  /// Pre: type.kind is kStruct.
  template <class Init>
  Scratch(const Type& type, Init init, unsigned char fill = 0)
      : type_(type), memory_(::operator new(type.bytes, alignment())) {
    std::memset(memory_, fill, type.bytes);
    keep(memory_);
    init(memory_);
    keep(memory_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    type_.structure().destroy(memory_);
    ::operator delete(memory_, alignment());
  }

  [[nodiscard]] void* object() const noexcept { return memory_; }
  [[nodiscard]] unsigned char byte(std::size_t index) const noexcept {
    return static_cast<const unsigned char*>(memory_)[index];
  }

 private:
  /// The size of a type is a multiple of its alignment, so the lowest set bit of the size is
  /// sufficient.
  [[nodiscard]] std::align_val_t alignment() const noexcept {
    return std::align_val_t{type_.bytes & (~type_.bytes + 1)};
  }
  /// Prevents the compiler from removing or reordering the writes to the memory.
  static void keep(void* memory) noexcept { asm volatile("" : : "r"(memory) : "memory"); }

  const Type& type_;
  void* memory_;
};

}  // namespace eider::reflect::detail
