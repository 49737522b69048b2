#include "eider/data/redis/cluster.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/data/redis/resp_writer.h"

namespace eider::redis::detail {
namespace {

using Done = RedisFailure::Done;

/// Minimum time between two requests for the slot map, and before commands without a responsible
/// node are sent again.
constexpr Duration kPause = std::chrono::milliseconds(50);
/// Maximum redirects of one call; from the third one on, each waits for a pause.
constexpr std::uint8_t kHopsMax = 20;
constexpr std::uint8_t kHopsAtOnce = 2;
/// The recommended maximum size of a cluster.
constexpr std::size_t kNodesMax = 1000;
/// Maximum number of nodes that are known only from redirects, so that a malicious node cannot make
/// us connect to arbitrary addresses.
constexpr std::size_t kStraysMax = 16;

std::optional<std::uint16_t> port_of(std::string_view text) noexcept {
  const auto port = parse_integer<std::uint16_t>(text);
  return port == 0 ? std::nullopt : port;
}

}  // namespace

/// Parses "MOVED 3999 127.0.0.1:6381"; without a host, it is the host that sent it.
std::optional<Redirect> read_redirect(std::string_view error, std::string_view here) {
  const std::string_view code = take_until(error, " ");
  if (code == "TRYAGAIN" || code == "CLUSTERDOWN") {
    return Redirect{Redirect::Kind::wait};
  }
  if (code != "MOVED" && code != "ASK") {
    return std::nullopt;
  }
  (void)take_until(error, " ");
  const std::string_view place = take_until(error, " ");
  const std::size_t colon = place.rfind(':');
  const auto port = port_of(place.substr(std::min(colon, place.size() - 1) + 1));
  const std::string host(colon == 0 ? here : place.substr(0, colon));
  if (colon == std::string_view::npos || !port || !is_host(host)) {
    return std::nullopt;
  }
  return Redirect{code == "ASK" ? Redirect::Kind::ask : Redirect::Kind::moved, {host, *port}};
}

/// Each entry has the first and last slot, its primary node and its replicas.
std::optional<std::vector<SlotRange>> read_slots(RespCursor slots, std::string_view here) {
  const RespItem list = slots.next();
  std::vector<SlotRange> ranges;
  for (std::int64_t left = list.kind == RespKind::array ? list.number : 0; left > 0; --left) {
    const RespItem entry = slots.next();
    if (entry.kind != RespKind::array || entry.number < 3) {
      return std::nullopt;
    }
    const RespItem first = slots.next();
    const RespItem last = first.kind == RespKind::integer ? slots.next() : first;
    const RespItem node = last.kind == RespKind::integer ? slots.next() : last;
    if (first.kind != RespKind::integer || last.kind != RespKind::integer ||
        node.kind != RespKind::array || node.number < 2 || first.number < 0 ||
        first.number > last.number || std::cmp_greater_equal(last.number, kSlots)) {
      return std::nullopt;
    }
    const RespItem name = slots.next();
    const RespItem port = name.is_aggregate() ? name : slots.next();
    if (port.kind != RespKind::integer || port.number < 1 || port.number > 0xffff) {
      return std::nullopt;
    }
    Place place{std::string(name.text.empty() ? here : name.text),
                static_cast<std::uint16_t>(port.number)};
    const bool is_known = is_host(place.host);
    ranges.push_back({static_cast<std::size_t>(first.number), static_cast<std::size_t>(last.number),
                      is_known ? std::optional(std::move(place)) : std::nullopt});
    slots.skip(static_cast<std::uint64_t>(node.number - 2));
    slots.skip(static_cast<std::uint64_t>(entry.number - 3));
  }
  return ranges.empty() ? std::nullopt : std::optional(std::move(ranges));
}

/// Sends CLUSTER SLOTS.
class Cluster::Asking final : public Call {
 public:
  Asking(Cluster& cluster, Link& link)
      : Call(link, "CLUSTER SLOTS", link.settings().options.command_time_max),
        cluster_(cluster),
        link_(link) {
    if (Buffer* const out = begin()) {
      append_command(*out, "CLUSTER", "SLOTS");
      end(1);
    }
  }

 private:
  void take(RespCursor answer) override { cluster_.apply(answer, link_.host()); }

  Cluster& cluster_;
  Link& link_;
};

Cluster::Cluster(Loop& loop, net::Net& net, std::shared_ptr<const Settings> settings)
    : loop_(loop),
      net_(net),
      settings_(std::move(settings)),
      front_(loop, net, settings_, nullptr, ConnectionUse::front, this),
      any_(loop, net, settings_, nullptr, ConnectionUse::shared, this),
      slots_(kSlots),
      asked_(loop.now() - kPause) {}

Cluster::~Cluster() = default;

std::shared_ptr<const Settings> Cluster::settings_of(std::uint16_t slot) const {
  return slots_[slot] == nullptr ? nullptr : slots_[slot]->settings;
}

// Routing.

void Cluster::route(Call& call, std::string_view bytes, std::uint32_t replies) {
  const auto slot = slot_of(bytes);
  if (!slot) {
    return front_.fail(call, RedisFailure(call.name(), "CROSSSLOT Keys don't lie in one slot"));
  }
  if (is_of_one_node(bytes)) {
    std::string why(call.name());
    why += " applies to one node of a cluster: use a separate Redis for each node";
    return front_.fail(call, RedisFailure(RedisFault::refused, Done::nothing, std::move(why)));
  }
  call.routed_ = std::make_unique<Routed>(Routed{std::string(bytes), replies, *slot});
  if (is_stale_) {
    refresh_soon();
  }
  send(call);
}

void Cluster::send(Call& call) {
  call.routed_->is_asking = false;
  const auto slot = call.routed_->slot;
  Node* const node = slot ? slots_[*slot] : nullptr;
  (node == nullptr ? some_link() : *node->link).send(call);
}

/// Returns a connected node, alternating between them.
Link& Cluster::some_link() noexcept {
  std::vector<Link*> there;
  if (any_.life() != 0) {
    there.push_back(&any_);
  }
  for (auto& [place, node] : nodes_) {
    if (node.link->life() != 0 && node.is_in_map) {
      there.push_back(node.link.get());
    }
  }
  return there.empty() ? any_ : *there[++turn_ % there.size()];
}

Cluster::Node& Cluster::add_node(const Place& place) {
  auto settings = std::make_shared<const Settings>(
      Settings{.target = settings_->target.at(place), .options = settings_->options});
  auto link = std::make_unique<Link>(loop_, net_, settings, nullptr, ConnectionUse::shared, this);
  return nodes_.emplace(place, Node{std::move(settings), std::move(link)}).first->second;
}

/// room     maximum number of unknown nodes to add
/// returns  null if the node is unknown and there is no room
Cluster::Node* Cluster::find_or_add(const Place& place, std::size_t room) {
  if (const auto found = nodes_.find(place); found != nodes_.end()) {
    return &found->second;
  }
  return room == 0 ? nullptr : &add_node(place);
}

std::size_t Cluster::room_for_strays() const noexcept {
  const auto strays = static_cast<std::size_t>(
      std::ranges::count_if(nodes_, [](const auto& node) { return !node.second.is_in_map; }));
  return kStraysMax - std::min(strays, kStraysMax);
}

/// Keeps the call until the slot map was requested again.
void Cluster::hold(Call& call, std::string_view why) {
  front_.hold(call, why);
  refresh_soon();
}

bool Cluster::note(Call& call, RespCursor answer, const std::string& host) {
  Routed* const routed = call.routed_.get();
  if (routed == nullptr) {
    return true;
  }
  if (std::exchange(routed->is_asking, false)) {
    return false;
  }
  const RespItem item = answer.peek();
  const bool is_error = item.kind == RespKind::error;
  const auto redirect = is_error ? read_redirect(item.text, host) : std::nullopt;
  if (redirect && !routed->redirect) {
    routed->redirect = redirect;
  }
  // Also if EXEC was rejected because a command before it was redirected.
  routed->is_refused = redirect || (is_error && item.text.starts_with("EXECABORT "));
  return true;
}

bool Cluster::redirect(Call& call) {
  Routed* const routed = call.routed_.get();
  if (routed == nullptr || !routed->redirect || !routed->is_refused) {
    return false;
  }
  const Redirect redirect = *std::exchange(routed->redirect, std::nullopt);
  call.begin_again();
  const bool is_wait = redirect.kind == Redirect::Kind::wait;
  if (is_wait || ++routed->hops > kHopsMax) {
    is_wait ? hold(call, "the cluster does not serve this slot at the moment")
            : front_.fail(call, RedisFailure(RedisFault::busy, Done::nothing,
                                             "the nodes of the cluster redirect " +
                                                 std::string(call.name()) + " to each other"));
    return true;
  }
  Node* const node = find_or_add(redirect.place, room_for_strays());
  if (redirect.kind == Redirect::Kind::moved) {
    refresh_soon();
    if (node != nullptr && routed->slot) {
      slots_[*routed->slot] = node;
    }
  }
  if (node == nullptr || routed->hops > kHopsAtOnce) {
    hold(call, "the nodes of the cluster do not agree about this slot");
    return true;
  }
  routed->is_asking = redirect.kind == Redirect::Kind::ask;
  node->link->send(call);
  return true;
}

// Slot map.

void Cluster::refresh_soon() {
  is_stale_ = true;
  if (!is_armed()) {
    loop_.arm(*this, std::max(loop_.now(), asked_ + kPause));
  }
}

/// Runs from the timer, because links may be destroyed here.
void Cluster::expire() {
  if (std::exchange(has_new_map_, false)) {
    prune();
  }
  const bool is_asked = asking_ != nullptr && !asking_->await_ready();
  if (is_stale_ && !is_asked) {
    asked_ = loop_.now();
    asking_ = std::make_unique<Asking>(*this, some_link());
  }
  send_again(front_);
  for (auto& [place, node] : nodes_) {
    if (node.link->life() == 0) {
      send_again(*node.link);
    }
  }
}

/// Sends the unsent calls of a link to the nodes of the current slot map.
void Cluster::send_again(Link& from) {
  for (Call* const call : from.take_waiting()) {
    if (call->routed_ == nullptr) {
      from.fail(*call, RedisFailure(RedisFault::lost, Done::nothing, "the node is not reachable"));
    } else {
      send(*call);
    }
  }
}

void Cluster::prune() {
  std::erase_if(nodes_, [this](const auto& entry) {
    const Node& node = entry.second;
    return !node.is_in_map && node.link->calls() == 0 &&
           std::ranges::find(slots_, &node) == slots_.end();
  });
}

void Cluster::apply(RespCursor slots, const std::string& host) {
  const auto ranges = read_slots(slots, host);
  if (!ranges) {
    return;
  }
  for (auto& [place, node] : nodes_) {
    node.is_in_map = false;
  }
  std::ranges::fill(slots_, nullptr);
  for (const SlotRange& range : *ranges) {
    Node* const node =
        range.place ? find_or_add(*range.place, kNodesMax - std::min(nodes_.size(), kNodesMax))
                    : nullptr;
    if (node == nullptr) {
      continue;
    }
    node->is_in_map = true;
    std::fill(slots_.begin() + static_cast<std::ptrdiff_t>(range.first),
              slots_.begin() + static_cast<std::ptrdiff_t>(range.last) + 1, node);
  }
  is_stale_ = false;
  has_new_map_ = true;
  loop_.arm(*this, loop_.now());
}

}  // namespace eider::redis::detail
