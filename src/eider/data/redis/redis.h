// A client for Redis: typed commands over few connections per event loop.
// Layering: must not rename commands; names and arguments are those of Redis.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/reflect/readable.h"
#include "eider/data/redis/call.h"
#include "eider/data/redis/redis_failure.h"
#include "eider/data/redis/redis_options.h"
#include "eider/data/redis/resp_writer.h"
#include "eider/io/runtime/task.h"

namespace eider {

class RedisCache;
class RedisSession;
class RedisSubscriber;

namespace redis {

/// The result of a command whose response is ignored.
struct Nothing {};

namespace detail {

class Link;
struct Settings;
struct State;

template <class T>
[[nodiscard]] ReplyTarget target_of(T& value) noexcept {
  static_assert(reflect::kIsReadable<T>,
                "eider: a Redis response cannot be read into a view: use std::string");
  return {&reflect::type_of<T>(), &value};
}

template <class T>
using Held = std::conditional_t<std::is_void_v<T>, Nothing, T>;

template <class T>
[[nodiscard]] ReplyTarget target_of_held(Held<T>& value) noexcept {
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return target_of(value);
  }
}

}  // namespace detail

/// A command for a pipeline or a transaction: redis::word.
template <class T>
class Word {
 public:
  template <class... Arguments>
  explicit Word(std::string_view name, const Arguments&... arguments) {
    detail::append_command(bytes_, name, arguments...);
  }
  [[nodiscard]] std::string_view view() const noexcept { return bytes_.view(); }

 private:
  Buffer bytes_;
};

/// `redis::word<std::int64_t>("INCR", "visits")`. T: the type of the response; void: only errors
/// are reported
template <class T = void, class... Arguments>
[[nodiscard]] Word<T> word(std::string_view name, const Arguments&... arguments) {
  return Word<T>(name, arguments...);
}

/// A Lua script, which the server identifies by its digest.
class Script {
 public:
  explicit Script(std::string source);
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  /// Returns the SHA-1 of the source in hexadecimal digits.
  [[nodiscard]] const std::string& digest() const noexcept { return digest_; }

 private:
  std::string source_;
  std::string digest_;
};

}  // namespace redis

/// The result of `command`, to be awaited once. The command has already been started, so that
/// several commands are sent together; destroying it cancels it.
template <class T>
class [[nodiscard]] RedisCommand final : public redis::detail::Call {
 public:
  template <class... Arguments>
  RedisCommand(redis::detail::Link& link, Duration time, std::string_view name,
               const Arguments&... arguments)
      : Call(link, name, time) {
    if (Buffer* const out = begin()) {
      redis::detail::append_command(*out, name, arguments...);
      check_written();
      end(1);
    }
  }

  T await_resume() {
    rethrow();
    if constexpr (!std::is_void_v<T>) {
      return std::move(value_);
    }
  }

 private:
  void take(redis::detail::RespCursor answer) override {
    read(redis::detail::target_of_held<T>(value_), answer);
  }

  [[no_unique_address]] redis::detail::Held<T> value_{};
};

/// As above for several commands; returns a tuple, with a redis::Nothing for each void.
template <class Base, class... T>
class [[nodiscard]] RedisCommands final : public Base {
 public:
  using Values = std::tuple<redis::detail::Held<T>...>;

  template <class... More>
  RedisCommands(redis::detail::Link& link, Duration time,
                const std::array<std::string_view, sizeof...(T)>& words, More... more)
      : Base(link, time, words, targets_, more...) {
    fill(std::index_sequence_for<T...>());
  }

  Values await_resume() {
    this->rethrow();
    return std::move(values_);
  }

 private:
  template <std::size_t... Index>
  void fill(std::index_sequence<Index...> /*each*/) {
    ((targets_[Index] = redis::detail::target_of_held<T>(std::get<Index>(values_))), ...);
  }

  Values values_{};
  std::array<redis::detail::ReplyTarget, sizeof...(T)> targets_{};
};

/// A client for a Redis server, version 6 or later. It connects with the first command, and each
/// event loop has its own connections. Copies share these.
///
///     Redis redis("redis://:secret@127.0.0.1:6379/0");
///     …
///     co_await redis.command("SET", "greeting", "hello", "EX", 60);
///     auto greeting = co_await redis.command<std::optional<std::string>>("GET", "greeting");
///
/// In a cluster, each command is sent to the node of its first key, also in a pipeline.
///
/// A failed command throws RedisFailure when it is awaited. Commands that were not sent are sent
/// after a reconnect, within their time limit. Commands that were sent but not answered fail with
/// `lost` or `expired`, and may have been executed.
class Redis {
 public:
  /// url     "redis://[[user]:password@]host[:port][/database]", rediss:// for TLS, or
  ///         "unix:[//[[user]:password@]]/path[?db=database]"; percent-encoded. With sentinels:
  ///         "redis+sentinel://[[user]:password@]host[:port],…/master[/database]"; some nodes of a
  ///         cluster: "redis+cluster://[[user]:password@]host[:port],…"; rediss+… for TLS
  /// errors  RedisFailure(open), thrown
  explicit Redis(std::string_view url, const RedisOptions& options = {});

  /// Returns the same server with another time limit per command, including connecting.
  [[nodiscard]] Redis within(Duration time) const;

  /// Arguments are any bytes, numbers, and reflected types: the elements of a sequence, names and
  /// values of a map or a struct; they are encoded before this returns. Commands that block need a
  /// `session`.
  ///
  /// T        of the response (docs/guides/data/redis.md); void: only errors are reported
  /// errors   RedisFailure(refused), thrown immediately: not allowed on this connection
  template <class T = void, class... Arguments>
  RedisCommand<T> command(std::string_view name, const Arguments&... arguments) const {
    return RedisCommand<T>(link(), time_, name, arguments...);
  }

  /// Sends several commands at once; other commands may run in between. Throws the first failure;
  /// the other commands are executed anyway.
  ///
  ///     auto [visits, name] = co_await redis.pipeline(
  ///         redis::word<std::int64_t>("INCR", "visits"), redis::word<std::string>("GET", "name"));
  template <class... T>
    requires(sizeof...(T) > 0)
  auto pipeline(const redis::Word<T>&... words) const {
    return RedisCommands<redis::detail::PipelineCall, T...>(link(), time_, {words.view()...});
  }

  /// As above between MULTI and EXEC: no other command runs in between. If Redis rejects a command
  /// immediately, none is executed; if one fails during execution, the others take effect.
  template <class... T>
    requires(sizeof...(T) > 0)
  auto transaction(const redis::Word<T>&... words) const {
    return RedisCommands<redis::detail::TransactionCall, T...>(link(), time_, {words.view()...},
                                                               watched_);
  }

  /// Runs a script by its digest, and sends its source if the server does not know it.
  ///
  /// arguments  are stored during the call; data of views and pointers must outlive it
  template <class T = void, class... Arguments>
  Task<T> run(redis::Script script, std::vector<std::string> keys, Arguments... arguments) const {
    return run_on<T>(*this, std::move(script), std::move(keys), std::move(arguments)...);
  }

  /// Returns a separate connection: for WATCH, and for commands that block (BLPOP, XREAD with
  /// BLOCK). Pre: on an event loop, which it stays on.
  ///
  /// errors  RedisFailure(refused), thrown: in a cluster, use session_of
  [[nodiscard]] RedisSession session() const;
  /// As above, to the node of a cluster with this key. If the key moves to another node, commands
  /// fail with the code MOVED: open a new session.
  ///
  /// errors  RedisFailure, thrown
  [[nodiscard]] Task<RedisSession> session_of(std::string key) const;

 private:
  friend RedisCache;
  friend RedisSession;
  friend RedisSubscriber;
  Redis(std::shared_ptr<redis::detail::State> state, Duration time) noexcept
      : state_(std::move(state)), time_(time) {}

  /// By value: the task starts later, when `within` no longer exists.
  template <class T, class... Arguments>
  static Task<T> run_on(Redis redis, redis::Script script, std::vector<std::string> keys,
                        Arguments... arguments) {
    try {
      co_return co_await redis.command<T>("EVALSHA", script.digest(), keys.size(), keys,
                                          arguments...);
    } catch (const RedisFailure& failure) {
      // A script may return this error itself after it has written data.
      if (failure.code() != "NOSCRIPT" || failure.may_be_done()) {
        throw;
      }
    }
    co_return co_await redis.command<T>("EVAL", script.source(), keys.size(), keys, arguments...);
  }

  static Task<RedisSession> open_session(Redis redis, std::string key);
  [[nodiscard]] redis::detail::Link& link() const;

  std::shared_ptr<redis::detail::State> state_;
  Duration time_;
  redis::detail::Link* own_ = nullptr;  // of a session
  std::uint64_t* watched_ = nullptr;    // of a session
};

/// A separate connection, opened with its first command and closed with it. After a lost
/// connection, the next command uses a new one; a pending WATCH is reported by `aborted`.
class RedisSession : private Redis {
 public:
  RedisSession(RedisSession&&) noexcept;
  RedisSession& operator=(RedisSession&&) noexcept;
  ~RedisSession();

  using Redis::command;
  using Redis::pipeline;
  using Redis::run;
  using Redis::transaction;
  /// Sets the time limit of commands. The result must not outlive the session.
  using Redis::within;

  /// Makes the next transaction fail if any of these keys is changed before.
  ///
  /// errors  of the transaction: RedisFailure(aborted), thrown
  template <redis::detail::Texty... Keys>
  [[nodiscard]] Task<> watch(const Keys&... keys) {
    return watch_all({std::string(keys)...});
  }
  [[nodiscard]] Task<> watch_all(std::vector<std::string> keys);

 private:
  friend Redis;
  struct Own;
  class Watching;
  RedisSession(const Redis& redis, std::shared_ptr<const redis::detail::Settings> settings);

  std::unique_ptr<Own> own_link_;
};

}  // namespace eider
