// One object per event loop, created on first use, such as an HTTP client with its pool.
// Layering: must not be used outside of an event loop's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "eider/io/runtime/loop.h"

namespace eider {

namespace detail::runtime {
/// Returns a unique number.
[[nodiscard]] inline std::uint64_t next_loop_key() noexcept {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}
}  // namespace detail::runtime

/// An object per event loop, created on first use. Objects exist until their loop ends, even if the
/// LoopLocal is destroyed before: they must not refer to it.
///
///     LoopLocal<HttpClient> clients([] { return std::make_unique<HttpClient>(); });
///     …  auto asking = clients.here().get(url);
///
/// T  with a function `end_tasks()`, such as Scope: called when the loop ends, before any of its
///    objects is destroyed. The tasks of a T may use all of them.
template <class T>
class LoopLocal {
 public:
  /// make  called once on each loop
  explicit LoopLocal(std::function<std::unique_ptr<T>()> make) : make_(std::move(make)) {}

  /// Returns the object of the event loop that runs on this thread.
  [[nodiscard]] T& here() const {
    Loop& loop = Loop::current();
    if (LoopKept* const kept = loop.kept(key_).get()) [[likely]] {
      return *static_cast<Kept&>(*kept).object;
    }
    auto made = std::make_unique<Kept>(make_());  // the constructor may also use Loop::kept
    T& object = *made->object;
    loop.kept(key_) = std::move(made);
    return object;
  }

 private:
  struct Kept final : LoopKept {
    explicit Kept(std::unique_ptr<T> made) noexcept : object(std::move(made)) {}
    void end_tasks() noexcept override {
      if constexpr (requires(T& its) { its.end_tasks(); }) {
        object->end_tasks();
      }
    }
    std::unique_ptr<T> object;
  };

  std::function<std::unique_ptr<T>()> make_;
  std::uint64_t key_ = detail::runtime::next_loop_key();
};

}  // namespace eider
