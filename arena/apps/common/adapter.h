// What the adapters of C++ peers share: their arguments, their answers and their clean end.
// Must not hold anything of a peer's, nor anything that a request's time is spent in.
#pragma once

#include <pthread.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "command_line.h"

namespace arena {

struct Options {
  int port = 0;
  int threads = 1;
  std::chrono::milliseconds delay{0};
  int routes = 0;
  int middlewares = 0;
  int connections = 0;   // for peers that give each connection a thread of their pool
  std::string database;  // where PostgreSQL is, as libpq's keywords; empty: nowhere
  int database_connections = 4;

  int pool_threads() const { return connections > threads ? connections : threads; }
};

inline constexpr const char* kHello = "Hello, World!";
inline constexpr const char* kHtml = "<p>Hello, world!</p>";
inline constexpr const char* kOctets = "application/octet-stream";

/// The sizes of the bodies at /bytes/<size>.
inline constexpr int kSizes[] = {1024, 65536, 1048576};

inline std::string filled(int bytes) {
  return std::string(static_cast<std::size_t>(bytes), 'x');
}

/// What GET /users/{id}/posts/{pid} answers.
inline std::string post_text(int id, int post) {
  return std::to_string(id) + " " + std::to_string(post);
}

/// A decimal number from 0 to `max`; nothing else.
inline std::optional<int> number(std::string_view text, int max) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const bool fits = parsed.ec == std::errc() && parsed.ptr == end && value >= 0 && value <= max;
  return fits ? std::optional<int>(value) : std::nullopt;
}

namespace detail {

inline sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace detail

/// The arguments of an adapter; ends the program with what is wrong when they are not understood.
inline Options read_options(int argc, char** argv) {
  Options options;
  int delay_ms = 0;
  CommandLine line;
  line.add("PORT", options.port, 0, CommandLine::kPortMax)
      .add("THREADS", options.threads, 0, CommandLine::kThreadsMax)
      .add("DELAY_MS", delay_ms, 0, CommandLine::kMost)
      .add("--routes", options.routes, 0, CommandLine::kMost)
      .add("--middlewares", options.middlewares, 0, CommandLine::kMost)
      .add("--connections", options.connections, 0, CommandLine::kMost)
      .add("--database", options.database)
      .add("--database-connections", options.database_connections, 1, CommandLine::kMost);
  line.read(argc, argv);
  options.delay = std::chrono::milliseconds(delay_ms);
  return options;
}

/// To be called before any thread starts, so that all of them leave SIGTERM to wait_for_stop().
inline void block_stop_signals() {
  const sigset_t set = detail::stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

/// Returns when SIGTERM or SIGINT came.
inline void wait_for_stop() {
  const sigset_t set = detail::stop_signals();
  int signal = 0;
  sigwait(&set, &signal);
}

}  // namespace arena
