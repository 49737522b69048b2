// Maps a constraint of the schema to a member of the request.
// Layering: must not show names or values of rows to a client.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/reflect/type_of.h"
#include "eider/core/reflect/validation_errors.h"
#include "eider/data/db/failure.h"

namespace eider::db {

/// The error of a member when a constraint is violated, so that concurrent requests get the same
/// response as from a check before the statement.
class Conflict {
 public:
  /// constraint  "users_email_key"; or "users.email", for any unique constraint of that column;
  ///             ASCII case is ignored, as in a schema without quoted names. An unnamed CHECK is
  ///             "users_age_check" in PostgreSQL, but its text in SQLite; for a partitioned table,
  ///             PostgreSQL reports the constraint and table of the partition. Stored as a view,
  ///             like text and code: use literals
  /// member      of the request's struct
  /// code        stable code for catalogs and programs. Default: "taken" for unique constraints,
  ///             otherwise none
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

  /// Finds the member only when it is needed: successful statements do not need it.
  template <class T, class M>
  static FieldError fault_at(const Place& place, std::string_view text) {
    const T fresh{};
    ValidationErrors faults(reflect::type_of<T>().structure(), &fresh);
    faults.add(fresh.*std::bit_cast<M T::*>(place), std::string(text));
    return std::move(faults.found().front());
  }

  std::string_view constraint_;
  std::string_view text_;
  std::string_view code_;
  Place member_;
  FieldError (*fault_)(const Place& place, std::string_view text);
};

/// Returns the failure with a 422 that names a member, if one of `conflicts` matches (the first
/// one); otherwise unchanged. Kind and cause are kept.
///
///     } catch (const db::Failure& failure) {
///       form.add(db::explain(failure, kTaken).error());
///     }
[[nodiscard]] Failure explain(const Failure& failure, std::span<const Conflict> conflicts);

}  // namespace eider::db
