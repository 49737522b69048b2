// A struct and its table: stored, changed, found and listed without a statement for each.
// Must not put queries together that SQL says better: joins, sums and lists of one's own are SQL.
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

/// Its name. Throws Failure(statement) where it has none.
template <class T, class M>
[[nodiscard]] std::string_view name_of(M T::* member) {
  const T fresh{};
  const auto* const place = reinterpret_cast<const char*>(&(fresh.*member));
  return name_at(reflect::type_of<T>(), reflect::type_of<M>(),
                 place - reinterpret_cast<const char*>(&fresh));
}

/// What a member that is related to others holds of them: one, or a list.
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

/// Cheap to copy, for all threads: `app.state(db::Records<Note>(database, {.name = "notes"}))`.
/// What gives a record gives none where there is none of that key. Names are the program's alone:
/// of tables and members; what clients send becomes values.
template <class T>
class Records {
 public:
  using Rows = Pending<detail::QueryJobOf<T, detail::All>>;
  using Row = Pending<detail::QueryJobOf<T, detail::One>>;

  /// on  a Database, or a Transaction
  ///
  /// errors  throws Failure(statement) where `table` names what T has not
  Records(const Statements& on, const Table& table)
      : on_(on),
        sql_(std::make_shared<detail::RecordSql>(table, reflect::type_of<T>(),
                                                 on_.route().pool()->dialect())) {}

  /// The same within a transaction.
  [[nodiscard]] Records in(const Statements& transaction) const {
    return Records(transaction, sql_);
  }
  /// Those alone whose `member` is `value`, for whom others must not be: others are not found,
  /// listed, counted, changed or removed, and what is inserted gets the value, whatever it says
  /// itself. An `upsert` onto another's record changes nothing, and nothing comes back.
  ///
  ///     notes->only(&Note::owner, user.id).find(id)
  template <class M, class V>
  [[nodiscard]] Records only(M T::* member, const V& value) const {
    auto sql = std::make_shared<detail::RecordSql>(*sql_);
    sql->hold_to(detail::name_of(member), make_value(value));
    return Records(on_, std::move(sql));
  }

  // What a member holds that is no column: records of another table, there once `load` was asked
  // for them by the member's name. `std::optional<std::vector<Comment>> comments` holds many, and
  // `std::optional<Author> author` one (or a Nullable).

  /// Those of `others` whose `refers` is the key of this record.
  template <class M, class C, class R>
  [[nodiscard]] Records has_many(M T::* into, const Records<C>& others, R C::* refers) const {
    check_relation<M, C, true>();
    const std::string column(others.sql_->member_of(detail::name_of(refers)).name);
    return related(
        {std::string(detail::name_of(into)), sql_->key(), "t." + column, {}, others.sql_});
  }
  /// The one of `others` whose key is this record's `refers`.
  template <class M, class C, class R>
  [[nodiscard]] Records belongs_to(M T::* into, const Records<C>& others, R T::* refers) const {
    check_relation<M, C, false>();
    const std::string column(sql_->member_of(detail::name_of(refers)).name);
    return related(
        {std::string(detail::name_of(into)), column, "t." + others.sql_->key(), {}, others.sql_});
  }
  /// Those of `others` that stand beside this record in a table of pairs.
  template <class M, class C>
  [[nodiscard]] Records many_to_many(M T::* into, const Records<C>& others,
                                     const Pairs& pairs) const {
    check_relation<M, C, true>();
    return related(detail::by_pairs(detail::name_of(into), *sql_, others.sql_, pairs));
  }
  /// Fills the members that these records are related by: one query for each member, however many
  /// records there are. What is removed but kept is left out; a list is in the order of its key.
  ///
  ///     std::vector<Note> found = co_await notes->page(*query);
  ///     co_await notes->load(found, &Note::comments, &Note::author);
  ///
  /// records  outlive the task
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
  /// values   a T, or a struct with some of its members; the database gives a key that is 0, and
  ///          what is absent
  /// returns  the record as it is stored
  template <class N>
  [[nodiscard]] Row insert(const N& values) const {
    return on_.template one<T>(sql_->insert(detail::describe(values)));
  }
  /// Inserts, or changes the one that has the same `unique` columns: "email", "org, name"; unless
  /// said the key.
  template <class N>
  [[nodiscard]] Row upsert(const N& values, std::string_view unique = {}) const {
    return row_of(sql_->upsert(detail::describe(values), unique));
  }
  /// What differs between the two, by the key and the version of the first. Nothing comes back
  /// where there is none any more, or it was changed since.
  [[nodiscard]] Row update(const T& before, const T& after) const {
    return row_of(sql_->update(detail::describe(before), detail::describe(after)));
  }
  /// What is there of a struct with some of the members: a std::optional that is empty changes
  /// nothing, the null of a Nullable is NULL.
  ///
  /// version  of the record that the changes were made for; unless said, it does not matter
  template <class K, class C>
  [[nodiscard]] Row update(const K& key, const C& changes,
                           std::optional<std::int64_t> version = std::nullopt) const {
    return row_of(sql_->update(make_value(key), detail::describe(changes), version));
  }
  /// before  a record
  /// after   with some of its members: these are as they are here, NULL where they are empty
  template <class N>
  [[nodiscard]] Row replace(const T& before, const N& after) const {
    return row_of(sql_->update(detail::describe(before), detail::describe(after)));
  }
  /// version  as that of `update`
  /// returns  Changed, with rows == 0 where there is none
  template <class K>
  [[nodiscard]] Pending<detail::ExecJob> remove(
      const K& key, std::optional<std::int64_t> version = std::nullopt) const {
    return on_.exec(sql_->remove(make_value(key), version));
  }

  /// Pre: the table has a version.
  [[nodiscard]] std::int64_t version_of(const T& record) const {
    return sql_->column_of(&record, sql_->version()).integer().value_or(0);
  }
  /// For what is built over records.
  [[nodiscard]] const detail::RecordSql& sql() const noexcept { return *sql_; }

  /// A page by its number. What is looked for, and in which order, is said by a struct that a query
  /// is read into; nothing else can be asked for:
  ///
  ///     enum class NoteOrder { title, changed_desc };
  ///     struct FindNotes {
  ///       std::optional<int> stars;                    // equal
  ///       std::optional<int> stars_min;                // also _max, _above, _below
  ///       std::optional<std::string> title_contains;   // in small letters or capitals
  ///       NoteOrder sort = NoteOrder::title;           // then by the key
  ///       PageNumber page = 1;
  ///       PageSize<100> per_page = 20;
  ///     };
  template <class Q>
  [[nodiscard]] Rows page(const Q& query) const {
    return on_.template all<T>(sql_->page(detail::describe(query)));
  }
  /// How many there are on all pages.
  template <class Q>
  [[nodiscard]] Pending<detail::QueryJobOf<std::int64_t, detail::One>> count(const Q& query) const {
    return on_.template one<std::int64_t>(sql_->count(detail::describe(query)));
  }
  /// The `per_page` records behind a place, which is a struct with the members that they are
  /// ordered by, the last of which is unique: `struct NotePlace { Time changed; std::int64_t id;
  /// }`.
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
    static_assert(Held::kIsList == kIsList && std::is_same_v<typename Held::Record, C>,
                  "eider: has_many and many_to_many fill a std::optional or a Nullable of a "
                  "std::vector of the other records, belongs_to one of one record");
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
