// For tests: a server that checks each received byte, and drops and pauses its connections.
// Layering: must not be used outside of tests.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/test_seeded_bytes.h"
#include "eider/io/runtime/timer.h"

namespace eider::testing {

class CheckingServer;

/// The client starts with the number of the stream (4 bytes, in memory order), followed by the
/// bytes of that stream. After FIN it gets the number of received bytes (8 bytes).
class CheckedConnection final : public StreamOwner, public Timer {
 public:
  CheckedConnection(Loop& loop, CheckingServer& server) : stream(loop, *this), server_(server) {}

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_broken(NetError error) override;
  void expire() override { stream.resume_reading(); }

  [[nodiscard]] bool has_number() const { return head_.size() == sizeof(std::uint32_t); }
  [[nodiscard]] std::uint32_t number() const {
    std::uint32_t number = 0;
    std::memcpy(&number, head_.data(), sizeof(number));
    return number;
  }

  Stream stream;

 private:
  CheckingServer& server_;
  std::string head_;
  std::uint64_t position_ = 0;
};

class CheckingServer final : public ListenerOwner {
 public:
  CheckingServer(Loop& loop, const SeededBytes& expected, unsigned seed)
      : listener(loop, *this), expected_(expected), random_(seed), loop_(loop) {}

  void on_accept(Descriptor fd) override {
    connections.push_back(std::make_unique<CheckedConnection>(loop_, *this));
    connections.back()->stream.open(std::move(fd));
  }
  void on_accept_failed(NetError) override {}

  void check(std::string_view bytes, std::uint32_t stream, std::uint64_t position) {
    bytes_checked += bytes.size();
    if (!expected_.is_piece(bytes, stream, position)) {
      wrong.push_back("stream " + std::to_string(stream) + " within " +
                      std::to_string(bytes.size()) + " bytes from " + std::to_string(position));
    }
  }

  /// Sometimes pauses or destroys a connection: this one, or another one, for which the kernel may
  /// be receiving at this moment.
  void disturb(CheckedConnection& connection) {
    const auto dice = random_() % 512;
    if (dice < 16) {
      connection.stream.pause_reading();
      loop_.arm(connection, loop_.now() + std::chrono::milliseconds(random_() % 4));
    } else if (dice == 16) {
      drop(connection);
    } else if (dice == 17) {
      CheckedConnection& other = *connections[random_() % connections.size()];
      if (other.has_number()) {
        drop(other);
      }
    }
  }

  void drop(CheckedConnection& connection) {
    if (connection.has_number()) {
      dropped.insert(connection.number());
    }
    std::erase_if(connections, [&](const auto& each) { return each.get() == &connection; });
  }

  Listener listener;
  std::vector<std::unique_ptr<CheckedConnection>> connections;
  std::vector<std::string> wrong;
  std::set<std::uint32_t> dropped;
  std::uint64_t bytes_checked = 0;
  bool is_disturbing = false;

 private:
  const SeededBytes& expected_;
  std::mt19937 random_;
  Loop& loop_;
};

inline void CheckedConnection::on_bytes(std::string_view bytes) {
  const auto of_head = bytes.substr(0, sizeof(std::uint32_t) - head_.size());
  head_ += of_head;
  bytes.remove_prefix(of_head.size());
  if (!has_number()) {
    return;
  }
  server_.check(bytes, number(), position_);
  position_ += bytes.size();
  if (server_.is_disturbing) {
    server_.disturb(*this);
  }
}

inline void CheckedConnection::on_end() {
  stream.output().append(
      std::string_view(reinterpret_cast<const char*>(&position_), sizeof(position_)));
  stream.end();
}

inline void CheckedConnection::on_broken(NetError) {
  server_.drop(*this);
}

}  // namespace eider::testing
