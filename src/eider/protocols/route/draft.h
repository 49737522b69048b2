// All routes as they are registered, by segments: where conflicts are found.
// Must not be asked for paths: it is laid out into the frozen tables for that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/route/exact_table.h"
#include "eider/protocols/route/leaf.h"
#include "eider/protocols/route/segment_tree.h"

namespace eider::route {

/// What ends at one place, one route per method.
class DraftLeaf {
 public:
  [[nodiscard]] Result<void, std::string> add(Method method, std::string_view pattern,
                                              std::uint32_t endpoint);
  [[nodiscard]] bool empty() const noexcept { return routes_.empty(); }
  /// With HEAD answered by GET's endpoint where it has none of its own. Pre: not empty.
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

/// The tables that answer.
struct Tables {
  ExactTable exact;
  SegmentTree tree;
  Endpoints endpoints;
  MethodSet methods;  // of all routes together
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
