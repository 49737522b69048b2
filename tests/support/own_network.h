// A network that the calling thread has to itself, and what it starts: 127.0.0.1 and nothing else,
// which can be cut without a word. Must not be linked into an application.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "eider/io/runtime/descriptor.h"

namespace eider {

/// Sockets stay in the network that they were made in; those of the file system are in none.
class OwnNetwork {
 public:
  OwnNetwork() : before_(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
    if (::unshare(CLONE_NEWNET) != 0) {
      why_not_ =
          "no network namespace can be made here: " + std::generic_category().message(errno) +
          " (run as root)";
    } else {
      is_entered_ = true;
      run("ip link set lo up");
    }
  }
  ~OwnNetwork() {
    if (is_entered_) {
      EXPECT_EQ(::setns(before_.get(), CLONE_NEWNET), 0) << errno;
    }
  }
  OwnNetwork(const OwnNetwork&) = delete;
  OwnNetwork& operator=(const OwnNetwork&) = delete;

  /// Empty when it is there: else a reason to skip.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }

  /// From here on no packet comes, and nobody is told: no RST, no ICMP. By a thread that was begun
  /// here.
  void cut() { run("tc qdisc replace dev lo root blackhole"); }
  void mend() { run("tc qdisc del dev lo root"); }

 private:
  static void run(const std::string& command) {
    EXPECT_EQ(std::system(("PATH=$PATH:/usr/sbin:/sbin; " + command).c_str()), 0)
        << command << ": is iproute2 installed?";
  }

  Descriptor before_;
  bool is_entered_ = false;
  std::string why_not_;
};

}  // namespace eider
