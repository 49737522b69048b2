// What both bare servers share: their command line, their one answer, and how requests are counted.
// Must not parse, route or look at a clock: it is the limit that the real server is held to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace floors {

/// The command line: PORT THREADS [--close] [--json] [--bytes N].
struct Settings {
  std::uint16_t port = 0;
  int threads = 1;
  bool closes = false;
  bool json = false;
  int body_bytes = 0;  // of x; 0: hello world
};

/// Reads the command line; ends the process with what is wrong and status 2 when something is.
[[nodiscard]] Settings read_settings(int argc, char** argv);

/// Copies of the constant answer in a row, so that a pipelined batch leaves in one send.
class Answers {
 public:
  static constexpr std::size_t kCopies = 256;
  static constexpr std::size_t kCopiesBytesMax = 1 << 18;  // and one copy at least

  explicit Answers(const Settings& settings);

  /// The unsent end of `requests` answers of which `unsent_bytes` are left, or as much of it as one
  /// send can carry.
  [[nodiscard]] std::string_view tail(std::size_t unsent_bytes) const noexcept {
    const std::size_t skip = (answer_bytes_ - unsent_bytes % answer_bytes_) % answer_bytes_;
    return std::string_view(copies_).substr(skip, unsent_bytes);
  }
  [[nodiscard]] std::size_t answer_bytes() const noexcept { return answer_bytes_; }

 private:
  std::size_t answer_bytes_ = 0;
  std::string copies_;
};

/// The last bytes of a connection's input: a blank line may be cut anywhere by a read.
struct Carry {
  char bytes[4] = {};
};

/// Bytes that must be writable in front of what is read, for the carry.
inline constexpr std::size_t kHeadroomBytes = sizeof(Carry::bytes);

/// Counts the blank lines ("\r\n\r\n") that end within [data, data + size) and moves the carry on.
/// Pre: the kHeadroomBytes in front of `data` are writable.
[[nodiscard]] std::size_t count_requests(Carry& carry, char* data, std::size_t size) noexcept;

/// A listening, non-blocking TCP socket on 127.0.0.1 with SO_REUSEPORT. A server that closes after
/// each answer gets its connections together with their first bytes (TCP_DEFER_ACCEPT), which
/// saves a third of the cost. Ends the process on failure.
[[nodiscard]] int listen_on(const Settings& settings);

/// Runs `serve(settings, stop fd)` on every thread until SIGINT or SIGTERM; then the stop fd
/// becomes readable and stays so.
void run_threads(const Settings& settings, void (*serve)(const Settings&, int stop_fd));

/// Ends the process with the text of errno.
[[noreturn]] void fail(const char* what);

}  // namespace floors
