// Creates valid records for tests, and inserts them into a database.
// Layering: must not choose the database; records decide that.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/core/kinds/rules.h"
#include "eider/core/kinds/times.h"
#include "eider/core/kinds/uuid.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/type_of.h"
#include "eider/data/db/records.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/url.h"

namespace eider::detail::testkit {

// Each function changes a text so that it satisfies a rule. Rules without a function here, such as
// Matches, need a value from the test.

inline void fit(std::string& /*text*/, std::int64_t /*number*/, const void* /*rule*/) {}

/// Keeps the digits at the end, which make the text unique.
template <std::size_t Min, std::size_t Max>
void fit(std::string& text, std::int64_t number, const HasLength<Min, Max>* /*rule*/) {
  text = text.size() > Max ? std::to_string(number) : text;
  text = text.size() > Max ? text.substr(text.size() - Max) : text;
  text.insert(0, text.size() < Min ? Min - text.size() : 0, 'x');
}
inline void fit(std::string& text, std::int64_t number, const IsEmail* /*rule*/) {
  text = "user" + std::to_string(number) + "@example.org";
}
inline void fit(std::string& text, std::int64_t number, const IsUrl* /*rule*/) {
  text = "https://example.org/" + std::to_string(number);
}
template <FixedString First, FixedString... Others>
void fit(std::string& text, std::int64_t /*number*/, const OneOf<First, Others...>* /*rule*/) {
  text = First.view();
}

template <class T>
void fit_number(T& /*value*/, const void* /*rule*/) {}
template <class T, T Min, T Max>
void fit_number(T& value, const InRange<T, Min, Max>* /*rule*/) {
  value = std::clamp(value, Min, Max);
}

// Each function sets a member that has no value yet. An optional member, and one with a default,
// stays.

template <class T>
void fill(T& value, std::string_view name, std::int64_t number) {
  if constexpr (std::is_same_v<T, std::string>) {
    value = value.empty() ? std::string(name) + " " + std::to_string(number) : value;
  } else if constexpr (std::is_same_v<T, std::chrono::year_month_day>) {
    value = value.ok() ? value : std::chrono::year_month_day(std::chrono::sys_days());
  } else if constexpr (std::is_same_v<T, Uuid>) {
    if (value == Uuid()) {
      std::string text = std::to_string(number);
      text.insert(0, 12 - std::min<std::size_t>(text.size(), 12), '0');
      value = Uuid::parse("00000000-0000-4000-8000-" + text).value_or(Uuid());
    }
  }
}

template <class T, class... Rules>
void fill(Validated<T, Rules...>& value, std::string_view name, std::int64_t number) {
  const auto satisfies = [](const T& checked) { return (Rules::check(checked) && ...); };
  if constexpr (std::is_same_v<T, std::string>) {
    if (!(*value).empty()) {
      return;
    }
    std::string text = std::string(name) + " " + std::to_string(number);
    (fit(text, number, static_cast<const Rules*>(nullptr)), ...);
    if (satisfies(text)) {
      value = std::move(text);
    }
  } else if constexpr (std::is_arithmetic_v<T>) {
    T changed = *value;
    (fit_number<T>(changed, static_cast<const Rules*>(nullptr)), ...);
    if (satisfies(changed)) {
      value = changed;
    }
  }
}

/// Throws std::invalid_argument, with the name of the member.
template <class T>
void check(const T& /*value*/, std::string_view /*name*/) {}
template <class T, class... Rules>
void check(const Validated<T, Rules...>& value, std::string_view name) {
  if constexpr (!reflect::detail::Constrained<T>) {
    if (!(Rules::check(*value) && ...)) {
      throw std::invalid_argument("eider: a factory has no valid value for the member " +
                                  std::string(name) + ": set one in the defaults of the factory");
    }
  }
}

}  // namespace eider::detail::testkit

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
