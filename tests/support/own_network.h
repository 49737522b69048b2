// A network for the calling thread and its children only: 127.0.0.1 and nothing else. It can drop
// all packets silently.
// Layering: must not be linked into an application.
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

/// Sockets stay in the network in which they were created; Unix sockets with a path do not belong
/// to one.
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

  /// Returns an empty text if the network exists; otherwise the reason to skip the test.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }

  /// Drops all packets from now on, without RST or ICMP. Call it from a thread of this network.
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
