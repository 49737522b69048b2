// Resolves names without blocking the event loop, and caches the results.
// Layering: must not connect, nor sort addresses.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/net/options.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/timer.h"

struct ares_channeldata;

namespace eider::net {

enum class DnsFamily : std::uint8_t { v4, v6 };
enum class DnsFault : std::uint8_t { no_such_name, no_answer };

/// At least one address, as text.
using DnsAnswer = Result<std::vector<std::string>, DnsFault>;

class Dns final : private Timer {
 public:
  /// errors  throws std::system_error if the system lacks memory or sockets
  Dns(Loop& loop, DnsOptions options);
  ~Dns();
  Dns(const Dns&) = delete;
  Dns& operator=(const Dns&) = delete;

  /// Resolves a name. Concurrent calls for the same name share one query. Also uses /etc/hosts. May
  /// be cancelled: the query continues and its result is cached.
  ///
  /// errors   no_such_name  the name does not exist, or has no address of this family
  ///          no_answer     the servers do not respond, or respond with an error
  [[nodiscard]] Task<DnsAnswer> find(std::string name, DnsFamily family);

  [[nodiscard]] std::size_t cached() const noexcept { return entries_.size(); }

 private:
  struct Entry;
  struct Question;
  class Watch;
  friend struct DnsCalls;

  [[nodiscard]] std::shared_ptr<Entry> entry_of(const std::string& key, const std::string& name,
                                                DnsFamily family);
  void ask(std::shared_ptr<Entry> entry, const std::string& name, DnsFamily family);
  void make_room();
  void watch(int fd, Readiness what);
  void process(int readable, int writable);
  void arm_timer();
  void expire() override;

  Loop& loop_;
  DnsOptions options_;
  ares_channeldata* channel_ = nullptr;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
  std::map<int, std::unique_ptr<Watch>> watches_;
};

}  // namespace eider::net
