#include "eider/app/options.h"

#include <getopt.h>

#include <array>
#include <charconv>
#include <string>

namespace eider {

namespace {

constexpr std::string_view kHelp =
    "  --host ADDRESS          where to listen: 127.0.0.1 (default), 0.0.0.0, ::1, …\n"
    "  --port PORT             0 to 65535 (default 8080; 0 takes any that is free)\n"
    "  --share-port            let other processes listen on the port too (SO_REUSEPORT)\n"
    "  --threads N             event loops, 1 to 1024 (default: one per core)\n"
    "  --backend NAME          auto (default), epoll or io_uring\n"
    "  --drain-seconds N       how long requests in flight may take after SIGTERM (default 10)\n"
    "  --help                  this text\n"
    "\n"
    "SIGINT or SIGTERM finishes what is in flight and exits with 0; a second one leaves at once.\n";

constexpr std::array<option, 8> kOptions = {{{"host", required_argument, nullptr, 'h'},
                                             {"port", required_argument, nullptr, 'p'},
                                             {"share-port", no_argument, nullptr, 's'},
                                             {"threads", required_argument, nullptr, 't'},
                                             {"backend", required_argument, nullptr, 'b'},
                                             {"drain-seconds", required_argument, nullptr, 'd'},
                                             {"help", no_argument, nullptr, '?' + 256},
                                             {nullptr, 0, nullptr, 0}}};

Error wrong(std::string_view name, std::string_view value, std::string_view takes) {
  std::string text("--");
  text.append(name).append(" takes ").append(takes).append(", not '").append(value).append("'");
  return Error::bad_request(std::move(text));
}

/// The number as a T, or an error that names the option.
template <class T>
Result<void> assign_number(T& out, std::string_view name, std::string_view text, T low, T high) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return fail(
        wrong(name, text, "a number from " + std::to_string(low) + " to " + std::to_string(high)));
  }
  out = value;
  return {};
}

Result<void> assign_backend(Backend& out, std::string_view text) {
  const auto backend = parse_backend(text);
  if (!backend) {
    return fail(wrong("backend", text, "auto, epoll or io_uring"));
  }
  out = *backend;
  return {};
}

Result<void> assign_drain(Duration& out, std::string_view text) {
  unsigned seconds = 0;
  auto assigned = assign_number(seconds, "drain-seconds", text, 0U, 86400U);
  if (assigned) {
    out = std::chrono::seconds(seconds);
  }
  return assigned;
}

Result<void> assign(ServerOptions& options, int found, std::string_view value) {
  constexpr std::uint16_t kPortMax = 65535;
  switch (found) {
    case 'h':
      options.host = value;
      return {};
    case 'p':
      return assign_number(options.port, "port", value, std::uint16_t{0}, kPortMax);
    case 's':
      options.shares_port = true;
      return {};
    case 't':
      return assign_number(options.threads, "threads", value, 1U, 1024U);
    case 'd':
      return assign_drain(options.drain, value);
    default:
      return assign_backend(options.backend, value);
  }
}

}  // namespace

std::optional<Backend> parse_backend(std::string_view text) noexcept {
  if (text == "auto") {
    return Backend::automatic;
  }
  if (text == "epoll") {
    return Backend::epoll;
  }
  if (text == "io_uring") {
    return Backend::io_uring;
  }
  return std::nullopt;
}

Result<std::variant<ServerOptions, HelpWanted>> parse_options(int argc, char** argv,
                                                              ServerOptions given) {
  using Parsed = std::variant<ServerOptions, HelpWanted>;
  const std::string name = argc > 0 ? argv[0] : "app";
  optind = 0;  // getopt keeps state between calls; 0 makes glibc begin anew
  opterr = 0;
  for (int found = 0; (found = getopt_long(argc, argv, "", kOptions.data(), nullptr)) != -1;) {
    if (found == '?' + 256) {
      return Parsed(HelpWanted{"usage: " + name + " [options]\n\n" + std::string(kHelp)});
    }
    if (found == '?') {
      return fail(Error::bad_request("unknown option or missing value: '" +
                                     std::string(argv[optind - 1]) + "'; see --help"));
    }
    if (auto assigned = assign(given, found, optarg == nullptr ? "" : optarg); !assigned) {
      return fail(std::move(assigned.error()));
    }
  }
  if (optind < argc) {
    return fail(
        Error::bad_request("unexpected argument '" + std::string(argv[optind]) + "'; see --help"));
  }
  return Parsed(std::move(given));
}

}  // namespace eider
