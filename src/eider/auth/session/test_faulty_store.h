// For tests: a store that fails, hangs or loses races on request.
// Layering: must not be included outside of tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/auth/session/memory_sessions.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"

namespace eider::detail::session::test {

class FaultyStore final : public SessionStore {
 public:
  /// rejects    a value of the session is invalid
  /// overtaken  each `replace` finds another version
  enum class Fault : std::uint8_t { none, throws, throws_at_once, rejects, hangs, overtaken };

  [[nodiscard]] Task<std::unique_ptr<SessionRecord>> find(std::string name) override {
    ++finds;
    throw_at_once("find");
    return find_later(std::move(name));
  }
  [[nodiscard]] Task<> insert(std::string name, SessionRecord record) override {
    co_await fail_or_hang("insert");
    co_await kept_.insert(std::move(name), std::move(record));
  }
  [[nodiscard]] Task<bool> replace(std::string name, SessionRecord record) override {
    ++replaces;
    co_await fail_or_hang("replace");
    if (fault == Fault::overtaken) {
      co_return false;
    }
    co_return co_await kept_.replace(std::move(name), std::move(record));
  }
  [[nodiscard]] Task<bool> rename(std::string name, std::string new_name) override {
    co_await fail_or_hang("rename");
    co_return co_await kept_.rename(std::move(name), std::move(new_name));
  }
  [[nodiscard]] Task<> erase(std::string name) override {
    co_await fail_or_hang("erase");
    co_await kept_.erase(std::move(name));
  }
  [[nodiscard]] Task<std::size_t> erase_of(std::string user, std::string but_for) override {
    return kept_.erase_of(std::move(user), std::move(but_for));
  }
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user) override {
    return kept_.list(std::move(user));
  }
  [[nodiscard]] Task<> sweep(std::int64_t seen_until) override { return kept_.sweep(seen_until); }

  Fault fault = Fault::none;
  /// Name of the function that fails; empty: all.
  std::string only_in;
  /// Number of calls of `find` and `replace`.
  int finds = 0;
  int replaces = 0;

 private:
  [[nodiscard]] bool has(Fault asked, std::string_view function) const {
    return fault == asked && (only_in.empty() || only_in == function);
  }
  void throw_at_once(std::string_view function) const {
    if (has(Fault::throws_at_once, function)) {
      throw std::runtime_error("the disk is full");
    }
  }
  Task<std::unique_ptr<SessionRecord>> find_later(std::string name) {
    co_await fail_or_hang("find");
    co_return co_await kept_.find(std::move(name));
  }
  Task<> fail_or_hang(std::string_view function) {
    if (has(Fault::throws, function)) {
      throw std::runtime_error("the disk is full");
    }
    if (has(Fault::rejects, function)) {
      throw Failure(Error(422, "A value is invalid."));
    }
    if (has(Fault::hangs, function)) {
      co_await sleep_for(std::chrono::hours(1));
    }
  }

  MemoryStore kept_{MemorySessions{}};
};

}  // namespace eider::detail::session::test
