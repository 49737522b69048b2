#include "eider/app/options.h"

#include <getopt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace eider {

namespace {

constexpr std::string_view kHelp =
    "  --host ADDRESS          where to listen: 127.0.0.1 (default), 0.0.0.0, ::1, …\n"
    "  --port PORT             0 to 65535 (default 8080; 0 takes any that is free)\n"
    "  --listen ADDRESS        in place of --host and --port, and as often as wanted: 0.0.0.0:80,\n"
    "                          [::1]:8080, unix:/run/app.sock, systemd (the sockets it passes on)\n"
    "  --tls-port PORT         a further port of --host, where TLS is spoken\n"
    "  --listen-tls ADDRESS    as --listen, with TLS\n"
    "  --cert FILE --key FILE  the certificate with its chain and its private key, both PEM\n"
    "                          (default: one for this machine alone, made at the start)\n"
    "  --proxy-protocol        every connection begins with it: only behind a balancer\n"
    "  --share-port            let other processes listen on the port too (SO_REUSEPORT)\n"
    "  --threads N             event loops, 1 to 1024 (default: one per core)\n"
    "  --backend NAME          auto (default), epoll or io_uring\n"
    "  --drain-seconds N       how long requests in flight may take after SIGTERM (default 10)\n"
    "  --help                  this text\n"
    "\n"
    "SIGINT or SIGTERM finishes what is in flight and exits with 0; a second one leaves at once.\n";

constexpr std::array<option, 14> kOptions = {{{"host", required_argument, nullptr, 'h'},
                                              {"port", required_argument, nullptr, 'p'},
                                              {"listen", required_argument, nullptr, 'l'},
                                              {"tls-port", required_argument, nullptr, 'T'},
                                              {"listen-tls", required_argument, nullptr, 'L'},
                                              {"cert", required_argument, nullptr, 'c'},
                                              {"key", required_argument, nullptr, 'k'},
                                              {"proxy-protocol", no_argument, nullptr, 'x'},
                                              {"share-port", no_argument, nullptr, 's'},
                                              {"threads", required_argument, nullptr, 't'},
                                              {"backend", required_argument, nullptr, 'b'},
                                              {"drain-seconds", required_argument, nullptr, 'd'},
                                              {"help", no_argument, nullptr, '?' + 256},
                                              {nullptr, 0, nullptr, 0}}};

constexpr std::string_view kListenTls = "listen-tls";
/// For now, of a place that takes the other's host, which may still come.
constexpr std::string_view kHostToo = "";

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

/// "0.0.0.0:80", "[::1]:8080", or what has no port: "unix:/path", "systemd".
Result<ListenAt> read_place(std::string_view option, std::string_view text) {
  ListenAt place;
  const std::size_t colon = text.rfind(':');
  if (text == "systemd" || text.starts_with("unix:")) {
    place.host = text;
    return place;
  }
  const bool is_bare_ipv6 = text.find(':') != colon && !text.starts_with('[');
  if (colon == std::string_view::npos || colon == 0 || is_bare_ipv6) {
    return fail(wrong(option, text, "HOST:PORT, [IPV6]:PORT, unix:/path or systemd"));
  }
  place.host = text.substr(0, colon);
  constexpr std::uint16_t kPortMax = 65535;
  auto port = assign_number(place.port, option, text.substr(colon + 1), std::uint16_t{0}, kPortMax);
  if (!port) {
    return fail(std::move(port.error()));
  }
  return place;
}

Result<void> add_place(ServerOptions& options, std::string_view option, std::string_view text) {
  auto place = read_place(option, text);
  if (!place) {
    return fail(std::move(place.error()));
  }
  place->is_secure = option == kListenTls;
  options.also.push_back(std::move(*place));
  return {};
}

/// With the first of those given by --listen in place of host and port.
///
/// before  how many further places there were without them
ServerOptions with_places_in_order(ServerOptions options, std::size_t before) {
  const auto first =
      std::find_if(options.also.begin() + static_cast<std::ptrdiff_t>(before), options.also.end(),
                   [](const ListenAt& place) { return place.host != kHostToo; });
  if (first != options.also.end()) {
    options.host = std::move(first->host);
    options.port = first->port;
    options.is_secure = first->is_secure;
    options.also.erase(first);
  }
  for (ListenAt& place : options.also) {
    place.host = place.host == kHostToo ? options.host : place.host;
    place.expects_proxy_protocol |= options.expects_proxy_protocol;
  }
  return options;
}

Result<void> assign(ServerOptions& options, int found, std::string_view value) {
  constexpr std::uint16_t kPortMax = 65535;
  switch (found) {
    case 'h':
      options.host = value;
      return {};
    case 'p':
      return assign_number(options.port, "port", value, std::uint16_t{0}, kPortMax);
    case 'l':
      return add_place(options, "listen", value);
    case 'L':
      return add_place(options, kListenTls, value);
    case 'T':
      options.also.push_back({.host = std::string(kHostToo), .is_secure = true});
      return assign_number(options.also.back().port, "tls-port", value, std::uint16_t{0}, kPortMax);
    case 'c':
      options.certificate = value;
      return {};
    case 'k':
      options.key = value;
      return {};
    case 'x':
      options.expects_proxy_protocol = true;
      return {};
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
  const std::size_t places_before = given.also.size();
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
  return Parsed(with_places_in_order(std::move(given), places_before));
}

}  // namespace eider
