#include "eider/client/detail/tcp_dialler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eider/client/detail/race.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/sync.h"

namespace eider::detail {

namespace {

/// "Resolution Delay … recommended to be 50 milliseconds" (RFC 8305, section 3).
constexpr Duration kResolutionDelay = std::chrono::milliseconds(50);

/// Both families' answers, and the wait for them.
struct Answers {
  Event one;
  Event both;
  std::optional<DnsAnswer> v4;
  std::optional<DnsAnswer> v6;

  void note() noexcept {
    one.set();
    if (v4 && v6) {
      both.set();
    }
  }
  /// Something to connect to has been found.
  [[nodiscard]] bool has_address() const noexcept {
    return (v4 && v4->has_value()) || (v6 && v6->has_value());
  }
};

Task<> ask(Dns& dns, std::string name, DnsFamily family, Answers& answers) {
  auto finding = dns.find(std::move(name), family);
  auto answer = co_await std::move(finding);
  (family == DnsFamily::v4 ? answers.v4 : answers.v6) = std::move(answer);
  answers.note();
}

Task<> wait(Event& event) {
  co_await event.wait();
}

std::vector<std::string> texts_of(const std::optional<DnsAnswer>& answer) {
  return answer && *answer ? **answer : std::vector<std::string>();
}

DnsFault fault_of(const Answers& answers) noexcept {
  const auto is_absent = [](const std::optional<DnsAnswer>& answer) {
    return answer && !*answer && answer->error() == DnsFault::no_such_name;
  };
  const bool are_absent = is_absent(answers.v4) && is_absent(answers.v6);
  return are_absent ? DnsFault::no_such_name : DnsFault::no_answer;
}

std::vector<Address> to_addresses(const std::vector<std::string>& texts, std::uint16_t port) {
  std::vector<Address> addresses;
  for (const std::string& text : texts) {
    if (const auto address = Address::parse(text, port)) {
      addresses.push_back(*address);
    }
  }
  return addresses;
}

ClientError lookup_error(const std::string& host, DnsFault fault) {
  if (fault == DnsFault::no_such_name) {
    return {ClientFault::name_not_found, "There is no address for the name " + host + "."};
  }
  return {ClientFault::lookup_failed, "The name servers do not say where " + host + " is."};
}

ClientError connect_error(const Route& route, NetError error) {
  const bool is_late = error == NetError::timed_out;
  return {is_late ? ClientFault::timed_out : ClientFault::not_connected,
          "Not connected to " + route.host + ", port " + std::to_string(route.port) + ": " +
              std::string(text(error)) + "."};
}

}  // namespace

Task<Result<Descriptor, ClientError>> TcpDialler::dial(const Route& route, Instant due) {
  auto finding = addresses_of(route, due, Patience::brief);
  auto addresses = co_await std::move(finding);
  if (!addresses) {
    co_return fail(std::move(addresses.error()));
  }
  auto racing = race(*addresses, due);
  auto fd = co_await std::move(racing);
  if (!fd) {
    auto trying = race_late_ones(route, due, std::move(*addresses), fd.error());
    fd = co_await std::move(trying);
  }
  if (!fd) {
    co_return fail(connect_error(route, fd.error()));
  }
  co_return std::move(*fd);
}

/// The family that was slow to be found is the last hope.
Task<Result<Descriptor, NetError>> TcpDialler::race_late_ones(const Route& route, Instant due,
                                                              std::vector<Address> tried,
                                                              NetError error) {
  auto finding = addresses_of(route, due, Patience::full);
  auto addresses = co_await std::move(finding);
  if (!addresses) {
    co_return fail(error);
  }
  std::erase_if(*addresses, [&](const Address& one) {
    return std::ranges::any_of(tried,
                               [&](const Address& other) { return one.host() == other.host(); });
  });
  if (addresses->empty()) {
    co_return fail(error);
  }
  auto racing = race(std::move(*addresses), due);
  co_return co_await std::move(racing);
}

Task<Result<std::vector<Address>, ClientError>> TcpDialler::addresses_of(const Route& route,
                                                                         Instant due,
                                                                         Patience patience) {
  // RFC 6761, section 6.3: localhost is this machine, whatever a name server says.
  if (route.host == "localhost" || route.host.ends_with(".localhost")) {
    co_return to_addresses({"127.0.0.1", "::1"}, route.port);
  }
  if (const auto literal = Address::parse(route.host, route.port)) {
    co_return std::vector<Address>{*literal};
  }
  auto asking = with_deadline(look_up(route.host, patience), due - Loop::current().now());
  auto found = co_await std::move(asking);
  if (!found || !*found) {
    co_return fail(lookup_error(route.host, found ? found->error() : DnsFault::no_answer));
  }
  co_return to_addresses(**found, route.port);
}

Task<TcpDialler::Found> TcpDialler::look_up(std::string name, Patience patience) {
  Answers answers;
  Scope scope;  // destroyed first
  scope.start(ask(dns(), name, DnsFamily::v6, answers));
  scope.start(ask(dns(), name, DnsFamily::v4, answers));
  co_await answers.one.wait();
  if (answers.has_address() && patience == Patience::brief) {
    auto waiting = with_deadline(wait(answers.both), kResolutionDelay);
    co_await std::move(waiting);
  } else {
    co_await answers.both.wait();
  }
  if (!answers.has_address()) {
    co_return fail(fault_of(answers));
  }
  co_return interleaved(texts_of(answers.v6), texts_of(answers.v4));
}

Dns& TcpDialler::dns() {
  if (dns_ == nullptr) {
    dns_ = std::make_unique<Dns>(Loop::current(), options_);
  }
  return *dns_;
}

}  // namespace eider::detail
