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

/// What a node says instead of an answer.
///
/// moved  the slot is at that place from now on
/// ask    this once
/// wait   nobody answers for the slot now: TRYAGAIN, CLUSTERDOWN
struct Redirect {
  enum class Kind : std::uint8_t { moved, ask, wait };

  Kind kind;
  Place place{};
};

/// here     the host that has said so, for a place without one
/// returns  nothing where it is another error, or at no address
[[nodiscard]] std::optional<Redirect> read_redirect(std::string_view error, std::string_view here);

/// From the first slot to the last, both below kSlots. place  nothing where it is not told
struct SlotRange {
  std::size_t first;
  std::size_t last;
  std::optional<Place> place;
};

/// slots    the answer to CLUSTER SLOTS
/// here     the host that has said so, for places without one
/// returns  nothing where it is none: no part of it counts
[[nodiscard]] std::optional<std::vector<SlotRange>> read_slots(RespCursor slots,
                                                               std::string_view here);

/// What it takes to send a call to another node.
struct Routed {
  std::string bytes;
  std::uint32_t replies;
  std::optional<std::uint16_t> slot{};  // of its keys
  std::uint8_t hops = 0;
  bool is_asking = false;   // ASKING stands ahead of it
  bool is_refused = false;  // by its last answer, so that nothing of it was done
  std::optional<Redirect> redirect{};
};

class Cluster final : private Timer {
 public:
  /// net  of the loop's; outlives this
  Cluster(Loop& loop, net::Net& net, std::shared_ptr<const Settings> settings);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// What calls are made on; it sends nothing itself.
  [[nodiscard]] Link& front() noexcept { return front_; }
  /// Of the node that has a slot, if that is known.
  [[nodiscard]] std::shared_ptr<const Settings> settings_of(std::uint16_t slot) const;

  // For links.
  /// A call that was written whole.
  void route(Call& call, std::string_view bytes, std::uint32_t replies);
  /// returns  whether an answer is the call's own
  [[nodiscard]] bool note(Call& call, RespCursor answer, const std::string& host);
  /// Behind its last answer. returns  whether the call goes on elsewhere
  [[nodiscard]] bool redirect(Call& call);
  /// There is no connection to a node, or no agreement about slots.
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
  Link front_;  // ahead of the others: what ends with them belongs to its calls
  Link any_;    // to one that the URL names
  std::map<Place, Node> nodes_;
  std::vector<Node*> slots_;  // null: not known
  std::size_t turn_ = 0;
  Instant asked_;
  bool is_stale_ = true;      // the map
  bool has_new_map_ = false;  // by which some nodes may go
  std::unique_ptr<Asking> asking_;
};

}  // namespace eider::redis::detail
