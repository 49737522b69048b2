#include "eider/server/process/takeover.h"

#include <algorithm>

#include "eider/server/lifecycle.h"
#include "eider/server/process/descriptor_store.h"

namespace eider::detail::server {

void Takeover::await_successor() {
  SuccessionOwner& owner = *this;
  succession_.emplace(*group_.loops.front(), owner, systemd_, options_.successor_start,
                      options_.log);
}

void Takeover::give_up() noexcept {
  if (succession_) {
    succession_->give_up();
  }
}

void Takeover::end() noexcept {
  succession_.reset();
  superior_.reset();
  pid_file_.remove();
}

/// Notifies the previous process, which serves until then, that this one is ready.
void Takeover::take_over() {
  if (predecessor_.is_there()) {
    predecessor_.tell_ready();
  }
  if (predecessor_.is_there() &&
      predecessor_.wait_for_go([this] { return group_.owner->is_stopping(); })) {
    for (BoundPlace& place : places_) {
      if (place.is_own) {
        set_ownership(place, SocketOwnership::own);
        listen_on_all(group_.workers, group_.loops, options_, place);
      }
    }
  }
  if (!group_.owner->is_stopping()) {
    keep_sockets();
    (void)pid_file_.write(options_.pid_file, options_.log);
    is_in_charge_.store(true, std::memory_order_release);
  }
}

/// Notifies the supervisor, on the first loop, which owns the channel.
void Takeover::tell_alive() {
  group_.loops.front()->post([this] {
    if (superior_) {
      superior_->say(HandoverWord::alive);
    }
  });
}

void Takeover::take_seat() {
  predecessor_.tell_ready();
  group_.loops.front()->post(
      [this] { superior_.emplace(*group_.loops.front(), *this, predecessor_.take_channel()); });
}

/// Handles a message from the supervisor to its worker. While the supervisor runs, it owns the
/// sockets, but after a stop only workers accept, so they share ownership. Before `go`, an older
/// service may continue with the sockets.
void Takeover::on_told(HandoverWord word) {
  using enum HandoverWord;
  if (word == stop) {
    group_.owner->stop(options_.drain);
  } else if (word == handed_over) {
    set_ownership(SocketOwnership::others);
    group_.owner->hand_over(options_.drain);
  } else if (word == go && !group_.owner->is_stopping()) {
    set_ownership(SocketOwnership::shared);
  }
}

/// The supervisor is gone: ends the rest at once, if already stopping. Otherwise another supervisor
/// may be about to use the sockets, so they are not closed.
void Takeover::on_alone() {
  if (group_.owner->is_stopping()) {
    group_.owner->stop(Duration::zero());
  } else {
    set_ownership(SocketOwnership::others);
    group_.owner->stop(options_.drain);
  }
}

std::string_view Takeover::why_not_now() const noexcept {
  if (group_.owner->is_stopping()) {
    return "this process is stopping, or was already replaced";
  }
  return is_in_charge_.load(std::memory_order_acquire) ? ""
                                                       : "this process has not finished starting";
}

std::vector<SocketsAt> Takeover::sockets() const {
  std::vector<SocketsAt> all;
  for (const BoundPlace& place : places_) {
    all.push_back({place.name, place.sockets});
  }
  return all;
}

void Takeover::on_succeeded(const std::vector<std::string>& taken) {
  pid_file_.leave();
  for (const BoundPlace& place : places_) {
    const bool is_taken = std::ranges::find(taken, place.name) != taken.end();
    if (is_taken) {
      set_ownership(place, SocketOwnership::others);
    } else if (place.is_own && options_.stores_sockets) {
      // The new process removes them from systemd's store.
      set_ownership(place, SocketOwnership::own);
    }
  }
  group_.owner->hand_over(options_.drain);
}

void Takeover::set_ownership(SocketOwnership ownership) {
  for (const BoundPlace& place : places_) {
    if (place.is_own) {
      set_ownership(place, ownership);
    }
  }
}

/// Queued on each loop, so it runs before a drain that is queued later.
void Takeover::set_ownership(const BoundPlace& place, SocketOwnership ownership) {
  for (std::size_t index = 0; index < group_.loops.size(); ++index) {
    group_.loops[index]->post([worker = group_.workers[index], sockets = place.sockets, ownership] {
      worker->set_ownership(sockets, ownership);
    });
  }
}

/// Stores the sockets in systemd for the next process. Then this process must not close them.
void Takeover::keep_sockets() {
  const auto stored = store(systemd_, options_, places_, predecessor_.names());
  predecessor_.close_rest();
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const bool is_stored = std::ranges::find(stored, index) != stored.end();
    if (places_[index].is_own) {
      set_ownership(places_[index], is_stored ? SocketOwnership::others : SocketOwnership::own);
    }
  }
}

}  // namespace eider::detail::server
