// The bare epoll server: one receive and one send per readiness, nothing else.
// Must not do anything that an HTTP server does: it is the floor under every ratio of the arena.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "answer.h"

namespace {

using floors::Answers;
using floors::Carry;
using floors::Settings;

constexpr int kEventsMax = 1024;
constexpr std::size_t kReadBytes = 64 * 1024;

struct Connection {
  Carry carry;
  std::uint32_t watched = 0;  // the events that epoll is asked for, 0 before the first time
  std::size_t unsent_bytes = 0;
};

class Server {
 public:
  Server(const Settings& settings, int stop_fd)
      : closes_(settings.closes),
        stop_fd_(stop_fd),
        listen_fd_(floors::listen_on(settings)),
        epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
        answers_(settings),
        input_(floors::kHeadroomBytes + kReadBytes) {
    add(stop_fd_);
    add(listen_fd_);
  }

  void run() {
    while (!is_stopping_) {
      const int count = epoll_wait(epoll_fd_, events_, kEventsMax, -1);
      for (int i = 0; i < count; ++i) {
        on_event(events_[i].data.fd);
      }
    }
  }

 private:
  void watch(int operation, int fd, std::uint32_t what) {
    epoll_event event{};
    event.events = what;
    event.data.fd = fd;
    if (epoll_ctl(epoll_fd_, operation, fd, &event) != 0) {
      floors::fail("epoll_ctl");
    }
  }
  void add(int fd) { watch(EPOLL_CTL_ADD, fd, EPOLLIN); }

  void on_event(int fd) {
    if (fd == listen_fd_) {
      accept_all();
    } else if (fd == stop_fd_) {
      is_stopping_ = true;
    } else {
      on_ready(fd);
    }
  }

  void accept_all() {
    while (true) {
      const int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) {
        return;
      }
      if (connections_.size() <= static_cast<std::size_t>(fd)) {
        connections_.resize(static_cast<std::size_t>(fd) * 2);
      }
      at(fd) = {};
      if (closes_) {
        on_ready(fd);  // its request is there (TCP_DEFER_ACCEPT): epoll need never know of it
      } else {
        expect(fd, EPOLLIN);
      }
    }
  }

  void on_ready(int fd) {
    Connection& connection = at(fd);
    if (connection.unsent_bytes == 0 && !receive(fd)) {
      close(fd);
      return;
    }
    const bool is_answering = connection.unsent_bytes != 0;
    send_unsent(fd);
    if (closes_ && is_answering && connection.unsent_bytes == 0) {
      close(fd);
      return;
    }
    expect(fd, connection.unsent_bytes == 0 ? EPOLLIN : EPOLLOUT);
  }

  void expect(int fd, std::uint32_t what) {
    std::uint32_t& watched = at(fd).watched;
    if (watched != what) {
      watch(watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, what);
      watched = what;
    }
  }

  /// False when the client has left.
  bool receive(int fd) {
    char* data = input_.data() + floors::kHeadroomBytes;
    const ssize_t got = recv(fd, data, kReadBytes, 0);
    if (got <= 0) {
      return got < 0 && errno == EAGAIN;
    }
    const std::size_t requests =
        floors::count_requests(at(fd).carry, data, static_cast<std::size_t>(got));
    at(fd).unsent_bytes = requests * answers_.answer_bytes();
    return true;
  }

  void send_unsent(int fd) {
    std::size_t& unsent = at(fd).unsent_bytes;
    while (unsent != 0) {
      const std::string_view next = answers_.tail(unsent);
      const ssize_t sent = send(fd, next.data(), next.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN) {
        return;
      }
      // After a reset nothing is owed any more; the next receive reports it.
      unsent -= sent < 0 ? unsent : static_cast<std::size_t>(sent);
    }
  }

  Connection& at(int fd) { return connections_[static_cast<std::size_t>(fd)]; }

  const bool closes_;
  const int stop_fd_;
  const int listen_fd_;
  const int epoll_fd_;
  const Answers answers_;
  bool is_stopping_ = false;
  std::vector<char> input_;
  std::vector<Connection> connections_ = std::vector<Connection>(1024);
  epoll_event events_[kEventsMax];
};

void serve(const Settings& settings, int stop_fd) {
  Server(settings, stop_fd).run();
}

}  // namespace

int main(int argc, char** argv) {
  floors::run_threads(floors::read_settings(argc, argv), serve);
}
