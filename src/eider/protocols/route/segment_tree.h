// Patterns with parameters: a flat tree of segments, searched with backtracking.
// Layering: must not allocate or change while it is searched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/request.h"
#include "eider/protocols/route/leaf.h"

namespace eider::route {

/// The input and the state of one search.
struct Search {
  Method method;
  std::string_view path;
  PathValues& values;
  bool is_decoded = false;  // the path may contain kEscapedSlash
  MethodSet allowed{};      // methods of all leaves that match the path but lack the method

  /// Returns `leaf` if it has the method; otherwise notes its methods and returns null.
  const Leaf* take(const Leaf& leaf) noexcept {
    if (leaf.methods.contains(method)) {
      return &leaf;
    }
    allowed.add(leaf.methods);
    return nullptr;
  }
};

class SegmentTree {
 public:
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kNoNode = 0;  // the root is not a child

  SegmentTree() : nodes_(1) {}

  // Construction: nodes first, then `freeze`; no changes afterwards.
  [[nodiscard]] static constexpr NodeIndex root() noexcept { return 0; }
  NodeIndex add_literal(NodeIndex parent, std::string_view text);
  NodeIndex add_parameter(NodeIndex parent);
  void set_end(NodeIndex node, Leaf leaf) { nodes_[node].end = leaf; }
  void set_rest(NodeIndex node, Leaf leaf);
  void freeze();

  /// Returns the most specific leaf that matches the path and has the method, with its parameters
  /// in `search.values`. Returns null if there is none; `search.allowed` is then complete.
  ///
  /// cost  visits each node at most once
  [[nodiscard]] const Leaf* find(Search& search) const noexcept;

 private:
  /// A node with more literal children finds them with a hash table.
  static constexpr std::uint32_t kComparedMax = 8;

  struct Edge {
    NodeIndex parent = 0;
    NodeIndex child = kNoNode;
    std::uint32_t text = 0;  // the offset of its bytes in texts_
    std::uint32_t size = 0;
  };
  struct Node {
    std::uint32_t first_edge = 0;
    std::uint32_t edge_count = 0;
    NodeIndex parameter = kNoNode;
    std::uint32_t rest = 0;  // 0: none, else its index in rests_ plus one
    Leaf end;
  };
  /// Small, so that those of ten thousand routes stay in the cache.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t edge = kNoEdge;
  };
  static constexpr std::uint32_t kNoEdge = ~std::uint32_t{0};

  [[nodiscard]] bool matches(const Edge& edge, std::string_view segment) const noexcept;
  [[nodiscard]] NodeIndex find_literal(NodeIndex node, std::string_view segment) const noexcept;
  [[nodiscard]] NodeIndex probe_literal(NodeIndex node, std::string_view segment) const noexcept;
  [[nodiscard]] const Leaf* descend(Search& search, NodeIndex node, std::size_t at) const noexcept;
  [[nodiscard]] const Leaf* take_parameter(Search& search, NodeIndex node, std::string_view segment,
                                           std::size_t next) const noexcept;
  [[nodiscard]] const Leaf* take_rest(Search& search, const Leaf& leaf,
                                      std::size_t at) const noexcept;
  void fill_table();

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;  // sorted by parent after freeze()
  std::vector<Slot> slots_;  // hash table by parent and text, for nodes with many edges
  std::vector<Leaf> rests_;
  std::string texts_;
};

}  // namespace eider::route
