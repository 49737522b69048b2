// Creates valid records for tests, and inserts them into a database.
// Layering: must not choose the database; records decide that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/records.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/factory_values.h"

namespace eider {

namespace detail::testkit {

/// The struct of a new row: `T::New` if it exists, as in generated structs and CRUD routes.
template <class T>
struct NewRowOf {
  using Type = T;
};
template <class T>
  requires requires { typename T::New; }
struct NewRowOf<T> {
  using Type = typename T::New;
};

}  // namespace detail::testkit

/// Creates records of one table for tests. Each record has a number, from 1, that makes its values
/// unique:
///
///     Factory<Author> authors(db::Records<Author>(database, kAuthorTable));
///     Factory<Book> books(db::Records<Book>(database, kBookTable),
///                         [](NewBook& book, std::int64_t number) { book.stars = number % 6; });
///     books.belongs_to(&NewBook::author_id, authors, &Author::id);
///     Book book = client.run(books.insert([](NewBook& book) { book.title = "Emma"; }));
///
/// A member that neither the defaults nor the change set is filled: text with its name and number
/// ("title 1"), a number within its range, a date, a UUID. Optional members stay empty. A copy
/// continues with the same numbers.
///
/// T  a record
/// N  the values of a new row. Default: `T::New`, otherwise T
template <class T, class N = typename detail::testkit::NewRowOf<T>::Type>
class Factory {
 public:
  using Defaults = std::function<void(N& values, std::int64_t number)>;
  using Change = std::function<void(N& values)>;

  explicit Factory(db::Records<T> records, Defaults defaults = {})
      : state_(std::make_shared<State>(std::move(records), std::move(defaults))) {}

  /// Inserts a record of `parents`, and sets `member` to its `key`, for each record whose `member`
  /// is not set: it is 0, empty, or an empty std::optional.
  template <class M, class P, class Q, class K>
  Factory& belongs_to(M N::* member, const Factory<P, Q>& parents, K P::* key) {
    state_->relations.push_back([member, parents, key](N& values) -> Task<> {
      if (values.*member == M{}) {
        const P parent = co_await parents.insert();
        values.*member = parent.*key;
      }
    });
    return *this;
  }

  /// Returns valid values without a database; members of `belongs_to` are not set. Throws
  /// std::invalid_argument if a member has rules that need a value from the test.
  [[nodiscard]] N build(const Change& change = {}) const {
    N values = begin(change);
    finish(values);
    return values;
  }

  /// Inserts a record, and first the records that it belongs to. Throws as `build`, and
  /// db::Failure.
  ///
  /// returns  the record as it is stored
  [[nodiscard]] Task<T> insert(Change change = {}) const {
    return insert_into(state_, *this, std::move(change));
  }

  /// Inserts several records, one after the other.
  [[nodiscard]] Task<std::vector<T>> insert_all(std::size_t count, Change change = {}) const {
    return insert_many(*this, count, std::move(change));
  }

 private:
  struct State {
    State(db::Records<T> into, Defaults with)
        : records(std::move(into)), defaults(std::move(with)) {}

    db::Records<T> records;
    Defaults defaults;
    std::vector<std::function<Task<>(N&)>> relations{};
    std::int64_t number = 0;
  };

  [[nodiscard]] N begin(const Change& change) const {
    N values{};
    ++state_->number;
    if (state_->defaults) {
      state_->defaults(values, state_->number);
    }
    if (change) {
      change(values);
    }
    return values;
  }
  void finish(N& values) const {
    reflect::for_each_member(values, [this](std::string_view name, auto& value) {
      detail::testkit::fill(value, name, state_->number);
      detail::testkit::check(value, name);
    });
  }

  // The tasks own what they use, so that they may outlive the factory.
  static Task<T> insert_into(std::shared_ptr<State> state, Factory self, Change change) {
    N values = self.begin(change);
    self.finish(values);
    for (const auto& relation : state->relations) {
      co_await relation(values);
    }
    std::optional<T> stored = co_await state->records.insert(values);
    co_return std::move(*stored);
  }
  static Task<std::vector<T>> insert_many(Factory self, std::size_t count, Change change) {
    std::vector<T> all;
    for (std::size_t i = 0; i < count; ++i) {
      all.push_back(co_await self.insert(change));
    }
    co_return all;
  }

  std::shared_ptr<State> state_;
};

}  // namespace eider
