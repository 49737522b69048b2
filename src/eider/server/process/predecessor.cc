#include "eider/server/process/predecessor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "eider/server/process/descriptor_store.h"

namespace eider::detail::server {

namespace {

constexpr Duration kSocketsComeWithin = std::chrono::seconds(5);
constexpr Duration kNextLook = std::chrono::milliseconds(50);

/// The variable may contain any number, so check that the descriptor is a socket of this type.
bool is_channel(int fd) noexcept {
  int type = 0;
  socklen_t length = sizeof(type);
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_SEQPACKET;
}

}  // namespace

Predecessor Predecessor::from_environment() {
  Predecessor made;
  if (made.find_channel()) {
    if (!made.receive_all()) {
      return {};
    }
  } else {
    for (StoredSocket& stored : take_stored()) {
      made.place(stored.place).sockets.push_back(std::move(stored.socket));
    }
  }
  for (const Place& place : made.places_) {
    made.names_.push_back(place.name);
  }
  return made;
}

bool Predecessor::find_channel() {
  const std::string name(kHandoverVariable);
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) {
    return false;
  }
  const std::string_view text(value);
  int fd = -1;
  std::from_chars(text.data(), text.data() + text.size(), fd);
  ::unsetenv(name.c_str());
  if (fd < 0 || !is_channel(fd) || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
    return false;
  }
  channel_ = HandoverChannel(Descriptor(fd));
  return true;
}

bool Predecessor::receive_all() {
  while (auto message = channel_.receive(kSocketsComeWithin)) {
    if (message->word == HandoverWord::all_sent) {
      return true;
    }
    if (message->word == HandoverWord::sockets) {
      std::ranges::move(message->sockets, std::back_inserter(place(message->text).sockets));
    }
  }
  return false;
}

Predecessor::Place& Predecessor::place(std::string_view name) {
  const auto found = std::ranges::find(places_, name, &Place::name);
  return found != places_.end() ? *found : places_.emplace_back(std::string(name));
}

std::vector<Descriptor> Predecessor::take(std::string_view name) {
  const auto found = std::ranges::find(places_, name, &Place::name);
  if (found == places_.end()) {
    return {};
  }
  found->is_taken = true;
  return std::exchange(found->sockets, {});
}

void Predecessor::tell_ready() {
  std::string ready = std::to_string(::getpid());
  for (const Place& place : places_) {
    if (place.is_taken) {
      ready.append(1, '\0').append(place.name);
    }
  }
  places_.clear();
  // The message fails if the process is gone; then this process owns the sockets anyway.
  (void)channel_.send(HandoverWord::ready, ready);
}

bool Predecessor::wait_for_go(const std::function<bool()>& is_given_up) {
  bool is_go = false;
  while (!is_go && !channel_.is_over() && !is_given_up()) {
    const auto message = channel_.receive(kNextLook);
    is_go = message && message->word == HandoverWord::go;
  }
  if (!is_go && !channel_.is_over()) {
    // After this, the other process cannot send it any more, and sees the error. It may have sent
    // it before.
    (void)::shutdown(channel_.fd(), SHUT_RD);
    const auto message = channel_.receive(Duration::zero());
    is_go = message && message->word == HandoverWord::go;
    channel_ = HandoverChannel();
    return is_go;
  }
  const bool is_ours = is_go || channel_.is_over();
  channel_ = HandoverChannel();
  return is_ours;
}

}  // namespace eider::detail::server
