#include "tunnel.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace network {

namespace {

constexpr const char* kNamespaces = "/run/netns/";
constexpr const char* kTunDevice = "/dev/net/tun";

[[noreturn]] void fail(const std::string& what, const std::string& mend) {
  throw std::runtime_error(what + ": " + std::strerror(errno) + " (" + mend + ")");
}

/// A descriptor that is closed with it.
class Opened {
 public:
  Opened(const std::string& path, const std::string& mend)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) {
      fail(path, mend);
    }
  }
  ~Opened() { ::close(fd_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

/// This thread is in another network namespace for as long as this lives.
class Inside {
 public:
  explicit Inside(const std::string& name)
      : home_("/proc/self/ns/net", "is /proc mounted?"),
        there_(kNamespaces + name, "make it with: ip netns add " + name) {
    if (::setns(there_.fd(), CLONE_NEWNET) != 0) {
      fail("entering namespace " + name, "run as root");
    }
  }
  ~Inside() {
    if (::setns(home_.fd(), CLONE_NEWNET) != 0) {
      ::_exit(1);  // to go on in a foreign namespace would be worse
    }
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Opened home_;
  Opened there_;
};

int open_device(const std::string& device) {
  const int fd = ::open(kTunDevice, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    fail(kTunDevice, "load it with: modprobe tun; a container needs --device /dev/net/tun");
  }
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  device.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(fd, TUNSETIFF, &request) != 0) {
    const int error = errno;
    ::close(fd);
    errno = error;
    fail("making device " + device, "run as root, with CAP_NET_ADMIN");
  }
  return fd;
}

}  // namespace

Tunnel::Tunnel(const std::string& name_of_namespace, const std::string& device) {
  const Inside inside(name_of_namespace);
  fd_ = open_device(device);
}

Tunnel::~Tunnel() {
  ::close(fd_);
}

std::string_view Tunnel::receive() {
  const ssize_t got = ::read(fd_, buffer_.data(), buffer_.size());
  return {buffer_.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

Tunnel::Sent Tunnel::send(std::string_view packet) {
  return ::write(fd_, packet.data(), packet.size()) < 0 ? Sent::lost : Sent::yes;
}

}  // namespace network
