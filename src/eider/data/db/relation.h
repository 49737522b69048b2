// Relations between records: loads the related records of a list.
// Layering: must not run one statement for each record.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/query_job.h"
#include "eider/data/db/row_reader.h"
#include "eider/data/db/value.h"

namespace eider::db {

/// A join table, which connects records of two tables: each column has a key.
struct Pairs {
  std::string_view table;
  std::string_view own;
  std::string_view other;
};

namespace detail {

class RecordSql;

/// A member of a record that is not a column, but contains records of another table.
///
/// own     column of the record that the related records refer to
/// found   expression with that value: "t." with a column of theirs, or "j." with one of `pairs`
/// pairs   " join note_tags j on j.tag_id = t.id"; empty without a join table
struct Relation {
  std::string into;
  std::string own;
  std::string found;
  std::string pairs;
  std::shared_ptr<const RecordSql> target;
};

/// Throws Failure(statement) for invalid names.
[[nodiscard]] Relation by_pairs(std::string_view into, const RecordSql& own,
                                std::shared_ptr<const RecordSql> other, const Pairs& pairs);

/// Returns the name of the member at that place. Throws Failure(statement) if there is none.
[[nodiscard]] std::string_view name_at(const reflect::Type& record, const reflect::Type& member,
                                       std::ptrdiff_t offset);

/// Finds the places of a key in a list, which may contain duplicates. NULL is never found.
class KeyPlaces {
 public:
  explicit KeyPlaces(std::span<const Value> keys);

  /// Calls `take(std::size_t place)` for each place.
  template <class Take>
  void each(const Value& key, Take take) const {
    const std::string text = text_of(key);
    for (auto at = first_of(text); at != places_.end() && at->first == text; ++at) {
      take(at->second);
    }
  }

 private:
  using Place = std::pair<std::string, std::size_t>;

  /// Distinguishes 1 from "1".
  [[nodiscard]] static std::string text_of(const Value& key);
  [[nodiscard]] std::vector<Place>::const_iterator first_of(const std::string& text) const;

  std::vector<Place> places_;  // sorted
};

/// Reads the first cell of each row as the key, and the others into a record.
class KeyedReader final : public RowSink {
 public:
  KeyedReader(const reflect::Type& row, void* container, RowReader::Append append) noexcept
      : reader_(row, container, append) {}

  void begin(RowShape& shape) override {
    others_.set(shape.columns().subspan(1));
    reader_.begin(others_);
  }
  void add(std::span<const Cell> cells) override {
    keys_.push_back(cells.front().copy());
    reader_.add(cells.subspan(1));
  }
  [[nodiscard]] std::vector<Value>& keys() noexcept { return keys_; }

 private:
  std::vector<Value> keys_;
  RowShape others_;
  RowReader reader_;
};

/// Records, with the key by which each was found.
template <class C>
struct Related {
  std::vector<Value> keys;
  std::vector<C> records;
};

template <class C>
class RelatedJob final : public QueryJob {
 public:
  explicit RelatedJob(Statement statement) : QueryJob(std::move(statement)) {}
  Related<C> take() {
    rethrow();
    return {std::move(reader_.keys()), std::move(records_)};
  }

 private:
  RowSink& sink() noexcept override { return reader_; }
  void forget_rows() noexcept override {
    reader_.keys().clear();
    records_.clear();
  }

  std::vector<C> records_;
  KeyedReader reader_{reflect::type_of<C>(), &records_, &All<C>::append};
};

}  // namespace detail
}  // namespace eider::db
