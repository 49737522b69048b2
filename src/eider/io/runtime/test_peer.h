// For tests: a blocking client socket, and a loop that runs on its own thread.
// Layering: must not be used outside of tests.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "eider/io/runtime/address.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"

namespace eider::testing {

/// A client that blocks, at most a minute per call, so that a broken test ends.
class Peer {
 public:
  explicit Peer(const SocketAddress& to, int receive_bytes = 0)
      : fd_(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (receive_bytes != 0) {
      ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    is_connected_ = connect_to(to);
  }

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  [[nodiscard]] int fd() const { return fd_.get(); }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) {
        continue;
      }
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Receives up to `bytes`; fewer only if the stream ended, failed or delivered nothing more.
  [[nodiscard]] std::string receive(std::size_t bytes) const {
    std::string all(bytes, '\0');
    std::size_t got = 0;
    while (got < bytes) {
      const ssize_t count = receive_some(all.data() + got, bytes - got);
      if (count <= 0) {
        break;
      }
      got += static_cast<std::size_t>(count);
    }
    all.resize(got);
    return all;
  }

  /// Receives everything until the end.
  [[nodiscard]] std::string receive_all() const {
    std::string all;
    for (std::string part = receive(65536); !part.empty(); part = receive(65536)) {
      all += part;
    }
    return all;
  }

  /// Returns whether the other side has sent FIN and there are no further bytes.
  [[nodiscard]] bool is_at_end() const {
    char byte = 0;
    return receive_some(&byte, 1) == 0;
  }
  /// Returns whether the other side has reset the connection.
  [[nodiscard]] bool is_reset() const {
    char byte = 0;
    return receive_some(&byte, 1) < 0 && errno == ECONNRESET;
  }

  void end() const { ::shutdown(fd_.get(), SHUT_WR); }
  void close() { fd_.close(); }
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    fd_.close();
  }

 private:
  bool connect_to(const SocketAddress& to) const {
    while (::connect(fd_.get(), to.data(), to.size()) != 0) {
      if (errno != EINTR && errno != EALREADY) {
        return errno == EISCONN;
      }
    }
    return true;
  }

  /// A ring that ends interrupts the thread that created it, even without a signal.
  ssize_t receive_some(char* to, std::size_t bytes) const {
    ssize_t count = 0;
    do {
      count = ::recv(fd_.get(), to, bytes, 0);
    } while (count < 0 && errno == EINTR);
    return count;
  }

  Descriptor fd_;
  bool is_connected_ = false;
};

/// Runs a loop on a thread; `call` runs the code of a test there.
class LoopThread {
 public:
  using LoopMaker = Result<std::unique_ptr<Loop>> (*)();

  explicit LoopThread(LoopMaker make) {
    auto loop = make();
    if (loop) {
      loop_ = std::move(*loop);
      thread_ = std::thread([this] { loop_->run(); });
    }
  }
  ~LoopThread() { stop(); }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  /// Returns false if the kernel lacks the backend.
  [[nodiscard]] bool is_running() const { return loop_ != nullptr; }
  [[nodiscard]] Loop& loop() const { return *loop_; }

  /// Runs `work` on the loop's thread and waits until it has returned.
  template <class Work>
  void call(Work&& work) {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_done = false;
    loop_->post([&] {
      work();
      const std::lock_guard lock(mutex);
      is_done = true;
      changed.notify_one();
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_done; });
  }

  void stop() {
    if (thread_.joinable()) {
      loop_->stop();
      thread_.join();
    }
  }

 private:
  std::unique_ptr<Loop> loop_;
  std::thread thread_;
};

/// Checks `holds` on the loop's thread repeatedly, for at most a minute.
template <class Condition>
bool becomes_true(LoopThread& thread, Condition holds) {
  for (int tries = 0; tries < 60000; ++tries) {
    bool is_true = false;
    thread.call([&] { is_true = holds(); });
    if (is_true) {
      return true;
    }
    ::poll(nullptr, 0, 1);
  }
  return false;
}

inline SocketAddress local(std::uint16_t port = 0) {
  return SocketAddress::parse("127.0.0.1", port).value();
}

}  // namespace eider::testing
