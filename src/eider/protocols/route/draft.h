// All routes while they are registered, by segments; finds conflicts.
// Layering: must not look up paths: the frozen tables do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/route/bytes_hash.h"
#include "eider/protocols/route/leaf.h"
#include "eider/protocols/route/segment_tree.h"

namespace eider::route {

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
