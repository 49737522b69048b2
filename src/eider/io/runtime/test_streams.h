// For tests: a server of streams on a loop with its own thread, and long texts to send to it.
// Layering: must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/io/runtime/test_backends.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/io/runtime/test_server.h"

namespace eider::testing {

inline constexpr std::size_t kManyBytes = std::size_t{8} << 20;

inline std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t index = 0; index < bytes; ++index) {
    text[index] = static_cast<char>('a' + (index * 31 + index / 4096) % 26);
  }
  return text;
}

/// Reports the first difference of two long texts, so that a failure does not print megabytes.
inline ::testing::AssertionResult are_same(std::string_view got, std::string_view expected) {
  const std::size_t shorter = std::min(got.size(), expected.size());
  for (std::size_t index = 0; index < shorter; ++index) {
    if (got[index] != expected[index]) {
      return ::testing::AssertionFailure() << "they differ at byte " << index;
    }
  }
  return got.size() == expected.size() ? ::testing::AssertionSuccess()
                                       : ::testing::AssertionFailure()
                                             << got.size() << " bytes, expected "
                                             << expected.size();
}

inline void echo(TestConnection& connection, std::string_view bytes) {
  connection.stream.output().append(bytes);
}

/// A server on 127.0.0.1 whose loop has its own thread; each test sets its responses.
class StreamTestBase : public ::testing::TestWithParam<LoopMaker> {
 protected:
  void SetUp() override {
    thread_ = std::make_unique<LoopThread>(GetParam());
    if (!thread_->is_running()) {
      GTEST_SKIP() << "this kernel lacks the backend";
    }
    start(local());
  }

  void TearDown() override {
    if (thread_->is_running()) {
      thread_->call([&] { server_.reset(); });
    }
    thread_.reset();
  }

  void start(const SocketAddress& at) {
    thread_->call([&] {
      server_ = std::make_unique<TestServer>(thread_->loop());
      const auto opened = server_->listener.open(at);
      ASSERT_TRUE(opened) << text(opened.error());
      address_ = server_->listener.address().value();
    });
  }

  template <class Work>
  void on_loop(Work work) {
    thread_->call([&] { work(*server_); });
  }
  template <class Condition>
  bool becomes(Condition holds) {
    return becomes_true(*thread_, [&] { return holds(*server_); });
  }
  /// Returns whether output waits in the only connection. A test about waiting output must call it
  /// before its peer reads: a peer that reads meanwhile may read everything, so that nothing ever
  /// waits.
  bool output_waits() {
    return becomes([](TestServer& server) {
      return !server.connections.empty() && server.connections[0]->stream.waiting_bytes() > 0;
    });
  }
  [[nodiscard]] Peer connect(int receive_bytes = 0) const { return Peer(*address_, receive_bytes); }

  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<TestServer> server_;
  std::optional<SocketAddress> address_;
};

}  // namespace eider::testing
