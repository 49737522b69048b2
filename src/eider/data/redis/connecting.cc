#include "eider/data/redis/connecting.h"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/core/base/text.h"
#include "eider/data/redis/resp.h"
#include "eider/data/redis/resp_writer.h"
#include "eider/io/net/route.h"
#include "eider/io/runtime/address.h"
#include "eider/io/runtime/connect.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"

namespace eider::redis::detail {
namespace {

/// The response to HELLO lists the modules of the server.
constexpr RespLimits kGreetingLimits{.bytes_max = std::size_t{64} * 1024};

/// Writes "HELLO 3 AUTH user password SETNAME name", and SELECT.
///
/// returns  number of responses
std::size_t write_login(Buffer& out, const Settings& settings) {
  const Target& target = settings.target;
  std::vector<std::string> hello{"HELLO", "3"};
  if (!target.password.empty()) {
    hello.insert(hello.end(),
                 {"AUTH", target.user.empty() ? "default" : target.user, target.password});
  }
  if (!settings.options.client_name.empty()) {
    hello.insert(hello.end(), {"SETNAME", settings.options.client_name});
  }
  append_command(out, hello);
  if (target.database == 0) {
    return 1;
  }
  append_command(out, "SELECT", target.database);
  return 2;
}

/// Returns whether the error is temporary: the server accepts no more connections at the moment.
bool passes(std::string_view said) noexcept {
  return said.starts_with("ERR max number of clients") ||
         RedisFailure("HELLO", said).fault() == RedisFault::busy;
}

/// Returns only the first word of the error, because the others may contain the user name.
std::string refusal(std::string_view said) {
  std::string why = "Redis rejected the connection: ";
  why.append(said.substr(0, said.find(' ')));
  if (said.starts_with("ERR unknown command") || said.starts_with("NOPROTO")) {
    why.append(" (Redis 6 or later is required)");
  } else if (said.starts_with("ERR DB index")) {
    why.append(" (there is no database with this number)");
  }
  return why;
}

Task<Connected> dial(net::Net& net, const Settings& settings, Place place) {
  const Duration limit = settings.options.connect_time_max;
  const net::Route route{
      .key = {}, .host = place.host, .port = place.port, .is_secure = settings.target.is_secure};
  const Instant due = Loop::current().now() + limit;
  auto connected = co_await net.connect(route, {due, limit, due}, {});
  if (!connected) {
    co_return fail(ConnectFailure{RedisFault::expired, std::move(connected.error().text)});
  }
  co_return Opened{std::move(connected->stream), std::move(place.host)};
}

Task<Connected> dial_unix(const Settings& settings) {
  const std::string& path = settings.target.host;
  auto fd =
      co_await eider::connect(*SocketAddress::parse(path, 0), settings.options.connect_time_max);
  if (!fd) {
    co_return fail(ConnectFailure{RedisFault::expired, std::string(text(fd.error()))});
  }
  co_return Opened{std::make_unique<TcpStream>(std::move(*fd)), path};
}

/// Reads one response that is not an error; returns a failure if it is not as expected.
using Taking = std::function<std::optional<ConnectFailure>(RespCursor answer)>;

/// Sends `asked` and reads the responses. Bytes after them are unread.
Task<std::optional<ConnectFailure>> talk(TcpStream& stream, Buffer asked, std::size_t answers,
                                         Taking taking) {
  auto written = co_await stream.write(asked.view());
  RespReader reader(kGreetingLimits);
  Buffer come;
  while (written) {
    const auto bytes = reader.read(come.view());
    if (!bytes) {
      co_return ConnectFailure{RedisFault::login,
                               "the server is not Redis: " + std::string(text(bytes.error()))};
    }
    if (*bytes != 0) {
      const RespCursor answer(come.view());
      const RespItem item = answer.peek();
      if (item.kind == RespKind::error) {
        co_return ConnectFailure{passes(item.text) ? RedisFault::busy : RedisFault::login,
                                 refusal(item.text)};
      }
      if (item.kind != RespKind::push) {
        if (auto refused = taking(answer)) {
          co_return refused;
        }
        --answers;
      }
      come.consume(*bytes);
      if (answers == 0) {
        stream.unread(come.view());
        co_return std::nullopt;
      }
      continue;
    }
    const auto more = co_await stream.read();
    if (!more || more->empty()) {
      break;
    }
    come.append(*more);
  }
  co_return ConnectFailure{RedisFault::expired,
                           "the server closed the connection before its greeting"};
}

/// Returns the server's role from the response to HELLO: "master" or "replica".
std::string_view role_of(RespCursor hello) {
  const RespItem map = hello.next();
  for (std::int64_t left = map.is_aggregate() ? map.number : 0; left >= 2; left -= 2) {
    if (hello.next().text == "role") {
      return hello.peek().text;
    }
    hello.skip();
  }
  return {};
}

/// A sentinel may report a former master that has restarted as a replica.
std::optional<ConnectFailure> check_master(RespCursor hello) {
  if (role_of(hello) == "master") {
    return std::nullopt;
  }
  return ConnectFailure{RedisFault::expired, "the server that the sentinel named is not a primary"};
}

Task<Connected> log_in(Connected dialled, const Settings& settings) {
  if (!dialled) {
    co_return dialled;
  }
  Buffer login;
  const std::size_t answers = write_login(login, settings);
  bool is_checked = settings.target.kind != TargetKind::sentinel;
  auto refused =
      co_await talk(*dialled->stream, std::move(login), answers, [&is_checked](RespCursor answer) {
        return std::exchange(is_checked, true) ? std::nullopt : check_master(answer);
      });
  if (refused) {
    co_return fail(std::move(*refused));
  }
  co_return dialled;
}

/// Writes "SENTINEL GET-MASTER-ADDR-BY-NAME master" in RESP2, for old sentinels.
///
/// returns  number of responses
std::size_t write_question(Buffer& out, const Settings& settings) {
  const RedisOptions& options = settings.options;
  const bool has_login = !options.sentinel_password.empty();
  if (has_login && options.sentinel_user.empty()) {
    append_command(out, "AUTH", options.sentinel_password);
  } else if (has_login) {
    append_command(out, "AUTH", options.sentinel_user, options.sentinel_password);
  }
  append_command(out, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", settings.target.master);
  return has_login ? 2 : 1;
}

/// Reads "127.0.0.1" and "6379"; null if the sentinel does not know the master.
std::optional<ConnectFailure> read_place(RespCursor answer, Place& place) {
  const RespItem list = answer.next();
  if (list.kind == RespKind::simple) {  // response to AUTH
    return std::nullopt;
  }
  if (list.kind != RespKind::array || list.number != 2) {
    return ConnectFailure{RedisFault::expired,
                          "the sentinel does not know a primary with this name"};
  }
  place.host = answer.next().text;
  place.port = parse_integer<std::uint16_t>(answer.next().text).value_or(0);
  if (!is_host(place.host) || place.port == 0) {
    return ConnectFailure{RedisFault::expired, "the sentinel named a primary without an address"};
  }
  return std::nullopt;
}

Task<Connected> open_by_sentinel(net::Net& net, const Settings& settings, Place sentinel) {
  auto dialled = co_await dial(net, settings, std::move(sentinel));
  if (!dialled) {
    co_return dialled;
  }
  Place master;
  Buffer question;
  const std::size_t answers = write_question(question, settings);
  auto refused = co_await talk(*dialled->stream, std::move(question), answers,
                               [&master](RespCursor answer) { return read_place(answer, master); });
  if (refused) {
    co_return fail(std::move(*refused));
  }
  auto reached = co_await dial(net, settings, std::move(master));
  co_return co_await log_in(std::move(reached), settings);
}

Task<Connected> open_node(net::Net& net, const Settings& settings, Place place) {
  auto dialled = co_await dial(net, settings, std::move(place));
  co_return co_await log_in(std::move(dialled), settings);
}

Task<Connected> open_unix(const Settings& settings) {
  auto dialled = co_await dial_unix(settings);
  co_return co_await log_in(std::move(dialled), settings);
}

/// Tries the hosts in turn. Each has a share of the time, so that one that hangs leaves time for
/// the others.
Task<Connected> open_any(net::Net& net, const Settings& settings) {
  const auto& places = settings.target.others;
  const Duration share = settings.options.connect_time_max / static_cast<int>(places.size());
  std::optional<ConnectFailure> failed;
  for (const Place& place : places) {
    auto opening = settings.target.kind == TargetKind::sentinel
                       ? open_by_sentinel(net, settings, place)
                       : open_node(net, settings, place);
    auto opened = co_await with_deadline(std::move(opening), share);
    if (opened && *opened) {
      co_return std::move(*opened);
    }
    auto failure = opened
                       ? std::move(opened->error())
                       : ConnectFailure{RedisFault::expired, "the server did not respond in time"};
    failure.why = place.host + ":" + std::to_string(place.port) + ": " + failure.why;
    // Report a rejected login only if all hosts have rejected it: then waiting is useless.
    if (!failed || failed->fault == RedisFault::login || failure.fault != RedisFault::login) {
      failed = std::move(failure);
    }
  }
  co_return fail(std::move(*failed));
}

}  // namespace

Task<Connected> open_connection(net::Net& net, const Settings& settings) {
  const Target& target = settings.target;
  if (target.kind != TargetKind::server) {
    return open_any(net, settings);
  }
  if (!target.is_unix()) {
    return open_node(net, settings, {target.host, target.port});
  }
  return open_unix(settings);
}

}  // namespace eider::redis::detail
