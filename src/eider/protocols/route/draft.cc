#include "eider/protocols/route/draft.h"

#include <algorithm>
#include <bit>

#include "eider/protocols/route/bytes_hash.h"
#include "eider/protocols/route/path_text.h"
#include "eider/protocols/route/pattern.h"

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

namespace {

std::uint32_t short_hash(std::string_view path) noexcept {
  return static_cast<std::uint32_t>(hash_bytes(path) >> 32U);
}

}  // namespace

void ExactTable::add(std::string_view path, Leaf leaf) {
  entries_.push_back(
      {static_cast<std::uint32_t>(texts_.size()), static_cast<std::uint32_t>(path.size()), leaf});
  texts_.append(path);
  sizes_ |= size_bit(path.size());
}

void ExactTable::freeze() {
  if (entries_.size() <= kComparedMax) {
    return;
  }
  // At most half full, so that a probe usually ends at its first slot.
  slots_.resize(std::bit_ceil(entries_.size() * 2));
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const std::uint32_t hash = short_hash({texts_.data() + entries_[i].text, entries_[i].size});
    std::size_t at = hash & mask;
    while (slots_[at].entry != kNoEntry) {
      at = (at + 1) & mask;
    }
    slots_[at] = {hash, i};
  }
}

const Leaf* ExactTable::probe(std::string_view path) const noexcept {
  const std::uint32_t hash = short_hash(path);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].entry != kNoEntry; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && matches(entries_[slots_[at].entry], path)) {
      return &entries_[slots_[at].entry].leaf;
    }
  }
  return nullptr;
}

namespace {

std::string name_route(Method method, std::string_view pattern) {
  std::string text(to_text(method));
  text += ' ';
  text += pattern;
  return text;
}

DraftNode& child_of(DraftNode& node, PatternSegment segment) {
  std::unique_ptr<DraftNode>& child =
      segment.kind == SegmentKind::literal
          ? node.literals.try_emplace(std::string(segment.text)).first->second
          : node.parameter;
  if (child == nullptr) {
    child = std::make_unique<DraftNode>();
  }
  return *child;
}

/// Returns the leaf of `pattern`, and creates the nodes to it.
DraftLeaf& leaf_of(DraftNode& root, std::string_view pattern) {
  DraftNode* node = &root;
  for (PatternReader reader(pattern); reader.has_more();) {
    const PatternSegment segment = reader.next();
    if (segment.kind == SegmentKind::rest) {
      return node->rest;
    }
    node = &child_of(*node, segment);
  }
  return node->end;
}

/// Returns whether the node or a descendant is a parameter.
bool has_parameters(const DraftNode& node) {
  return node.parameter != nullptr || !node.rest.empty() ||
         std::any_of(node.literals.begin(), node.literals.end(),
                     [](const auto& child) { return has_parameters(*child.second); });
}

/// Builds the tables of a draft: paths without parameters go into the exact table, others into the
/// tree.
class Layout {
 public:
  explicit Layout(Tables& tables) : tables_(tables) {}

  void lay_out_exact(const DraftNode& node, const std::string& path) {
    if (!node.end.empty()) {
      tables_.exact.add(path, leaf_for(node.end));
    }
    for (const auto& [text, child] : node.literals) {
      lay_out_exact(*child, path + '/' + text);
    }
  }

  /// `node` is reached only by literals, so its own end is in the exact table.
  void lay_out_prefix(const DraftNode& node, SegmentTree::NodeIndex index) {
    set_rest(node, index);
    for (const auto& [text, child] : node.literals) {
      if (has_parameters(*child)) {
        lay_out_prefix(*child, tables_.tree.add_literal(index, text));
      }
    }
    lay_out_parameter(node, index);
  }

 private:
  void lay_out_below(const DraftNode& node, SegmentTree::NodeIndex index) {
    if (!node.end.empty()) {
      tables_.tree.set_end(index, leaf_for(node.end));
    }
    set_rest(node, index);
    for (const auto& [text, child] : node.literals) {
      lay_out_below(*child, tables_.tree.add_literal(index, text));
    }
    lay_out_parameter(node, index);
  }

  void lay_out_parameter(const DraftNode& node, SegmentTree::NodeIndex index) {
    if (node.parameter != nullptr) {
      lay_out_below(*node.parameter, tables_.tree.add_parameter(index));
    }
  }

  void set_rest(const DraftNode& node, SegmentTree::NodeIndex index) {
    if (!node.rest.empty()) {
      tables_.tree.set_rest(index, leaf_for(node.rest));
    }
  }

  Leaf leaf_for(const DraftLeaf& draft) {
    const Leaf leaf = draft.lay_out(tables_.endpoints);
    tables_.methods.add(leaf.methods);
    return leaf;
  }

  Tables& tables_;
};

}  // namespace

const DraftLeaf::Route* DraftLeaf::find(Method method) const noexcept {
  const auto found = std::find_if(routes_.begin(), routes_.end(),
                                  [&](const Route& route) { return route.method == method; });
  return found == routes_.end() ? nullptr : &*found;
}

Result<void, std::string> DraftLeaf::add(Method method, std::string_view pattern,
                                         std::uint32_t endpoint) {
  const Route* other = find(method);
  if (other != nullptr) {
    return fail(name_route(method, pattern) + " matches the same paths as " +
                name_route(method, other->pattern) + ", which is already registered");
  }
  routes_.push_back({method, endpoint, std::string(pattern)});
  return {};
}

Leaf DraftLeaf::lay_out(Endpoints& endpoints) const {
  MethodSet methods;
  std::vector<std::uint32_t> by_method;
  const Route* get = find(Method::get);
  for (int i = 0; i < static_cast<int>(Method::unknown); ++i) {
    const auto method = static_cast<Method>(i);
    const Route* route = find(method);
    route = route == nullptr && method == Method::head ? get : route;
    if (route != nullptr) {
      methods.add(method);
      by_method.push_back(route->endpoint);
    }
  }
  return endpoints.add(methods, by_method);
}

Result<void, std::string> Draft::add(Method method, std::string_view pattern,
                                     std::uint32_t endpoint) {
  if (method == Method::unknown) {
    return fail("the route " + std::string(pattern) + " has no method");
  }
  const PatternFault fault = find_fault(pattern);
  if (fault != PatternFault::none) {
    return fail("the pattern of " + name_route(method, pattern) +
                " is not valid: " + to_text(fault));
  }
  return leaf_of(root_, pattern).add(method, pattern, endpoint);
}

Tables Draft::lay_out() const {
  Tables tables;
  Layout layout(tables);
  layout.lay_out_exact(root_, {});
  layout.lay_out_prefix(root_, SegmentTree::root());
  tables.exact.freeze();
  tables.tree.freeze();
  return tables;
}

}  // namespace eider::route
