#include "eider/io/net/dns.h"

#include <ares.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace eider::net {

namespace {

constexpr int kTriesMax = 2;

void start_library() {
  static std::once_flag once;
  std::call_once(once, [] { ares_library_init(ARES_LIB_INIT_ALL); });
}

[[noreturn]] void throw_unavailable(int status) {
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                          ares_strerror(status));
}

/// Returns "127.0.0.1"; empty for another family.
std::string address_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> digits{};
  const void* bytes = nullptr;
  if (address.sa_family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  } else if (address.sa_family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  }
  const char* text = bytes == nullptr
                         ? nullptr
                         : ::inet_ntop(address.sa_family, bytes, digits.data(), digits.size());
  return text == nullptr ? std::string() : text;
}

DnsFault fault_of(int status) noexcept {
  const bool is_absent =
      status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_EBADNAME;
  return is_absent ? DnsFault::no_such_name : DnsFault::no_answer;
}

Readiness readiness(int readable, int writable) noexcept {
  if (readable != 0) {
    return writable != 0 ? Readiness::both : Readiness::readable;
  }
  return writable != 0 ? Readiness::writable : Readiness::none;
}

}  // namespace

/// A cached result, or the wait for it.
struct Dns::Entry {
  AsyncEvent done;
  DnsAnswer answer = fail(DnsFault::no_answer);
  Instant until;
};

/// The data that c-ares passes from a query to its callback.
struct Dns::Question {
  Dns* dns;
  std::shared_ptr<Entry> entry;
};

/// The watch of a socket of c-ares.
class Dns::Watch final : public FdWatch {
 public:
  explicit Watch(Dns& of) noexcept : FdWatch(of.loop_), of_(of) {}
  /// c-ares may close the socket meanwhile, which destroys this watch.
  void on_ready(Readiness what) override {
    Dns& of = of_;
    const int socket = fd();
    of.process(is_readable(what) ? socket : ARES_SOCKET_BAD,
               is_writable(what) ? socket : ARES_SOCKET_BAD);
  }

 private:
  Dns& of_;
};

/// The callbacks for c-ares.
struct DnsCalls {
  static void socket_changed(void* dns, ares_socket_t fd, int readable, int writable) {
    static_cast<Dns*>(dns)->watch(fd, readiness(readable, writable));
  }

  static void answered(void* raw, int status, int, ares_addrinfo* found) {
    // Takes back the ownership of the question: c-ares calls this exactly once.
    const std::unique_ptr<Dns::Question> question(static_cast<Dns::Question*>(raw));
    Dns::Entry& entry = *question->entry;
    if (status != ARES_SUCCESS || found == nullptr) {
      entry.answer = fail(fault_of(status));
    } else {
      take(*question, *found);
    }
    // The addresses have been copied.
    ares_freeaddrinfo(found);
    entry.done.set();
  }

  static void take(Dns::Question& question, const ares_addrinfo& found) {
    std::vector<std::string> texts;
    Duration ttl = question.dns->options_.ttl_max;
    for (const ares_addrinfo_node* node = found.nodes; node != nullptr; node = node->ai_next) {
      texts.push_back(address_text(*node->ai_addr));
      ttl = std::min<Duration>(ttl, std::chrono::seconds(std::max(node->ai_ttl, 1)));
    }
    std::erase(texts, std::string());
    question.entry->until = question.dns->loop_.now() + ttl;
    if (texts.empty()) {
      question.entry->answer = fail(DnsFault::no_such_name);
    } else {
      question.entry->answer = std::move(texts);
    }
  }
};

Dns::Dns(Loop& loop, DnsOptions options) : loop_(loop), options_(std::move(options)) {
  start_library();
  ares_options raw{};
  raw.timeout = static_cast<int>(
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.question).count());
  raw.tries = kTriesMax;
  raw.sock_state_cb = &DnsCalls::socket_changed;
  raw.sock_state_cb_data = this;
  const int status = ares_init_options(
      &channel_, &raw, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
  if (status != ARES_SUCCESS) {
    throw_unavailable(status);
  }
  if (!options_.servers.empty()) {
    const int set = ares_set_servers_ports_csv(channel_, options_.servers.c_str());
    if (set != ARES_SUCCESS) {
      ares_destroy(channel_);
      throw_unavailable(set);
    }
  }
}

Dns::~Dns() {
  // ares_destroy completes open queries with an error, while their entries still exist.
  ares_destroy(channel_);
}

Task<DnsAnswer> Dns::find(std::string name, DnsFamily family) {
  const std::string key = (family == DnsFamily::v4 ? "4" : "6") + name;
  // The entry is shared, so that the query continues if this task is destroyed.
  const std::shared_ptr<Entry> entry = entry_of(key, name, family);
  co_await entry->done.wait();
  if (!entry->answer) {  // errors are not cached
    const auto found = entries_.find(key);
    // Another query of that name may have replaced it meanwhile.
    if (found != entries_.end() && found->second == entry) {
      entries_.erase(found);
    }
  }
  co_return entry->answer;
}

std::shared_ptr<Dns::Entry> Dns::entry_of(const std::string& key, const std::string& name,
                                          DnsFamily family) {
  const auto found = entries_.find(key);
  const bool is_good = found != entries_.end() &&
                       (!found->second->done.is_set() || found->second->until > loop_.now());
  if (is_good) {
    return found->second;
  }
  // Make room before the insertion, so that the new entry is not the one to be removed.
  make_room();
  auto entry = std::make_shared<Entry>();
  entries_.insert_or_assign(key, entry);
  ask(entry, name, family);
  return entry;
}

void Dns::ask(std::shared_ptr<Entry> entry, const std::string& name, DnsFamily family) {
  ares_addrinfo_hints hints{};
  hints.ai_family = family == DnsFamily::v4 ? AF_INET : AF_INET6;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NOSORT;
  // c-ares owns the question until it calls back, possibly within this call.
  auto question = std::make_unique<Question>(this, std::move(entry));
  ares_getaddrinfo(channel_, name.c_str(), nullptr, &hints, &DnsCalls::answered,
                   question.release());
  // The query has changed c-ares's next deadline.
  arm_timer();
}

/// Removes the entry that expires first, so that the cache stays bounded. A running query is
/// removed last, because it would be sent twice and its result lost.
void Dns::make_room() {
  std::erase_if(entries_, [this](const auto& one) {
    return one.second->done.is_set() && one.second->until <= loop_.now();
  });
  if (entries_.size() < options_.cached_max) {
    return;
  }
  const auto first = std::ranges::min_element(entries_, {}, [](const auto& one) {
    return std::pair(!one.second->done.is_set(), one.second->until);
  });
  if (first != entries_.end()) {
    entries_.erase(first);
  }
}

void Dns::watch(int fd, Readiness what) {
  if (what == Readiness::none) {
    // c-ares is about to close the socket, so the watch must end now.
    watches_.erase(fd);
    return;
  }
  auto& watch = watches_[fd];
  if (watch == nullptr) {
    watch = std::make_unique<Watch>(*this);
  }
  watch->watch(fd, what);
}

void Dns::process(int readable, int writable) {
  ares_process_fd(channel_, readable, writable);
  arm_timer();
}

void Dns::arm_timer() {
  timeval raw{};
  const timeval* due = ares_timeout(channel_, nullptr, &raw);
  if (due == nullptr) {
    disarm();
    return;
  }
  const auto left = std::chrono::seconds(due->tv_sec) + std::chrono::microseconds(due->tv_usec);
  loop_.arm(*this, loop_.now() + left);
}

void Dns::expire() {
  process(ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

}  // namespace eider::net
