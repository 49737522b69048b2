#include "answer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "../apps/common/command_line.h"

namespace floors {
namespace {

constexpr int kBacklog = 4096;
constexpr int kFirstBytesSeconds = 5;
constexpr int kBodyBytesMax = 64 << 20;

std::string make_body(const Settings& settings) {
  if (settings.body_bytes != 0) {
    return std::string(static_cast<std::size_t>(settings.body_bytes), 'x');
  }
  return settings.json ? R"({"message":"Hello, World!"})" : "Hello, World!";
}

std::string_view content_type(const Settings& settings) {
  if (settings.body_bytes != 0) {
    return "application/octet-stream";
  }
  return settings.json ? "application/json" : "text/plain; charset=utf-8";
}

std::string make_answer(const Settings& settings) {
  const std::string body = make_body(settings);
  std::string answer =
      "HTTP/1.1 200 OK\r\nServer: floor\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n";
  answer.append("Content-Type: ").append(content_type(settings)).append("\r\n");
  answer += settings.closes ? "Connection: close\r\n" : "";
  answer += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return answer.append(body);
}

void set(int fd, int level, int option, int value = 1) {
  if (setsockopt(fd, level, option, &value, sizeof value) != 0) {
    fail("setsockopt");
  }
}

}  // namespace

void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

Settings read_settings(int argc, char** argv) {
  using Line = arena::CommandLine;
  Settings settings;
  Line line;
  line.add("PORT", settings.port, 1, Line::kPortMax)
      .add("THREADS", settings.threads, 1, Line::kThreadsMax)
      .add_flag("--close", settings.closes)
      .add_flag("--json", settings.json)
      .add("--bytes", settings.body_bytes, 1, kBodyBytesMax);
  line.read(argc, argv);
  return settings;
}

Answers::Answers(const Settings& settings) {
  const std::string answer = make_answer(settings);
  answer_bytes_ = answer.size();
  const std::size_t fitting = std::max<std::size_t>(kCopiesBytesMax / answer_bytes_, 1);
  for (std::size_t i = 0; i < std::min(kCopies, fitting); ++i) {
    copies_ += answer;
  }
}

// Blocks of fixed size, so that the compiler turns the comparison into vector instructions.
std::size_t count_requests(Carry& carry, char* data, std::size_t size) noexcept {
  constexpr std::size_t kBlock = 16;
  std::memcpy(data - sizeof carry.bytes, carry.bytes, sizeof carry.bytes);
  const auto ends_here = [](const char* at) {
    return static_cast<unsigned char>((at[-3] == '\r') & (at[-2] == '\n') & (at[-1] == '\r') &
                                      (at[0] == '\n'));
  };
  std::size_t count = 0;
  const char* at = data;
  for (const char* end = data + size; at != end;) {
    if (end - at < static_cast<std::ptrdiff_t>(kBlock)) {
      count += ends_here(at++);
      continue;
    }
    unsigned char found = 0;
    for (std::size_t i = 0; i < kBlock; ++i) {
      found = static_cast<unsigned char>(found + ends_here(at + i));
    }
    count += found;
    at += kBlock;
  }
  std::memcpy(carry.bytes, data + size - sizeof carry.bytes, sizeof carry.bytes);
  return count;
}

int listen_on(const Settings& settings) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    fail("socket");
  }
  set(fd, SOL_SOCKET, SO_REUSEADDR);
  set(fd, SOL_SOCKET, SO_REUSEPORT);
  set(fd, IPPROTO_TCP, TCP_NODELAY);  // inherited by every accepted connection
  if (settings.closes) {
    set(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, kFirstBytesSeconds);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(settings.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("bind");
  }
  if (listen(fd, kBacklog) != 0) {
    fail("listen");
  }
  return fd;
}

void run_threads(const Settings& settings, void (*serve)(const Settings&, int stop_fd)) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const int stop_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  std::vector<std::thread> threads;
  for (int i = 0; i < settings.threads; ++i) {
    threads.emplace_back(serve, settings, stop_fd);
  }
  int signal = 0;
  sigwait(&signals, &signal);
  const std::uint64_t one = 1;
  if (write(stop_fd, &one, sizeof one) < 0) {
    fail("write");
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace floors
