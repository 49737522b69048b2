// One argon2 computation on its way to a thread and back to the waiting event loop.
// Layering: must not use the event loop after the caller stopped waiting.
#pragma once

#include <coroutine>
#include <optional>
#include <string>
#include <string_view>

#include "eider/auth/passwords/argon2_hash.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"

namespace eider::detail::passwords {

/// Owned by its awaiter, then by the pool, then by its loop. It makes the one copy of the password,
/// never moves it (a short text would stay behind), and overwrites it before it gives it back.
class Derivation final : public Posted {
 public:
  /// like  variant, cost, salt, and the size of the tag
  Derivation(std::string_view password, Argon2Hash like);
  ~Derivation() override;

  // On the loop.

  /// `waiting` goes on when this comes back. `holder` points here until it is destroyed.
  void wait(Loop& loop, std::coroutine_handle<> waiting, Derivation*& holder) noexcept;
  /// Nobody waits any more. Not at the same time as `is_awaited` (DerivationPool sees to that).
  void abandon() noexcept;
  void run() override;
  /// Nothing when it was never run, or there was no memory for it.
  [[nodiscard]] const std::optional<std::string>& tag() const noexcept { return tag_; }

  // On a thread of the pool.

  void execute() noexcept;
  /// In a pool without threads: `run` executes first.
  void execute_in_run() noexcept { executes_in_run_ = true; }
  [[nodiscard]] bool is_awaited() const noexcept { return waiting_.is_there(); }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }

 private:
  std::string password_;
  Argon2Hash like_;
  std::optional<std::string> tag_;
  Loop* loop_ = nullptr;
  runtime::Suspended waiting_;
  Derivation** holder_ = nullptr;
  bool executes_in_run_ = false;
};

}  // namespace eider::detail::passwords
