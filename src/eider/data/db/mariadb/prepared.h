// Statements that one connection has prepared, by their text.
// Must not talk to the server: whoever takes one out of here tells it.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eider/data/db/mariadb/handles.h"

namespace eider::db::mariadb {

/// sql    as it was asked for
/// order  which value each of its '?' takes
struct Prepared {
  std::string sql;
  std::vector<std::size_t> order;
  StatementHandle handle;
};

class PreparedStatements {
 public:
  /// Null when there is none. Valid until it is taken.
  [[nodiscard]] Prepared* find(std::string_view sql) {
    const auto found = by_text_.find(sql);
    if (found == by_text_.end()) {
      return nullptr;
    }
    in_order_.splice(in_order_.begin(), in_order_, found->second);
    return &*found->second;
  }
  /// Pre: there is none of its text.
  Prepared& add(Prepared statement) {
    in_order_.push_front(std::move(statement));
    by_text_.emplace(in_order_.front().sql, in_order_.begin());
    return in_order_.front();
  }
  /// The one that was not used for the longest time. Pre: size() != 0.
  [[nodiscard]] StatementHandle take_oldest() {
    StatementHandle taken = std::move(in_order_.back().handle);
    by_text_.erase(in_order_.back().sql);
    in_order_.pop_back();
    return taken;
  }
  /// Pre: `find` has just found it.
  [[nodiscard]] StatementHandle take_first() {
    StatementHandle taken = std::move(in_order_.front().handle);
    by_text_.erase(in_order_.front().sql);
    in_order_.pop_front();
    return taken;
  }
  [[nodiscard]] std::size_t size() const noexcept { return in_order_.size(); }
  void clear() noexcept {
    by_text_.clear();
    in_order_.clear();
  }

 private:
  std::list<Prepared> in_order_;  // the one used last comes first
  std::unordered_map<std::string_view, std::list<Prepared>::iterator> by_text_;
};

}  // namespace eider::db::mariadb
