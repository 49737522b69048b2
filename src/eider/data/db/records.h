// Stores, updates, finds and lists structs as rows of a table without hand-written SQL.
// Layering: must not build complex queries; write joins, sums and custom lists in SQL.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/data/db/record_sql.h"

namespace eider::db {

namespace detail {

/// Returns the name of a member. Throws Failure(statement) if it has none.
template <class T, class M>
[[nodiscard]] std::string_view name_of(M T::* member) {
  const T fresh{};
  const auto* const place = reinterpret_cast<const char*>(&(fresh.*member));
  return name_at(reflect::type_of<T>(), reflect::type_of<M>(),
                 place - reinterpret_cast<const char*>(&fresh));
}

/// The value of a relation member: one record, or a list.
template <class H>
struct RelatedTo {
  using Record = H;
  static constexpr bool kIsList = false;
};
template <class C>
struct RelatedTo<std::vector<C>> {
  using Record = C;
  static constexpr bool kIsList = true;
};

}  // namespace detail

/// Records of a table. Cheap to copy, thread-safe: `app.state(db::Records<Note>(database, {.name =
/// "notes"}))`. Functions that return a record return nothing if the key does not exist. Names of
/// tables and members come only from the program; input of clients becomes values.
template <class T>
class Records {
 public:
  using Rows = Pending<detail::QueryJobOf<T, detail::All>>;
  using Row = Pending<detail::QueryJobOf<T, detail::One>>;

  /// on  a Database, or a Transaction
  ///
  /// errors  throws Failure(statement) if `table` names a member that T does not have
  Records(const Statements& on, const Table& table)
      : on_(on),
        sql_(std::make_shared<detail::RecordSql>(table, reflect::type_of<T>(),
                                                 on_.route().pool()->dialect())) {}

  /// Returns the same records, used within a transaction.
  [[nodiscard]] Records in(const Statements& transaction) const {
    return Records(transaction, sql_);
  }
  /// Returns only the records whose `member` is `value`, for data that others must not see. Other
  /// records are not found, listed, counted, changed or removed, and inserted records always get
  /// the value. An `upsert` of a record of another owner changes nothing, and returns nothing.
  ///
  ///     notes->only(&Note::owner, user.id).find(id)
  ///
  /// errors  throws Failure(statement) if `value` is NULL
  template <class M, class V>
  [[nodiscard]] Records only(M T::* member, const V& value) const {
    auto sql = std::make_shared<detail::RecordSql>(*sql_);
    sql->hold_to(detail::name_of(member), make_value(value));
    return Records(on_, std::move(sql));
  }

  // Relation members are not columns, but contain records of another table after `load` with the
  // member. `std::optional<std::vector<Comment>> comments` contains many, and
  // `std::optional<Author> author` one (or a Nullable).

  /// The records of `others` whose `refers` is the key of this record.
  template <class M, class C, class R>
  [[nodiscard]] Records has_many(M T::* into, const Records<C>& others, R C::* refers) const {
    check_relation<M, C, true>();
    const std::string column(others.sql_->member_of(detail::name_of(refers)).name);
    return related(
        {std::string(detail::name_of(into)), sql_->key(), "t." + column, {}, others.sql_});
  }
  /// The record of `others` whose key is this record's `refers`.
  template <class M, class C, class R>
  [[nodiscard]] Records belongs_to(M T::* into, const Records<C>& others, R T::* refers) const {
    check_relation<M, C, false>();
    const std::string column(sql_->member_of(detail::name_of(refers)).name);
    return related(
        {std::string(detail::name_of(into)), column, "t." + others.sql_->key(), {}, others.sql_});
  }
  /// The records of `others` that a join table connects with this record.
  template <class M, class C>
  [[nodiscard]] Records many_to_many(M T::* into, const Records<C>& others,
                                     const Pairs& pairs) const {
    check_relation<M, C, true>();
    return related(detail::by_pairs(detail::name_of(into), *sql_, others.sql_, pairs));
  }
  /// Loads the relation members of these records: one query for each member, whatever the number of
  /// records. Soft-deleted records are omitted; a list is ordered by its key.
  ///
  ///     std::vector<Note> found = co_await notes->page(*query);
  ///     co_await notes->load(found, &Note::comments, &Note::author);
  ///
  /// records  must outlive the task
  template <class... M>
  [[nodiscard]] Task<> load(std::span<T> records, M T::*... into) const {
    (co_await load_one(records, into), ...);
  }
  template <class... M>
  [[nodiscard]] Task<> load(std::vector<T>& records, M T::*... into) const {
    return load(std::span<T>(records), into...);
  }
  template <class... M>
  [[nodiscard]] Task<> load(T& record, M T::*... into) const {
    return load(std::span<T>(&record, 1), into...);
  }

  template <class K>
  [[nodiscard]] Row find(const K& key) const {
    return on_.template one<T>(sql_->find(make_value(key)));
  }
  /// values   a T, or a struct with some of its members; the database assigns a key that is 0, and
  ///          defaults of absent members
  /// returns  the stored record
  template <class N>
  [[nodiscard]] Row insert(const N& values) const {
    return on_.template one<T>(sql_->insert(detail::describe(values)));
  }
  /// Inserts, or updates the record with the same `unique` columns: "email", "org, name". Default:
  /// the key. Returns nothing if that record is soft-deleted.
  template <class N>
  [[nodiscard]] Row upsert(const N& values, std::string_view unique = {}) const {
    return row_of(sql_->upsert(detail::describe(values), unique));
  }
  /// Updates the members that differ, by the key and the version of `before`. Returns nothing if
  /// the record does not exist or was changed since.
  [[nodiscard]] Row update(const T& before, const T& after) const {
    return row_of(sql_->update(detail::describe(before), detail::describe(after)));
  }
  /// Updates the members that are present in a struct with some of the members: an empty
  /// std::optional changes nothing, the null of a Nullable is NULL.
  ///
  /// version  expected version of the record. Default: any
  /// errors   throws Failure(statement) for a `version` if the table has none, and for a present
  ///          member that is the key, the version or the owner
  template <class K, class C>
  [[nodiscard]] Row update(const K& key, const C& changes,
                           std::optional<std::int64_t> version = std::nullopt) const {
    return row_of(sql_->update(make_value(key), detail::describe(changes), version));
  }
  /// before  a record
  /// after   a struct with some of its members: they are stored as given, and NULL if empty
  template <class N>
  [[nodiscard]] Row replace(const T& before, const N& after) const {
    return row_of(sql_->update(detail::describe(before), detail::describe(after)));
  }
  /// version  as in `update`
  /// returns  Changed, with rows == 0 if the record does not exist
  template <class K>
  [[nodiscard]] Pending<detail::ExecJob> remove(
      const K& key, std::optional<std::int64_t> version = std::nullopt) const {
    return on_.exec(sql_->remove(make_value(key), version));
  }

  /// Pre: the table has a version.
  [[nodiscard]] std::int64_t version_of(const T& record) const {
    return sql_->column_of(&record, sql_->version()).integer().value_or(0);
  }
  /// Returns the SQL of the records, for code that builds on them.
  [[nodiscard]] const detail::RecordSql& sql() const noexcept { return *sql_; }

  /// Returns a page by number. A struct that is read from the query defines the possible filters
  /// and orders; clients cannot use others:
  ///
  ///     enum class NoteOrder { title, changed_desc };
  ///     struct FindNotes {
  ///       std::optional<int> stars;                    // equal
  ///       std::optional<int> stars_min;                // also _max, _above, _below
  ///       std::optional<std::string> title_contains;   // ignores case
  ///       NoteOrder sort = NoteOrder::title;           // then by the key
  ///       PageNumber page = 1;
  ///       PageSize<100> per_page = 20;
  ///     };
  template <class Q>
  [[nodiscard]] Rows page(const Q& query) const {
    return on_.template all<T>(sql_->page(detail::describe(query)));
  }
  /// Returns the number of records on all pages.
  template <class Q>
  [[nodiscard]] Pending<detail::QueryJobOf<std::int64_t, detail::One>> count(const Q& query) const {
    return on_.template one<std::int64_t>(sql_->count(detail::describe(query)));
  }
  /// Returns the `per_page` records after a position: a struct with the members of the order, the
  /// last of which is unique: `struct NotePlace { Time changed; std::int64_t id; }`.
  ///
  /// place  nothing: the first page
  template <class Q, class P>
  [[nodiscard]] Rows page_after(const Q& query, const std::optional<P>& place,
                                Direction direction = Direction::up) const {
    const detail::Described at{&reflect::type_of<P>(), place ? &*place : nullptr};
    return on_.template all<T>(sql_->page_after(detail::describe(query), at, direction));
  }

 private:
  template <class>
  friend class Records;

  struct On final : Statements {
    explicit On(const Statements& on) : Statements(on) {}
    using Statements::route;
  };

  Records(const Statements& on, std::shared_ptr<const detail::RecordSql> sql)
      : on_(on), sql_(std::move(sql)) {}

  [[nodiscard]] Row row_of(detail::RecordChange change) const {
    detail::Ahead ahead = detail::ahead_of(change, on_.route().transaction() != nullptr);
    std::unique_ptr<Job> job(new detail::QueryJobOf<T, detail::One>(
        detail::make_statement(std::move(change.sql)), std::move(ahead)));
    return {on_.route(), Lane::reading, std::move(job)};
  }

  template <class M, class C, bool kIsList>
  static consteval void check_relation() {
    using Held = detail::RelatedTo<typename M::value_type>;
    static_assert(
        Held::kIsList == kIsList && std::is_same_v<typename Held::Record, C>,
        "eider: has_many and many_to_many need a std::optional or a Nullable of a std::vector of "
        "the other record type, belongs_to needs one of the other record type");
  }
  [[nodiscard]] Records related(detail::Relation relation) const {
    auto sql = std::make_shared<detail::RecordSql>(*sql_);
    sql->relate(std::move(relation));
    return Records(on_, std::move(sql));
  }

  template <class M>
  [[nodiscard]] Task<> load_one(std::span<T> records, M T::* into) const {
    using To = detail::RelatedTo<typename M::value_type>;
    using C = typename To::Record;
    const detail::Relation& relation = sql_->relation(detail::name_of(into));
    std::vector<Value> keys;
    for (T& record : records) {
      keys.push_back(sql_->column_of(&record, relation.own));
      (record.*into).reset();
      if constexpr (To::kIsList) {
        (record.*into).emplace();
      }
    }
    std::optional<BoundSql> sql = detail::RecordSql::related(relation, keys);
    if (!sql) {
      co_return;
    }
    Pending<detail::RelatedJob<C>> asking(
        on_.route(), Lane::reading,
        std::make_unique<detail::RelatedJob<C>>(detail::make_statement(std::move(*sql))));
    const detail::Related<C> found = co_await asking;
    const detail::KeyPlaces places(keys);
    for (std::size_t i = 0; i < found.keys.size(); ++i) {
      places.each(found.keys[i], [&](std::size_t place) {
        if constexpr (To::kIsList) {
          (*(records[place].*into)).push_back(found.records[i]);
        } else {
          records[place].*into = found.records[i];
        }
      });
    }
  }

  On on_;
  std::shared_ptr<const detail::RecordSql> sql_;
};

}  // namespace eider::db
