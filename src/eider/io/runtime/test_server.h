// For tests: a server of streams that records its callbacks and runs the hooks of a test.
// Layering: must not be used outside of tests.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/stream.h"

namespace eider::testing {

class TestServer;

/// One accepted connection.
class TestConnection final : public StreamOwner {
 public:
  TestConnection(Loop& loop, TestServer& server) : stream(loop, *this), server_(server) {}

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_secured() override { secured_behind.push_back(received); }
  void on_broken(NetError error) override;
  void on_insecure(std::string_view why) override {
    why_insecure = why;
    on_broken(NetError::insecure);
  }

  Stream stream;
  std::string received;
  int ends = 0;
  int drains = 0;
  std::vector<NetError> breaks;
  std::string why_insecure;
  std::vector<std::string> secured_behind;  // the bytes received before each on_secured

 private:
  TestServer& server_;
};

/// Set its hooks, and read its connections, on the loop's thread.
class TestServer final : public ListenerOwner {
 public:
  explicit TestServer(Loop& loop) : loop_(loop), listener(loop, *this) {}

  void on_accept(Descriptor fd) override {
    connections.push_back(std::make_unique<TestConnection>(loop_, *this));
    TestConnection& connection = *connections.back();
    connection.stream.open(std::move(fd));
    if (accepted) {
      accepted(connection);
    }
  }
  void on_accept_failed(NetError error) override { failures.push_back(error); }

  /// Destroys the connection, possibly in one of its callbacks.
  void drop(TestConnection& connection) {
    std::erase_if(connections, [&](const auto& each) { return each.get() == &connection; });
  }

  using Hook = std::function<void(TestConnection&)>;
  Hook accepted;
  std::function<void(TestConnection&, std::string_view)> bytes;
  Hook ended;
  Hook drained;
  Hook broken;

 private:
  Loop& loop_;

 public:
  Listener listener;
  std::vector<std::unique_ptr<TestConnection>> connections;
  std::vector<NetError> failures;
};

inline void TestConnection::on_bytes(std::string_view bytes) {
  received += bytes;
  if (server_.bytes) {
    server_.bytes(*this, bytes);
  }
}

inline void TestConnection::on_end() {
  ++ends;
  if (server_.ended) {
    server_.ended(*this);
  }
}

inline void TestConnection::on_drained() {
  ++drains;
  if (server_.drained) {
    server_.drained(*this);
  }
}

inline void TestConnection::on_broken(NetError error) {
  breaks.push_back(error);
  if (server_.broken) {
    server_.broken(*this);
  }
}

}  // namespace eider::testing
