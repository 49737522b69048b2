// The nodes of a cluster as one event loop sees them, with their slots and connections.
// Layering: must not repeat a call that a node may have executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/redis/key_slot.h"
#include "eider/data/redis/link.h"
#include "eider/data/redis/target.h"
#include "eider/io/net/net.h"
#include "eider/io/runtime/timer.h"

namespace eider::redis::detail {

/// A redirect, which a node sends instead of a response.
///
/// moved  the slot is at that address from now on
/// ask    only for this command
/// wait   no node serves the slot at the moment: TRYAGAIN, CLUSTERDOWN
struct Redirect {
  enum class Kind : std::uint8_t { moved, ask, wait };

  Kind kind;
  Place place{};
};

/// here     the host that sent it, for an address without a host
/// returns  nothing if it is another error, or the address is invalid
[[nodiscard]] std::optional<Redirect> read_redirect(std::string_view error, std::string_view here);

/// From the first slot to the last, both below kSlots. place  nothing if it is unknown
struct SlotRange {
  std::size_t first;
  std::size_t last;
  std::optional<Place> place;
};

/// slots    the response to CLUSTER SLOTS
/// here     the host that sent it, for addresses without a host
/// returns  nothing if any part of it is invalid
[[nodiscard]] std::optional<std::vector<SlotRange>> read_slots(RespCursor slots,
                                                               std::string_view here);

/// The data needed to send a call to another node.
struct Routed {
  std::string bytes;
  std::uint32_t replies;
  std::optional<std::uint16_t> slot{};  // of its keys
  std::uint8_t hops = 0;
  bool is_asking = false;   // ASKING is sent before it
  bool is_refused = false;  // by its last response, so nothing of it was executed
  std::optional<Redirect> redirect{};
};

class Cluster final : private Timer {
 public:
  /// net  of the loop; must outlive this
  Cluster(Loop& loop, net::Net& net, std::shared_ptr<const Settings> settings);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Returns the link on which calls are made; it sends nothing itself.
  [[nodiscard]] Link& front() noexcept { return front_; }
  /// Returns the settings for the node of a slot, if that is known.
  [[nodiscard]] std::shared_ptr<const Settings> settings_of(std::uint16_t slot) const;

  // Called by links.
  /// Routes a complete call.
  void route(Call& call, std::string_view bytes, std::uint32_t replies);
  /// returns  whether the response belongs to the call
  [[nodiscard]] bool note(Call& call, RespCursor answer, const std::string& host);
  /// Called after the last response. returns  whether the call continues on another node
  [[nodiscard]] bool redirect(Call& call);
  /// Called if a node is not reachable, or the slot map is outdated.
  void refresh_soon();

 private:
  class Asking;
  struct Node {
    std::shared_ptr<const Settings> settings;
    std::unique_ptr<Link> link;
    bool is_in_map = false;
  };

  void expire() override;
  void send(Call& call);
  void hold(Call& call, std::string_view why);
  Node& add_node(const Place& place);
  [[nodiscard]] Node* find_or_add(const Place& place, std::size_t room);
  [[nodiscard]] std::size_t room_for_strays() const noexcept;
  [[nodiscard]] Link& some_link() noexcept;
  void send_again(Link& from);
  void prune();
  void apply(RespCursor slots, const std::string& host);

  Loop& loop_;
  net::Net& net_;
  std::shared_ptr<const Settings> settings_;
  Link front_;  // before the others, because calls of links that end belong to it
  Link any_;    // to one of the nodes in the URL
  std::map<Place, Node> nodes_;
  std::vector<Node*> slots_;  // null: unknown
  std::size_t turn_ = 0;
  Instant asked_;
  bool is_stale_ = true;      // the slot map
  bool has_new_map_ = false;  // remove nodes that are not in it
  std::unique_ptr<Asking> asking_;
};

}  // namespace eider::redis::detail
