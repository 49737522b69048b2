// One connection that listens with LISTEN and UNLISTEN, and receives notifications.
// Layering: must not reconnect; a new one replaces it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/connecting.h"
#include "eider/data/db/postgres/wire.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/timer.h"

namespace eider::db::postgres {

/// Callbacks of a connection. They must not destroy the connection during the call.
class ListenLineOwner {
 public:
  /// The connection accepts statements now.
  virtual void on_open() = 0;
  /// The server has accepted `listen`, or has rejected the channel permanently.
  ///
  /// number  as passed to `listen`
  virtual void on_answer(const std::string& channel, std::uint64_t number,
                         const std::optional<Failure>& refusal) = 0;
  virtual void on_notice(std::string_view channel, std::string_view payload) = 0;
  /// The last callback.
  virtual void on_closed(const std::string& why) = 0;

 protected:
  ~ListenLineOwner() = default;
};

class ListenLine final : private ConnectingOwner, private FdWatch, private Timer {
 public:
  /// options  must outlive this
  ListenLine(Loop& loop, ListenLineOwner& owner, const PostgresOptions& options) noexcept;
  ~ListenLine();

  /// Connects. Pre: called once.
  void connect(Task<Target> target) { connecting_.start(std::move(target)); }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  // Pre: is_open(). The connection may be closed after the call.

  void listen(const std::string& channel, std::uint64_t number);
  /// The response is not reported.
  void unlisten(const std::string& channel);

 private:
  /// number  0 for other statements than `listen`
  struct Asked {
    std::string channel{};
    std::uint64_t number = 0;
  };

  void on_connected(std::optional<BackendKey> key) override;
  void on_not_connected(const std::string& why) override { close(why); }
  void on_ready(Readiness what) override;
  void expire() override;

  void ask(const std::string& sql, Asked asked);
  void wait_for_a_word() noexcept;
  void take_all();
  void take(const Message& message);
  void finish_answer();
  void close(const std::string& why);

  ListenLineOwner& owner_;
  const PostgresOptions& options_;
  Wire wire_;
  Connecting connecting_;
  std::deque<Asked> asked_;  // in the order of the responses
  std::optional<Failure> failure_;
  bool is_open_ = false;
};

}  // namespace eider::db::postgres
