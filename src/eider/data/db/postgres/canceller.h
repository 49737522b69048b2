// The cancel requests of one connection, one at a time.
// Layering: no other statement may start while a request is under way.
#pragma once

#include <chrono>
#include <optional>

#include "eider/data/db/postgres/cancel_request.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/time.h"

namespace eider::db::postgres {

class CancellerOwner {
 public:
  /// is_over  false when the request may still take effect
  virtual void on_asked(bool is_over) = 0;

 protected:
  ~CancellerOwner() = default;
};

class Canceller {
 public:
  /// For how long a statement is waited for whose time is over: long enough to learn that it was
  /// cancelled, so that its outcome is known.
  static constexpr Duration kCancelMax = std::chrono::milliseconds(500);

  explicit Canceller(CancellerOwner& owner) noexcept : owner_(owner) {}

  /// Without one nothing can be cancelled.
  void set_key(std::optional<BackendKey> key) noexcept { key_ = key; }
  [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
  /// Nothing, while it asks already.
  ///
  /// session  its address and its TLS are used for the request
  void ask(PGconn* session);
  /// A request that is under way may come too early: `repeat` asks another time.
  void ask_again(PGconn* session);
  void repeat(PGconn* session);
  /// Nobody is told any more.
  void end() noexcept { scope_.cancel(); }

 private:
  Task<> run(Address server, CancelTls tls);

  CancellerOwner& owner_;
  std::optional<BackendKey> key_;
  bool is_asking_ = false;
  bool is_to_ask_again_ = false;
  Scope scope_;
};

}  // namespace eider::db::postgres
