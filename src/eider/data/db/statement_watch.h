// Observers of the statements of a request, for development.
// Layering: must not cost more than checking one thread-local pointer without observers.
#pragma once

#include <memory>
#include <string_view>

namespace eider::db {

/// Called for each statement that is requested while the watch is set for the thread. It is set
/// again when a coroutine that waits for such a statement is resumed. Waiting for anything else in
/// between loses it.
class StatementWatch : public std::enable_shared_from_this<StatementWatch> {
 public:
  virtual ~StatementWatch() = default;
  /// sql  its text, without values; not kept after return
  virtual void on_statement(std::string_view sql) = 0;

  /// Returns the watch of the thread; null if there is none.
  [[nodiscard]] static StatementWatch* current() noexcept { return current_; }

 private:
  friend class Watching;
  static inline constinit thread_local StatementWatch* current_ = nullptr;
};

/// Sets the watch of the thread during the lifetime of this object.
class Watching {
 public:
  /// watch  must outlive this; null: the current watch is kept
  explicit Watching(StatementWatch* watch) noexcept : before_(StatementWatch::current_) {
    if (watch != nullptr) {
      StatementWatch::current_ = watch;
    }
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() { StatementWatch::current_ = before_; }

 private:
  StatementWatch* before_;
};

}  // namespace eider::db
