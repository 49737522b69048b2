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
    "  --threads N             event loops, 1 to 1024 (default: one per core)\n"
    "  --backend NAME          auto (default), epoll or io_uring\n"
    "  --drain-seconds N       how long requests in flight may take after SIGTERM (default 10)\n"
    "  --help                  this text\n"
    "\n"
    "SIGINT or SIGTERM finishes what is in flight and exits with 0; a second one leaves at once.\n";

constexpr std::array<option, 7> kOptions = {{{"host", required_argument, nullptr, 'h'},
                                             {"port", required_argument, nullptr, 'p'},
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

Result<unsigned> number(std::string_view name, std::string_view text, unsigned low, unsigned high) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return fail(
        wrong(name, text, "a number from " + std::to_string(low) + " to " + std::to_string(high)));
  }
  return value;
}

Result<void> assign(ServerOptions& options, int found, std::string_view value) {
  switch (found) {
    case 'h':
      options.host = value;
      return {};
    case 'p':
      return number("port", value, 0, 65535).transform([&](unsigned port) {
        options.port = static_cast<std::uint16_t>(port);
      });
    case 't':
      return number("threads", value, 1, 1024).transform([&](unsigned threads) {
        options.threads = threads;
      });
    case 'd':
      return number("drain-seconds", value, 0, 86400).transform([&](unsigned seconds) {
        options.drain = std::chrono::seconds(seconds);
      });
    default:
      break;
  }
  const auto backend = parse_backend(value);
  if (!backend) {
    return fail(wrong("backend", value, "auto, epoll or io_uring"));
  }
  options.backend = *backend;
  return {};
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
    if (auto assigned = assign(given, found, optarg); !assigned) {
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
