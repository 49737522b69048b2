// Appends a page to a string, with few checks of its capacity.
// Layering: must not know the contents; rendering.h and escape.h do.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace eider::views {

/// Writes behind what the string has. The string is whole again once the sink is gone.
class Sink {
 public:
  /// bytes  a guess at what will be written
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

  /// Sees to it that so many bytes can be written at `end`.
  void reserve(std::size_t bytes) {
    if (static_cast<std::size_t>(limit_ - at_) < bytes) {
      grow(bytes);
    }
  }
  [[nodiscard]] char* end() const noexcept { return at_; }
  /// Pre: there was room up to there, and it was written.
  void set_end(char* end) noexcept { at_ = end; }

  /// A text of the template. Inlined, since a copy of a size that is known is a store or two.
  template <std::size_t kBytes>
  [[gnu::always_inline]] void text(const char (&text)[kBytes]) {
    reserve(kBytes - 1);
    std::memcpy(at_, text, kBytes - 1);
    at_ += kBytes - 1;
  }

  /// For what appends to strings. What it throws leaves the string as it was left.
  template <class F>
  void append_by(F append) {
    close();
    append(out_);
    open();
  }

 private:
  void open() {
    const std::size_t size = out_.size();
    // What is behind the end is written before `close` makes it a part of the string.
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
