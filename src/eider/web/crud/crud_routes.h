// The five routes of a resource whose records are rows of a table.
// Layering: must not decide authorization; guards do, and `owned_by` sets the owner of each record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/merge_patch.h"
#include "eider/app/handlers/preconditions.h"
#include "eider/app/urls.h"
#include "eider/data/db/records.h"
#include "eider/web/middleware/caching.h"
#include "eider/web/pagination/pagination.h"

namespace eider {

namespace detail::crud {

/// The owner of the records of a request, if `owned_by` was called.
template <class T>
struct OwnerOf {
  db::Value value;
};

/// The function that returns the owner of the records, as a guard.
template <class T, class F, class R, class... P>
struct OwnerGuard {
  using Learned = detail::app::Learned<typename detail::app::TaskValue<R>::type>;
  F function;

  Result<OwnerOf<T>> operator()(P... values) const {
    static_assert(
        !detail::app::TaskValue<R>::kIsTask,
        "eider: this function must not be a coroutine: take the value that a guard has provided");
    if constexpr (Learned::kMayRefuse) {
      auto owner = function(static_cast<P&&>(values)...);
      return owner ? Result<OwnerOf<T>>(OwnerOf<T>{db::make_value(*owner)})
                   : fail(std::move(owner.error()));
    } else {
      return OwnerOf<T>{db::make_value(function(static_cast<P&&>(values)...))};
    }
  }
};
template <class T, class F, class R, class C, class... P>
OwnerGuard<T, F, R, P...> owner_guard(F function, R (C::*)(P...) const) {
  return {std::move(function)};
}

/// Shared data of all routes of a resource.
template <class T>
struct Resource {
  using Records = db::Records<T>;
  using Whose = std::optional<Extension<OwnerOf<T>>>;

  Records records;
  std::function<Records(const Records&, const db::Value&)> hold_to{};
  std::vector<db::Conflict> conflicts{};
  bool needs_match = true;

  /// Returns the records that the request may access. Throws a Failure if the owner is unknown.
  [[nodiscard]] Records of(const Whose& whose) const {
    if (!hold_to) {
      return records;
    }
    if (!whose) {
      throw Failure(
          Error::internal("The owner of the records of " + records.sql().table() +
                          " is unknown: the guard of owned_by did not run for this route."));
    }
    return hold_to(records, (*whose)->value);
  }
  [[nodiscard]] std::string etag_of(const T& record) const {
    return std::to_string(records.version_of(record));
  }
  [[nodiscard]] ResponseOf<T> tagged(T record) const {
    std::string etag = etag_of(record);
    return ResponseOf<T>(std::move(record)).etag(etag);
  }
};

/// Throws a Failure if the routes would be incorrect, so that the error appears at startup.
///
/// key     member in the path
/// query   of lists
/// values  members that clients send
void check_resource(const db::detail::RecordSql& records, std::string_view key,
                    const reflect::Type& query, const reflect::Type& values);
/// Throws a Failure if `values` has this member, because clients would set it.
void check_unsettable(const reflect::Type& values, std::string_view member);
/// Returns the members of `before` that `values` also has, with `patch` applied, as JSON.
[[nodiscard]] std::string patched(const reflect::Type& record, const void* before,
                                  const reflect::Type& values, const json::Value& patch);
/// Returns "/notes/7" for the request to "/notes".
[[nodiscard]] std::string address_of(const Request& request, const std::string& key);
/// Attempts if requests change the same record concurrently.
inline constexpr int kTriesMax = 8;
[[nodiscard]] Error too_many_changes();
/// Explains a failure with `conflicts`. A value that a column cannot store is an error of the
/// member of `values` with the name of the column.
[[nodiscard]] db::Failure explained(const db::Failure& failure,
                                    std::span<const db::Conflict> conflicts,
                                    const reflect::Type& values);
/// Describes conflicts and ETags in OpenAPI documents.
[[nodiscard]] Hook described();

template <class T>
struct QueryOf {
  using Type = PageQuery<>;
};
template <class T>
  requires requires { typename T::Find; }
struct QueryOf<T> {
  using Type = typename T::Find;
};
template <class T>
struct NewOf {
  static_assert(sizeof(T) == 0,
                "eider: the members that clients may set need their own struct: CrudRoutes<Note, "
                "FindNotes, NewNote>, or `using New = NewNote;` in the record");
};
template <class T>
  requires requires { typename T::New; }
struct NewOf<T> {
  using Type = typename T::New;
};

template <class Q>
inline constexpr bool kIsKeyset = requires { typename Q::Place; };

}  // namespace detail::crud

/// Five routes for records, added by the constructor:
///
///     CrudRoutes<Note>(api, "/notes", notes);
///
/// - GET /notes: a page (pagination.h) with the filters of Q, in the order of its `sort`.
/// - POST /notes: 201 with Location, ETag and the stored record.
/// - GET /notes/{id}: with its ETag; 304 if the client has it.
/// - PATCH /notes/{id}: JSON Merge Patch; 428 without If-Match, 412 if the record was changed
///   since.
/// - DELETE /notes/{id}: 204; If-Match is checked if present.
///
/// Records that are missing, soft-deleted or of another owner are a 404; violations of the rules of
/// N, the schema or `on_conflict` are a 422 or a 409. Clients can set only the members of N: never
/// the key, the version, the deletion mark, or the owner. Responses contain T.
///
/// T     the record; its table has a version, which is the ETag
/// Q     filters of lists, as for Records::page: Note::Find, or PageQuery<>. With `using Place =
///       NotePlace;` and the members of CursorQuery, lists use keyset pagination: as
///       Records::page_after by that place, with `static constexpr db::Direction kDirection` if
///       present, and with the app's State<CursorSigner>
/// N     members that clients may set: Note::New
/// kKey  member in the path
template <class T, class Q = typename detail::crud::QueryOf<T>::Type,
          class N = typename detail::crud::NewOf<T>::Type, auto kKey = &T::id>
class CrudRoutes {
  using Resource = detail::crud::Resource<T>;
  using Whose = typename Resource::Whose;
  using Key = std::remove_cvref_t<decltype(std::declval<T>().*kKey)>;

 public:
  /// errors  throws a Failure if the table has no version, N has a member that clients must not
  ///         set, or Q has an unknown member, pages without a bound, or a sort member that is not
  ///         an enum
  CrudRoutes(Routes on, GroupPrefix prefix, db::Records<T> records)
      : group_(on.group(prefix)),
        its_(std::make_shared<Resource>(Resource{std::move(records)})),
        created_(add_list_and_create()),
        changed_(add_read_and_change()),
        removed_(add_remove()) {
    group_.use(detail::crud::described());
    detail::crud::check_resource(its_->records.sql(), db::detail::name_of(kKey),
                                 reflect::type_of<Q>(), reflect::type_of<N>());
  }

  /// Restricts each request to the records of one owner, whose `member` is the result of the
  /// function. The function has the parameters of a guard, and may reject the request.
  ///
  ///     .owned_by(&Note::owner, [](const User& user) { return user.id; })
  template <class M, class F>
  CrudRoutes& owned_by(M T::* member, F of) {
    detail::crud::check_unsettable(reflect::type_of<N>(), db::detail::name_of(member));
    its_->hold_to = [member](const db::Records<T>& records, const db::Value& value) {
      return records.only(member, value);
    };
    group_.guard(detail::crud::owner_guard<T>(std::move(of), &F::operator()));
    group_.use(cache_control({.no_cache = true, .is_private = true}));
    return *this;
  }
  /// Adds a guard to all five routes.
  template <class G>
  CrudRoutes& guard(G function, DescribeGuard describe = {}) {
    group_.guard(std::move(function), std::move(describe));
    return *this;
  }
  /// Adds a guard to the routes that change something.
  template <class G>
  CrudRoutes& guard_changes(const G& function, const DescribeGuard& describe = {}) {
    created_.guard(function, describe);
    changed_.guard(function, describe);
    removed_.guard(function, describe);
    return *this;
  }
  /// Allows changes only with a W, for example `.changed_by<WithRole<User, Role::admin>>()`.
  template <class W>
  CrudRoutes& changed_by() {
    return guard_changes([](const W& /*who*/) -> Result<void> { return {}; });
  }
  /// Maps a conflict of inserts and updates to a 422 that names the member, as
  /// Pending::on_conflict.
  template <class M>
  CrudRoutes& on_conflict(std::string_view constraint, M N::* member, std::string_view text,
                          std::string_view code = {}) {
    its_->conflicts.emplace_back(constraint, member, text, code);
    return *this;
  }
  /// Allows PATCH without If-Match: the last request wins, member by member.
  CrudRoutes& without_if_match() {
    its_->needs_match = false;
    return *this;
  }

 private:
  using Its = std::shared_ptr<const Resource>;

  /// Converts database errors to the errors that clients see.
  template <class R>
  static Task<R> told(Its its, Task<R> work) {
    try {
      co_return co_await std::move(work);
    } catch (const db::Failure& failure) {
      throw detail::crud::explained(failure, its->conflicts, reflect::type_of<N>());
    }
  }

  static Task<Page<T>> page(Its its, Q query, Pagination pagination, Whose whose) {
    const db::Records<T> records = its->of(whose);
    std::vector<T> items = co_await records.page(query);
    const std::optional<std::int64_t> total = co_await records.count(query);
    co_return pagination.page(query, std::move(items), total.value_or(0));
  }

  static Task<Result<CursorPage<T>>> page_after(Its its, Q query, Pagination pagination,
                                                Whose whose, State<CursorSigner> cursors) {
    using Place = typename Q::Place;
    auto place = cursors->open<Place>(query.after);
    if (!place) {
      co_return fail(std::move(place.error()));
    }
    db::Direction direction = db::Direction::up;
    if constexpr (requires { Q::kDirection; }) {
      direction = Q::kDirection;
    }
    const db::Records<T> records = its->of(whose);
    std::vector<T> items = co_await records.page_after(query, *place, direction);
    std::optional<PageCursor> next;
    if (!items.empty() && std::cmp_equal(items.size(), std::int64_t{query.per_page})) {
      Place last{};
      records.sql().take_place(&items.back(), reflect::type_of<Place>(), &last);
      next = cursors->seal(last);
    }
    co_return pagination.cursor_page(std::move(items), std::move(next));
  }

  static Task<ResponseOf<Created<T>>> create(Its its, Json<N> given, const Request& request,
                                             Whose whose) {
    const db::Records<T> records = its->of(whose);
    std::optional<T> made = co_await records.insert(*given);
    const std::string etag = its->etag_of(*made);
    std::string where = detail::crud::address_of(request, detail::app::path_text((*made).*kKey));
    co_return ResponseOf(Created(std::move(*made), std::move(where))).etag(etag);
  }

  /// A key that the column cannot store, such as 3,000,000,000 in an `int`, is not found.
  static Task<std::optional<T>> find(db::Records<T> records, Key id) {
    try {
      co_return co_await records.find(id);
    } catch (const db::Failure& failure) {
      if (failure.kind() != db::FailureKind::values) {
        throw;
      }
    }
    co_return std::nullopt;
  }

  static Task<Result<ResponseOf<T>>> read(Its its, Key id, Whose whose) {
    const db::Records<T> records = its->of(whose);
    std::optional<T> found = co_await find(records, std::move(id));
    co_return found ? Result<ResponseOf<T>>(its->tagged(std::move(*found)))
                    : fail(Error::not_found());
  }

  /// If another request changes the record concurrently, the new state is checked again: with
  /// If-Match, that is a 412.
  static Task<Result<ResponseOf<T>>> change(Its its, Key id, MergePatch<N> patch,
                                            Preconditions preconditions, Whose whose) {
    const db::Records<T> records = its->of(whose);
    for (int i = 0; i < detail::crud::kTriesMax; ++i) {
      const std::optional<T> before = co_await find(records, id);
      if (!before) {
        co_return fail(Error::not_found());
      }
      const std::string etag = its->etag_of(*before);
      auto holds = its->needs_match ? preconditions.require({.etag = etag})
                                    : preconditions.check({.etag = etag});
      if (!holds) {
        co_return fail(std::move(holds.error()));
      }
      auto after = json::read<N>(detail::crud::patched(reflect::type_of<T>(), &*before,
                                                       reflect::type_of<N>(), patch.changes()));
      if (!after) {
        co_return fail(std::move(after.error()));
      }
      std::optional<T> changed = co_await records.replace(*before, *after);
      if (changed) {
        co_return its->tagged(std::move(*changed));
      }
    }
    co_return fail(detail::crud::too_many_changes());
  }

  static Task<Result<void>> remove(Its its, Key id, Preconditions preconditions, Whose whose) {
    const db::Records<T> records = its->of(whose);
    for (int i = 0; i < detail::crud::kTriesMax; ++i) {
      const std::optional<T> before = co_await find(records, id);
      if (!before) {
        co_return fail(Error::not_found());
      }
      const std::string etag = its->etag_of(*before);
      if (auto holds = preconditions.check({.etag = etag}); !holds) {
        co_return fail(std::move(holds.error()));
      }
      const db::Changed removed = co_await records.remove(id, records.version_of(*before));
      if (removed.rows == 1) {
        co_return {};
      }
    }
    co_return fail(detail::crud::too_many_changes());
  }

  Route<0> add_list_and_create() {
    const Its its = its_;
    if constexpr (detail::crud::kIsKeyset<Q>) {
      group_
          .get("",
               [its](Query<Q> query, Pagination pagination, Whose whose,
                     State<CursorSigner> cursors) {
                 return told(its, page_after(its, std::move(*query), std::move(pagination), whose,
                                             cursors));
               })
          .use(conditional_requests());
    } else {
      group_
          .get("",
               [its](Query<Q> query, Pagination pagination, Whose whose) {
                 return told(its, page(its, std::move(*query), std::move(pagination), whose));
               })
          .use(conditional_requests());
    }
    return group_.post("", [its](Json<N> given, const Request& request, Whose whose) {
      return told(its, create(its, std::move(given), request, whose));
    });
  }

  Route<1> add_read_and_change() {
    const Its its = its_;
    group_
        .get("/{id}",
             [its](Key id, Whose whose) { return told(its, read(its, std::move(id), whose)); })
        .use(conditional_requests());
    return group_.patch(
        "/{id}", [its](Key id, MergePatch<N> patch, Preconditions preconditions, Whose whose) {
          return told(its, change(its, std::move(id), std::move(patch), preconditions, whose));
        });
  }

  Route<1> add_remove() {
    const Its its = its_;
    return group_.del("/{id}", [its](Key id, Preconditions preconditions, Whose whose) {
      return told(its, remove(its, std::move(id), preconditions, whose));
    });
  }

  Routes group_;
  std::shared_ptr<Resource> its_;
  Route<0> created_;
  Route<1> changed_;
  Route<1> removed_;
};

}  // namespace eider
