#include "eider/route/segment_tree.h"

#include <algorithm>
#include <bit>

#include "eider/route/bytes_hash.h"
#include "eider/route/path_text.h"

namespace eider::route {
namespace {

std::size_t find_slash(std::string_view path, std::size_t at) noexcept {
  // Segments are short: a call of memchr costs more than the loop.
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
  if (count == 0) {
    return;
  }
  table_.resize(std::bit_ceil(static_cast<std::size_t>(count) * 2));
  mask_ = static_cast<std::uint32_t>(table_.size() - 1);
  for (const Edge& edge : edges_) {
    if (!is_hashed(edge)) {
      continue;
    }
    std::uint32_t slot = hash_edge(edge.parent, {texts_.data() + edge.text, edge.size}) & mask_;
    while (table_[slot].child != kNoNode) {
      slot = (slot + 1) & mask_;
    }
    table_[slot] = edge;
  }
}

const Leaf* SegmentTree::find(Search& search) const noexcept {
  if (nodes_.size() == 1 && nodes_[0].rest.methods.empty()) {
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
  std::uint32_t slot = hash_edge(node, segment) & mask_;
  for (; table_[slot].child != kNoNode; slot = (slot + 1) & mask_) {
    if (table_[slot].parent == node && matches(table_[slot], segment)) {
      return table_[slot].child;
    }
  }
  return kNoNode;
}

// Recursion goes as deep as the longest pattern, whatever the path.
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
  return node.rest.methods.empty() ? nullptr : take_rest(search, node, at);
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

const Leaf* SegmentTree::take_rest(Search& search, const Node& node,
                                   std::size_t at) const noexcept {
  const std::string_view rest = search.path.substr(at);
  const Leaf* leaf = is_safe_rest(rest) ? search.take(node.rest) : nullptr;
  if (leaf != nullptr) {
    search.values.push(rest);
  }
  return leaf;
}

}  // namespace eider::route
