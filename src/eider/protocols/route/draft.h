// All routes while they are registered, and the tables for lookups that are made of them.
// Layering: must not allocate or change a table while it is searched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/route/bytes_hash.h"
#include "eider/protocols/route/method_set.h"

namespace eider::route {

struct Leaf {
  MethodSet methods;
  /// Whether all methods have the same endpoint, such as GET and HEAD. It is then stored here,
  /// which saves a memory access.
  bool is_single = false;
  /// The endpoint, or else the index of the first method's endpoint; the others follow in the order
  /// of the enum.
  std::uint32_t endpoint = 0;
};

/// The endpoints of all leaves, in one array.
class Endpoints {
 public:
  /// Pre: leaf.methods.contains(method).
  [[nodiscard]] std::uint32_t of(const Leaf& leaf, Method method) const noexcept {
    return leaf.is_single ? leaf.endpoint : endpoints_[leaf.endpoint + leaf.methods.rank(method)];
  }
  /// endpoints  one per method, in the order of the enum
  [[nodiscard]] Leaf add(MethodSet methods, const std::vector<std::uint32_t>& endpoints) {
    const auto first = static_cast<std::uint32_t>(endpoints_.size());
    for (const std::uint32_t endpoint : endpoints) {
      if (endpoint != endpoints.front()) {
        endpoints_.insert(endpoints_.end(), endpoints.begin(), endpoints.end());
        return {methods, false, first};
      }
    }
    return {methods, true, endpoints.front()};
  }

 private:
  std::vector<std::uint32_t> endpoints_;
};

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

/// Patterns without parameters: a whole path, found by comparison or by one probe of a table.
class ExactTable {
 public:
  /// Pre: `path` was not added before.
  void add(std::string_view path, Leaf leaf);
  /// Builds the table. Call it once.
  void freeze();

  /// Returns the leaf of `path`, or null.
  [[nodiscard]] const Leaf* find(std::string_view path) const noexcept;

 private:
  /// Up to this many paths are compared one by one, which is faster than any hash.
  static constexpr std::size_t kComparedMax = 8;

  struct Entry {
    std::uint32_t text = 0;  // the offset of its bytes in texts_
    std::uint32_t size = 0;
    Leaf leaf;
  };
  /// Small, so that ten thousand of them stay in the cache: the search for a path that does not
  /// exist usually ends at one of these.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t entry = kNoEntry;
  };
  static constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

  [[nodiscard]] static constexpr std::uint64_t size_bit(std::size_t size) noexcept {
    return std::uint64_t{1} << (size & 63U);
  }
  [[nodiscard]] bool matches(const Entry& entry, std::string_view path) const noexcept;
  [[nodiscard]] const Leaf* compare_all(std::string_view path) const noexcept;
  [[nodiscard]] const Leaf* probe(std::string_view path) const noexcept;

  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // empty if all paths are compared
  std::string texts_;
  std::uint64_t sizes_ = 0;  // bit i: there is a path of i bytes (modulo 64)
};

inline const Leaf* ExactTable::find(std::string_view path) const noexcept {
  if ((sizes_ & size_bit(path.size())) == 0) {
    return nullptr;
  }
  return slots_.empty() ? compare_all(path) : probe(path);
}

inline bool ExactTable::matches(const Entry& entry, std::string_view path) const noexcept {
  return entry.size == path.size() && equals(texts_.data() + entry.text, path);
}

inline const Leaf* ExactTable::compare_all(std::string_view path) const noexcept {
  for (const Entry& entry : entries_) {
    if (matches(entry, path)) {
      return &entry.leaf;
    }
  }
  return nullptr;
}

/// The routes of one pattern, at most one per method.
class DraftLeaf {
 public:
  [[nodiscard]] Result<void, std::string> add(Method method, std::string_view pattern,
                                              std::uint32_t endpoint);
  [[nodiscard]] bool empty() const noexcept { return routes_.empty(); }
  /// Builds the leaf. HEAD uses GET's endpoint if it has none of its own. Pre: not empty.
  [[nodiscard]] Leaf lay_out(Endpoints& endpoints) const;

 private:
  struct Route {
    Method method;
    std::uint32_t endpoint;
    std::string pattern;
  };
  [[nodiscard]] const Route* find(Method method) const noexcept;

  std::vector<Route> routes_;
};

struct DraftNode {
  std::map<std::string, std::unique_ptr<DraftNode>, std::less<>> literals;
  std::unique_ptr<DraftNode> parameter;
  DraftLeaf end;
  DraftLeaf rest;
};

/// The tables for lookups.
struct Tables {
  ExactTable exact;
  SegmentTree tree;
  Endpoints endpoints;
  MethodSet methods;  // of all routes
};

class Draft {
 public:
  [[nodiscard]] Result<void, std::string> add(Method method, std::string_view pattern,
                                              std::uint32_t endpoint);
  [[nodiscard]] Tables lay_out() const;

 private:
  DraftNode root_;
};

}  // namespace eider::route
