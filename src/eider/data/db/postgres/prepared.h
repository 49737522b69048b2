// Statements that one connection has prepared, by their text.
// Must not talk to the server: whoever forgets one here tells it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eider/data/db/postgres/codec.h"
#include "eider/data/db/postgres/result_rows.h"

namespace eider::db::postgres {

/// number      higher than those of all that were prepared before
/// parameters  their types
/// is_copy     a COPY, which is refused: asked once, as its text is long
/// rows        binary when all columns are known in it
/// shape       of those rows
/// described_in  the last round in which the server has described them
struct Prepared {
  std::string sql;
  std::uint64_t number = 0;
  std::string name;
  bool is_copy = false;
  std::vector<Oid> parameters;
  Format rows = Format::binary;
  ResultShape shape{};
  std::uint64_t described_in = 0;
};

class PreparedStatements {
 public:
  /// Null when there is none. Valid until the next call.
  [[nodiscard]] Prepared* find(std::string_view sql) {
    const auto found = by_text_.find(sql);
    if (found == by_text_.end()) {
      return nullptr;
    }
    in_order_.splice(in_order_.begin(), in_order_, found->second);
    return &*found->second;
  }
  /// Pre: there is none of its text.
  void add(Prepared statement) {
    in_order_.push_front(std::move(statement));
    by_text_.emplace(in_order_.front().sql, in_order_.begin());
  }
  /// Gives its name; empty when there was none.
  std::string forget(std::string_view sql) {
    const auto found = by_text_.find(sql);
    if (found == by_text_.end()) {
      return {};
    }
    const auto place = found->second;
    std::string name = std::move(place->name);
    by_text_.erase(found);
    in_order_.erase(place);
    return name;
  }
  /// Forgets the one that was not used for the longest time, and gives its name. Pre: size() != 0.
  [[nodiscard]] std::string forget_oldest() {
    std::string name = in_order_.back().name;
    by_text_.erase(in_order_.back().sql);
    in_order_.pop_back();
    return name;
  }
  [[nodiscard]] std::size_t size() const noexcept { return in_order_.size(); }

 private:
  std::list<Prepared> in_order_;  // the one used last comes first
  std::unordered_map<std::string_view, std::list<Prepared>::iterator> by_text_;
};

}  // namespace eider::db::postgres
