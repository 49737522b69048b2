#include "eider/protocols/route/segment_tree.h"

#include <algorithm>
#include <bit>

#include "eider/protocols/route/bytes_hash.h"
#include "eider/protocols/route/path_text.h"

namespace eider::route {
namespace {

std::size_t find_slash(std::string_view path, std::size_t at) noexcept {
  // Segments are short: a call of memchr takes longer than the loop.
  while (at < path.size() && path[at] != '/') {
    ++at;
  }
  return at;
}

bool is_safe_value(const Search& search, std::string_view segment) noexcept {
  return (segment.front() != '.' && !search.is_decoded) || !has_dot_segment(segment);
}

std::uint32_t hash_edge(SegmentTree::NodeIndex parent, std::string_view text) noexcept {
  return static_cast<std::uint32_t>(hash_bytes(text, parent) >> 32U);
}

}  // namespace

SegmentTree::NodeIndex SegmentTree::add_literal(NodeIndex parent, std::string_view text) {
  const auto child = static_cast<NodeIndex>(nodes_.size());
  nodes_.emplace_back();
  edges_.push_back({parent, child, static_cast<std::uint32_t>(texts_.size()),
                    static_cast<std::uint32_t>(text.size())});
  texts_.append(text);
  return child;
}

SegmentTree::NodeIndex SegmentTree::add_parameter(NodeIndex parent) {
  const auto child = static_cast<NodeIndex>(nodes_.size());
  nodes_.emplace_back();
  nodes_[parent].parameter = child;
  return child;
}

void SegmentTree::set_rest(NodeIndex node, Leaf leaf) {
  rests_.push_back(leaf);
  nodes_[node].rest = static_cast<std::uint32_t>(rests_.size());
}

void SegmentTree::freeze() {
  std::sort(edges_.begin(), edges_.end(), [](const Edge& left, const Edge& right) {
    return left.parent != right.parent ? left.parent < right.parent : left.child < right.child;
  });
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    Node& parent = nodes_[edges_[i].parent];
    if (parent.edge_count++ == 0) {
      parent.first_edge = i;
    }
  }
  fill_table();
}

void SegmentTree::fill_table() {
  const auto is_hashed = [&](const Edge& edge) {
    return nodes_[edge.parent].edge_count > kComparedMax;
  };
  const auto count = std::count_if(edges_.begin(), edges_.end(), is_hashed);
  slots_.resize(std::bit_ceil(static_cast<std::size_t>(count) * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < edges_.size(); ++i) {
    const Edge& edge = edges_[i];
    if (!is_hashed(edge)) {
      continue;
    }
    const std::uint32_t hash = hash_edge(edge.parent, {texts_.data() + edge.text, edge.size});
    std::size_t at = hash & mask;
    while (slots_[at].edge != kNoEdge) {
      at = (at + 1) & mask;
    }
    slots_[at] = {hash, i};
  }
}

const Leaf* SegmentTree::find(Search& search) const noexcept {
  if (nodes_.size() == 1 && nodes_[0].rest == 0) {
    return nullptr;
  }
  return descend(search, root(), 1);
}

bool SegmentTree::matches(const Edge& edge, std::string_view segment) const noexcept {
  return edge.size == segment.size() && equals(texts_.data() + edge.text, segment);
}

SegmentTree::NodeIndex SegmentTree::find_literal(NodeIndex node,
                                                 std::string_view segment) const noexcept {
  const std::uint32_t count = nodes_[node].edge_count;
  if (count > kComparedMax) {
    return probe_literal(node, segment);
  }
  const Edge* edge = edges_.data() + nodes_[node].first_edge;
  for (const Edge* end = edge + count; edge != end; ++edge) {
    if (matches(*edge, segment)) {
      return edge->child;
    }
  }
  return kNoNode;
}

SegmentTree::NodeIndex SegmentTree::probe_literal(NodeIndex node,
                                                  std::string_view segment) const noexcept {
  const std::uint32_t hash = hash_edge(node, segment);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].edge != kNoEdge; at = (at + 1) & mask) {
    const Edge& edge = edges_[slots_[at].edge];
    if (slots_[at].hash == hash && edge.parent == node && matches(edge, segment)) {
      return edge.child;
    }
  }
  return kNoNode;
}

// The depth of the recursion is limited by the longest pattern, not by the path.
const Leaf* SegmentTree::descend(Search& search, NodeIndex index, std::size_t at) const noexcept {
  const Node& node = nodes_[index];
  if (at > search.path.size()) {
    return search.take(node.end);
  }
  const std::size_t slash = find_slash(search.path, at);
  const std::string_view segment = search.path.substr(at, slash - at);
  if (node.edge_count != 0) {
    const NodeIndex child = find_literal(index, segment);
    const Leaf* leaf = child == kNoNode ? nullptr : descend(search, child, slash + 1);
    if (leaf != nullptr) {
      return leaf;
    }
  }
  if (node.parameter != kNoNode && !segment.empty() && is_safe_value(search, segment)) {
    const Leaf* leaf = take_parameter(search, node.parameter, segment, slash + 1);
    if (leaf != nullptr) {
      return leaf;
    }
  }
  return node.rest == 0 ? nullptr : take_rest(search, rests_[node.rest - 1], at);
}

const Leaf* SegmentTree::take_parameter(Search& search, NodeIndex node, std::string_view segment,
                                        std::size_t next) const noexcept {
  search.values.push(segment);
  const Leaf* leaf = descend(search, node, next);
  if (leaf == nullptr) {
    search.values.pop();
  }
  return leaf;
}

const Leaf* SegmentTree::take_rest(Search& search, const Leaf& leaf,
                                   std::size_t at) const noexcept {
  const std::string_view rest = search.path.substr(at);
  const Leaf* taken = is_safe_rest(rest) ? search.take(leaf) : nullptr;
  if (taken != nullptr) {
    search.values.push(rest);
  }
  return taken;
}

}  // namespace eider::route
