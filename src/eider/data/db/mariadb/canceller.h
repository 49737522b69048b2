// Cancels the statement of a connection with KILL QUERY on another connection.
// Layering: no other statement may run before the request has arrived.
#pragma once

#include <cstddef>
#include <string>

#include "eider/data/db/mariadb/target.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"

namespace eider::db::mariadb {

/// Where a connection ends, as `kServerSql` asks for it: behind one address there may be several
/// servers, each with threads of the same numbers.
struct Thread {
  Host host{};
  std::string server{};
  unsigned long id = 0;
};

inline constexpr const char* kServerSql =
    "select concat(@@hostname, ' ', @@port, ' ', @@server_id, ' ', @@datadir)";

class CancellerOwner {
 public:
  /// is_over  false when the request may still take effect
  virtual void on_asked(bool is_over) = 0;

 protected:
  ~CancellerOwner() = default;
};

class Canceller {
 public:
  /// target  outlives it, as the others do
  Canceller(Loop& loop, CancellerOwner& owner, const Target& target) noexcept
      : loop_(loop), owner_(owner), target_(target) {}

  [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
  /// Nothing, while it asks already.
  void ask(Thread thread);
  /// Nobody is told any more.
  void end() noexcept { scope_.cancel(); }

 private:
  [[nodiscard]] Task<> run(Thread thread);
  [[nodiscard]] Task<> kill(const Thread& thread, bool* is_pending);

  Loop& loop_;
  CancellerOwner& owner_;
  const Target& target_;
  bool is_asking_ = false;
  Scope scope_;
};

}  // namespace eider::db::mariadb
