// Which member of a request a constraint of the schema speaks of.
// Must not tell a client anything that the program did not write: no name, no value of a row.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/reflect/faults.h"
#include "eider/core/reflect/type_of.h"
#include "eider/data/db/failure.h"

namespace eider::db {

/// What is said of a member when a constraint refuses it, so that two requests at once are answered
/// as a check ahead of the statement would have answered.
class Conflict {
 public:
  /// constraint  "users_email_key"; or "users.email", of whatever is unique about that one column;
  ///             capitals (ASCII) count as small letters, as in a schema that quotes no name. A
  ///             CHECK that has no name in the schema is "users_age_check" to PostgreSQL, but its
  ///             text to SQLite; of a partitioned table PostgreSQL names the partition's constraint
  ///             and table. As are text and code it is viewed: a literal
  /// member      of the request's struct
  /// code        the same in one word, for catalogues and programs; unless said "taken" of what is
  ///             unique, else none
  template <class T, class M>
  Conflict(std::string_view constraint, M T::* member, std::string_view text,
           std::string_view code = {}) noexcept
      : constraint_(constraint),
        text_(text),
        code_(code),
        member_(std::bit_cast<Place>(member)),
        fault_(&fault_at<T, M>) {}

  [[nodiscard]] bool is_of(const Failure& failure) const noexcept;
  /// Pre: is_of(failure).
  [[nodiscard]] FieldError field_of(const Failure& failure) const;

 private:
  using Place = std::array<std::byte, sizeof(int Conflict::*)>;

  /// The pointer is found when it is needed, as statements that succeed need none.
  template <class T, class M>
  static FieldError fault_at(const Place& place, std::string_view text) {
    const T fresh{};
    Faults faults(reflect::type_of<T>().structure(), &fresh);
    faults.add(fresh.*std::bit_cast<M T::*>(place), std::string(text));
    return std::move(faults.found().front());
  }

  std::string_view constraint_;
  std::string_view text_;
  std::string_view code_;
  Place member_;
  FieldError (*fault_)(const Place& place, std::string_view text);
};

/// The failure with a 422 that names the member, by the first of `conflicts` that it is of; or as
/// it is. Its kind and its cause stay.
///
///     } catch (const db::Failure& failure) {
///       form.add(db::explain(failure, kTaken).error());
///     }
[[nodiscard]] Failure explain(const Failure& failure, std::span<const Conflict> conflicts);

}  // namespace eider::db
