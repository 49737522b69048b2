// Appends a page to a string, with few checks of its capacity.
// Layering: must not know the contents; rendering.h and escape.h do.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace eider::views {

/// Appends to a string. The string is only valid again after the sink was destroyed.
class Sink {
 public:
  /// bytes  estimated size of the output
  Sink(std::string& out, std::size_t bytes) : out_(out) {
    out_.reserve(out_.size() + bytes);
    open();
  }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() {
    if (at_ != nullptr) {
      close();
    }
  }

  /// Makes sure that so many bytes can be written at `end`.
  void reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - at_) < bytes) {
      grow(bytes);
    }
  }
  [[nodiscard]] char* end() const noexcept { return at_; }
  /// Pre: the bytes up to `end` were reserved and written.
  void set_end(char* end) noexcept { at_ = end; }

  /// Appends a text of the template. Inlined, because copying a known size takes one or two stores.
  template <std::size_t kBytes>
  [[gnu::always_inline]] void text(const char (&text)[kBytes]) {
    reserve(kBytes - 1);
    std::memcpy(at_, text, kBytes - 1);
    at_ += kBytes - 1;
  }

  /// Calls a function that appends to the string. If it throws, the string keeps what was written.
  template <class F>
  void append_by(F append) {
    close();
    append(out_);
    open();
  }

 private:
  void open() {
    const std::size_t size = out_.size();
    // The bytes after the end are written before `close` makes them part of the string.
    out_.resize_and_overwrite(out_.capacity(), [](char*, std::size_t all) { return all; });
    at_ = out_.data() + size;
    limit_ = out_.data() + out_.size();
  }
  void close() noexcept {
    out_.resize(static_cast<std::size_t>(at_ - out_.data()));
    at_ = limit_ = nullptr;
  }
  [[gnu::noinline]] void grow(std::size_t bytes) {
    close();
    out_.reserve(out_.size() + bytes);
    open();
  }

  std::string& out_;
  char* at_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace eider::views
