// One object of a struct that is known only by its description.
// Layering: must not be used on a request's path: it allocates.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include "eider/core/reflect/type.h"

namespace eider::reflect::detail {

class Scratch {
 public:
  /// Fills the memory with `fill`, then calls `init(memory)`, which makes the object in it.
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

  [[nodiscard]] const void* object() const noexcept { return memory_; }
  [[nodiscard]] unsigned char byte(std::size_t index) const noexcept {
    return static_cast<const unsigned char*>(memory_)[index];
  }

 private:
  /// A size is a multiple of its type's alignment: its lowest bit is enough.
  [[nodiscard]] std::align_val_t alignment() const noexcept {
    return std::align_val_t{type_.bytes & (~type_.bytes + 1)};
  }
  /// The compiler must believe that the bytes are read here, and written before.
  static void keep(void* memory) noexcept { asm volatile("" : : "r"(memory) : "memory"); }

  const Type& type_;
  void* memory_;
};

}  // namespace eider::reflect::detail
