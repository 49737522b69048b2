// The session of one request: its stored state and its changes.
// Layering: must not wait or know stores and cookies; session_keeper.h does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/auth/session/session_store.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/type_of.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// A message that is shown once, by the next page that reads it.
///
/// kind  in the application's words: "info", "error"
struct Flash {
  std::string kind;
  std::string text;
};

namespace detail::session {

/// Returns whether the authentication is still valid: see Session::log_in.
using StillGood = std::function<Task<bool>()>;

/// Type-erased operations on an application's struct.
struct DataType {
  const reflect::Type& type;
  void (*reset)(void* value);
  /// Returns a default-constructed value as JSON.
  const std::string& (*initial)();
};

template <class T>
const std::string& initial_text() {
  static const std::string text = json::to_text(T{});
  return text;
}

template <class T>
inline constexpr DataType kDataType{
    reflect::type_of<T>(), [](void* value) { *static_cast<T*>(value) = T{}; }, &initial_text<T>};

/// Reads as many members as fit: a member that the struct no longer has, or that now has another
/// type, does not affect the others.
void read_data(const DataType& type, void* value, const std::string& text);

/// Merges two changed versions of `base`: members that `mine` has changed are from `mine`, others
/// from `theirs`. All are JSON objects.
[[nodiscard]] std::string merge_data(const std::string& base, const std::string& mine,
                                     const std::string& theirs);

/// How the user of a session was authenticated.
///
/// kept      unchanged by this request
/// shown     authenticated by this request
/// recalled  recognized without authentication ("remember me")
enum class Proof : std::uint8_t { kept, shown, recalled };

class Entry {
 public:
  /// keeper      owner: with mounted apps, a request may have several
  /// older       previous entry of the request; null: none
  /// has_cookie  the client sent a cookie of that name, valid or not
  /// is_head     messages are not removed by a HEAD, because it does not show them
  /// at          time of the lookup
  struct Origin {
    const void* keeper = nullptr;
    Entry* older = nullptr;
    bool has_cookie = false;
    bool is_head = false;
    Instant at = {};
  };
  explicit Entry(Origin origin) noexcept : origin_(origin) {}

  /// Sets the stored state of an existing session.
  void open(std::string id, SessionRecord record);
  /// Sets a login that waits for its second step, from its own cookie; sealed by the application.
  void open_pending_login(std::string sealed) { pending_login_ = std::move(sealed); }
  template <class T>
  std::shared_ptr<T> attach() {
    auto value = std::make_shared<T>();
    attach(kDataType<T>, value);
    return value;
  }

  // For handlers. Functions that change something throw std::logic_error after `close`.
  void change();
  void log_in(std::string user, StillGood still_good = {});
  /// Logs in a user who was recognized without authentication.
  void log_in_remembered(std::string user);
  /// Gives the session of the same user a new id. Throws std::invalid_argument without a user.
  void renew();
  void end();
  /// sealed  empty: removes the pending login
  void set_pending_login(std::string sealed);
  [[nodiscard]] const std::string& pending_login() const noexcept { return pending_login_; }
  void flash(Flash flash);
  [[nodiscard]] std::vector<Flash> take_flashes();
  [[nodiscard]] const std::string& user() const noexcept { return user_; }
  [[nodiscard]] const SessionRecord& record() const noexcept { return record_; }
  /// Returns whether the user authenticated within this time, before this request.
  ///
  /// now  seconds since 1970
  [[nodiscard]] bool was_proven_within(Duration within, std::int64_t now) const noexcept;

  // For the keeper.
  /// The store has the record with this time of use.
  void note_use(std::int64_t now) noexcept {
    record_.seen = now;
    ++record_.version;
  }
  // The response is complete: later changes would be lost.
  ///
  /// now  seconds since 1970
  void close(std::int64_t now) noexcept;
  /// The response is an error: discards all changes except the end of the session.
  void forget_changes();
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const Origin& origin() const noexcept { return origin_; }
  /// Returns whether the session to store is not the one that was loaded.
  [[nodiscard]] bool is_parted() const noexcept { return is_parted_; }
  /// Returns whether the loaded session must be deleted in any case.
  [[nodiscard]] bool is_ended() const noexcept { return is_ended_; }
  /// Returns whether it is the session of the same user with a new id.
  [[nodiscard]] bool is_renewed() const noexcept {
    return is_parted_ && !is_forgotten_ && !user_.empty() && user_ == record_.user;
  }
  /// Returns the check to call after storing; empty: no check.
  [[nodiscard]] const StillGood& still_good() const noexcept { return still_good_; }
  /// Returns whether a session that is not stored yet needs to be stored.
  [[nodiscard]] bool has_content() const;
  [[nodiscard]] bool is_changed() const;
  /// Returns whether the cookie of a pending login must be set or removed.
  [[nodiscard]] bool is_pending_login_changed() const noexcept { return is_pending_login_changed_; }
  /// Returns whether the user was authenticated by this request.
  [[nodiscard]] bool is_proven() const noexcept { return proof_ == Proof::shown; }
  /// Returns the record to store, with the loaded version and times.
  [[nodiscard]] SessionRecord next() const;
  /// Returns the same on top of a version that another request stored in the meantime.
  [[nodiscard]] SessionRecord next_over(const SessionRecord& theirs) const;

 private:
  void attach(const DataType& type, std::shared_ptr<void> value);
  void check_open() const;
  void part_for(std::string user, Proof proof);
  void forget();
  void read_flashes();
  [[nodiscard]] std::string data() const;
  [[nodiscard]] std::string flashes() const;

  Origin origin_;
  bool is_closed_ = false;
  bool is_parted_ = false;
  bool is_ended_ = false;
  bool is_forgotten_ = false;  // the stored data belongs to another user
  bool is_changed_ = false;    // whether the struct may have changed
  bool has_read_flashes_ = false;
  bool is_pending_login_changed_ = false;
  std::string pending_login_;
  std::string id_;
  std::string user_;
  StillGood still_good_;
  Proof proof_ = Proof::kept;
  SessionRecord record_;
  std::vector<Flash> flashes_;
  const DataType* type_ = nullptr;  // null: no handler uses it
  std::shared_ptr<void> value_;
};

}  // namespace detail::session
}  // namespace eider
