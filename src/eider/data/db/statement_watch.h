// Observers of the statements of a request, for development.
// Layering: must not cost more than checking one thread-local pointer without observers.
#pragma once

#include <memory>
#include <string_view>

namespace eider::db {

/// Told of each statement that is asked while it is the thread's, and of those that what waits for
/// such a statement asks when that goes on. What waits for anything else between loses it.
class StatementWatch : public std::enable_shared_from_this<StatementWatch> {
 public:
  virtual ~StatementWatch() = default;
  /// sql  its text, without values; not kept after return
  virtual void on_statement(std::string_view sql) = 0;

  /// The thread's; null: nobody watches.
  [[nodiscard]] static StatementWatch* current() noexcept { return current_; }

 private:
  friend class Watching;
  static inline constinit thread_local StatementWatch* current_ = nullptr;
};

/// Makes a watch the thread's until the end of this.
class Watching {
 public:
  /// watch  outlives this; null: what was the thread's stays
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
