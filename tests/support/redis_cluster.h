// A cluster of Redis servers for a test run: masters that share the slots, and a replica of one.
// Layering: must not be linked into an application.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/redis/key_slot.h"
#include "eider/data/redis/redis.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_loop.h"

namespace eider {

class RedisCluster {
 public:
  static constexpr std::size_t kMasters = 3;

  /// guarded  key whose master has a replica; empty: no replica
  RedisCluster(TestLoop& loop, std::string_view guarded = {}) : loop_(loop) {
    const std::size_t nodes = kMasters + (guarded.empty() ? 0 : 1);
    for (std::size_t i = 0; i < nodes; ++i) {
      servers_.push_back(std::make_unique<RedisServer>(std::vector<std::string>{
          "cluster-enabled yes", "cluster-node-timeout 700", "cluster-replica-validity-factor 0",
          "repl-diskless-sync-delay 0"}));
      nodes_.emplace_back(servers_.back()->unix_url());
      ids_.push_back(ask<std::string>(i, "CLUSTER", "MYID"));
    }
    for (std::size_t i = 0; i < kMasters; ++i) {
      ask(i, "CLUSTER", "ADDSLOTSRANGE", first_of(i), first_of(i + 1) - 1);
      ask(i, "CLUSTER", "SET-CONFIG-EPOCH", i + 1);
    }
    for (std::size_t i = 1; i < nodes; ++i) {
      ask(0, "CLUSTER", "MEET", "127.0.0.1", servers_[i]->port(), bus_port(i));
    }
    await_state(nodes);
    if (!guarded.empty()) {
      ask_until("OK", kMasters, "CLUSTER", "REPLICATE", ids_[index_of(guarded)]);
      await_replica(index_of(guarded));
    }
  }

  /// Returns the address with some of its nodes.
  [[nodiscard]] std::string url() const {
    return "redis+cluster://127.0.0.1:" + std::to_string(servers_[0]->port()) +
           ",127.0.0.1:" + std::to_string(servers_[1]->port());
  }
  [[nodiscard]] RedisServer& server(std::size_t index) { return *servers_[index]; }
  /// Returns the index of the first master of the key's slot.
  [[nodiscard]] static std::size_t index_of(std::string_view key) {
    std::size_t index = 0;
    while (first_of(index + 1) <= redis::detail::slot_of_key(key)) {
      ++index;
    }
    return index;
  }

  template <class T = void, class... Arguments>
  T ask(std::size_t node, Arguments... arguments) {
    return loop_.run([](Redis of, Arguments... sent) -> Task<T> {
      co_return co_await of.within(std::chrono::seconds(10)).command<T>(sent...);
    }(nodes_[node], arguments...));
  }

  /// Moves the slot of a key with its contents to another master, like redis-cli.
  Task<> move_slot(std::string key, std::size_t from, std::size_t to) {
    const auto slot = redis::detail::slot_of_key(key);
    co_await nodes_[to].command("CLUSTER", "SETSLOT", slot, "IMPORTING", ids_[from]);
    co_await nodes_[from].command("CLUSTER", "SETSLOT", slot, "MIGRATING", ids_[to]);
    while (true) {
      const auto keys = co_await nodes_[from].command<std::vector<std::string>>(
          "CLUSTER", "GETKEYSINSLOT", slot, 10);
      if (keys.empty()) {
        break;
      }
      for (const std::string& moved : keys) {
        co_await nodes_[from].command("MIGRATE", "127.0.0.1", servers_[to]->port(), moved, 0, 5000);
      }
      co_await sleep_for(std::chrono::milliseconds(20));  // while ASK redirects to the moved keys
    }
    for (const std::size_t node : {to, from}) {
      co_await nodes_[node].command("CLUSTER", "SETSLOT", slot, "NODE", ids_[to]);
    }
  }

 private:
  static std::size_t first_of(std::size_t index) {
    return index * redis::detail::kSlots / kMasters;
  }

  std::string bus_port(std::size_t node) {
    const auto nodes = ask<std::string>(node, "CLUSTER", "NODES");
    const std::size_t at = nodes.find('@') + 1;
    return nodes.substr(at, nodes.find_first_of(", ", at) - at);
  }
  template <class... Arguments>
  void ask_until(std::string_view said, std::size_t node, Arguments... arguments) {
    for (int i = 0; i < 1000; ++i) {
      try {
        if (ask<std::string>(node, arguments...).contains(said)) {
          return;
        }
      } catch (const RedisFailure&) {
        // The nodes must discover each other first.
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    throw std::runtime_error("the Redis cluster does not come to agree");
  }
  void await_state(std::size_t nodes) {
    for (std::size_t i = 0; i < nodes; ++i) {
      ask_until("cluster_known_nodes:" + std::to_string(nodes), i, "CLUSTER", "INFO");
      ask_until("cluster_state:ok", i, "CLUSTER", "INFO");
    }
  }
  void await_replica(std::size_t master) {
    ask_until("state=online", master, "INFO", "replication");
  }

  TestLoop& loop_;
  std::vector<std::unique_ptr<RedisServer>> servers_;
  std::vector<Redis> nodes_;
  std::vector<std::string> ids_;
};

}  // namespace eider
