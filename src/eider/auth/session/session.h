// Sessions: a struct that an application stores for one browser between requests.
// Layering: must not know users; users.h reads the user of a session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/extract.h"
#include "eider/auth/session/session_entry.h"
#include "eider/auth/session/session_keeper.h"
#include "eider/auth/session/session_store.h"

namespace eider {

/// The session of the request, as a handler parameter. It can be changed until the response is
/// complete.
///
///     app.post("/cart/{id}", [](int id, Session<Visit> session) {
///       session->cart.push_back(id);
///       return Redirect("/cart");
///     });
///
/// `Session<>` has no struct, and `Session<const T>` is read-only: use that if nothing changes, if
/// the response is written while the handler runs, and for a WebSocket.
///
/// The session is loaded once per request, for handlers with this parameter. Without a change,
/// nothing is stored and no cookie is set. Changes are stored when the handler has finished, before
/// the response headers are sent; if that fails, the response is a 503. If the response is a 500 or
/// above, changes are discarded, except the end of a session. Later changes throw std::logic_error.
/// A guard, whose rejection would discard its changes, must use `Session<const T>` or a UserKey.
template <class T = void>
class Session;

template <>
class Session<void> {
 public:
  explicit Session(detail::session::Entry& entry) noexcept : entry_(&entry) {}

  /// Returns the key of the logged-in user, or an empty string without a login.
  [[nodiscard]] const std::string& user() const noexcept { return entry_->user(); }
  /// Logs the user in after authentication. The browser gets a new session id, which prevents
  /// session fixation; the old id becomes invalid. The contents stay, unless they belonged to
  /// another user. For the same user, the session is not extended, and stays ended if it was ended
  /// in the meantime; but its login is fresh again (require_recent_login). Throws
  /// std::invalid_argument for an empty key.
  void log_in(std::string user_key) const { entry_->log_in(std::move(user_key)); }
  /// As above, for an authentication that may become invalid before the session is stored, which
  /// happens after the handler. A change of the password ends all existing sessions, but not this
  /// one. So `still_good` is called after storing, before the response headers are sent. If it
  /// returns false or throws, the browser does not get the session, and the response is a 401 or
  /// that failure. If it returns true, there is a session, even if the previous session of the same
  /// user was ended in the meantime.
  void log_in(std::string user_key, std::function<Task<bool>()> still_good) const {
    entry_->log_in(std::move(user_key), std::move(still_good));
  }
  /// As above, for a recognized user who was not authenticated now, for example with a cookie of an
  /// earlier login ("remember me"). Handlers that need a fresh login still require one. Does
  /// nothing if this user is already logged in.
  void log_in_remembered(std::string user_key) const {
    entry_->log_in_remembered(std::move(user_key));
  }
  /// Keeps a login that waits for a second step, for at most 15 minutes, in a cookie of its own:
  /// the user is not logged in meanwhile. The next log_in or log_out removes it.
  ///
  /// sealed  a text that browsers can neither read nor make, at most 2 KiB, in base64url
  void set_pending_login(std::string sealed) const { entry_->set_pending_login(std::move(sealed)); }
  /// Returns that text as the browser sent it, or an empty text.
  [[nodiscard]] const std::string& pending_login() const noexcept {
    return entry_->pending_login();
  }
  /// Logs out: deletes the session with its contents. A concurrent request does not restore it. The
  /// session is deleted even if this request fails later, or its client disconnects.
  void log_out() const { entry_->end(); }
  /// Stores a message for the next page, also after a redirect. At most 20 messages or 1.5 KiB are
  /// kept.
  void flash(std::string kind, std::string text) const {
    entry_->flash({std::move(kind), std::move(text)});
  }
  /// Stores the sentence of an error as a message of the kind "error".
  void flash(const Error& error) const { flash("error", error.sentence()); }
  /// Returns the stored messages, oldest first, and removes them (except for a HEAD).
  [[nodiscard]] std::vector<Flash> take_flashes() const { return entry_->take_flashes(); }

 protected:
  [[nodiscard]] detail::session::Entry& entry() const noexcept { return *entry_; }

 private:
  friend class Sessions;

  detail::session::Entry* entry_;
};

/// The messages of the request's session: a parameter of handlers, and of the function of add_frame
/// (views/app/framed_views.h), which shows them in a layout.
class Flashes {
 public:
  explicit Flashes(detail::session::Entry& entry) noexcept : entry_(&entry) {}

  /// Returns the messages, the oldest first, and removes them from the session, except for a HEAD.
  [[nodiscard]] std::vector<Flash> take() const { return entry_->take_flashes(); }

 private:
  detail::session::Entry* entry_;
};

template <class T>
class Session : public Session<void> {
 public:
  Session(detail::session::Entry& entry, T& value) noexcept
      : Session<void>(entry), value_(&value) {}

  T& operator*() const {
    entry().change();
    return *value_;
  }
  T* operator->() const { return &**this; }

 private:
  T* value_;
};

template <class T>
class Session<const T> {
 public:
  Session(std::string user, std::shared_ptr<const T> value) noexcept
      : user_(std::move(user)), value_(std::move(value)) {}

  [[nodiscard]] const std::string& user() const noexcept { return user_; }
  const T& operator*() const noexcept { return *value_; }
  const T* operator->() const noexcept { return value_.get(); }

 private:
  std::string user_;
  std::shared_ptr<const T> value_;
};

namespace detail::session {

/// The entry with its struct, which is separate so that a WebSocket can keep it.
template <class T>
struct SessionOf {
  Entry* entry;
  std::shared_ptr<T> value;
};

}  // namespace detail::session

template <>
struct Extract<Session<void>> {
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  static constexpr bool kEndsWithHead = true;
  using Held = Session<void>;
  using Object = detail::session::Entry;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Held(*context.request.find<Object>());
  }
};

/// Guards may use it: messages are removed only by `take`, which a page calls.
template <>
struct Extract<Flashes> {
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  using Held = Flashes;
  using Object = detail::session::Entry;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Held(*context.request.find<Object>());
  }
};

template <class T>
struct Extract<Session<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  static constexpr bool kEndsWithHead = true;
  using Held = Session<T>;
  using Object = detail::session::SessionOf<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    const Object& typed = *context.request.find<Object>();
    return Held(*typed.entry, *typed.value);
  }
};

template <class T>
struct Extract<Session<const T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::extension;
  static constexpr bool kOwnsData = true;
  using Held = Session<const T>;
  using Object = detail::session::SessionOf<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    const Object& typed = *context.request.find<Object>();
    return Held(typed.entry->user(), typed.value);
  }
};

/// The sessions of an app. Cheap to copy; handlers access it with State<Sessions>.
class Sessions {
 public:
  explicit Sessions(std::shared_ptr<const detail::session::Keeper> keeper) noexcept
      : keeper_(std::move(keeper)) {}

  /// Ends all sessions of a user, including the current one. Returns their number. This,
  /// `log_out_others`, `end_others`, `list` and `end` throw a Failure for SignedSessions.
  [[nodiscard]] Task<std::size_t> log_out_all(std::string user_key) const {
    return keeper_->log_out_all(std::move(user_key));
  }
  /// Ends all other sessions of the user, for example after a change of the password, and gives
  /// this one a new id. If this session was ended in the meantime, it stays ended. Throws
  /// std::invalid_argument if no user is logged in. Returns the number of ended sessions.
  [[nodiscard]] Task<std::size_t> log_out_others(Session<> session) const;
  /// Ends all other sessions of the user, too, but this one keeps its id: CSRF tokens in the page
  /// of this response stay valid. Throws std::invalid_argument if no user is logged in. Returns the
  /// number of ended sessions.
  [[nodiscard]] Task<std::size_t> end_others(Session<> session) const;
  /// Lists the sessions of a user, for a page that shows where the user is logged in.
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user_key) const {
    return keeper_->list(std::move(user_key));
  }
  /// Ends the session with that name, if it is in `list` of that user.
  ///
  /// returns  whether it existed
  [[nodiscard]] Task<bool> end(std::string user_key, std::string name) const;
  /// Creates a session of that user outside of a request, and returns the value for the header
  /// Cookie. For tests.
  [[nodiscard]] Task<std::string> log_in(std::string user_key) const {
    return keeper_->log_in(std::move(user_key));
  }
  /// Binds CSRF tokens to sessions: `csrf({.session = visits.csrf_binding()})`. Uses only the
  /// cookie, not the store.
  [[nodiscard]] std::function<std::string(const Request&)> csrf_binding() const {
    return [keeper = keeper_](const Request& request) { return keeper->csrf_binding(request); };
  }
  [[nodiscard]] const SessionOptions& options() const noexcept { return keeper_->options(); }

 private:
  std::shared_ptr<const detail::session::Keeper> keeper_;
};

namespace detail::session {
[[nodiscard]] Sessions add_sessions(App& app, SessionOptions options);
}

/// Adds sessions to an app, each with a T: a struct that json::read accepts, whose members all have
/// defaults. Without T, sessions only contain the user and messages.
///
///     const Sessions visits = add_sessions<Visit>(app, {.store = sql_sessions(database)});
///     const Sessions logins = add_sessions(app);
///
/// Throws a Failure for invalid options, and if the app already has sessions.
template <class T = void>
Sessions add_sessions(App& app, SessionOptions options = {}) {
  Sessions all = detail::session::add_sessions(app, std::move(options));
  if constexpr (!std::is_void_v<T>) {
    static_assert(std::is_aggregate_v<T> && std::is_copy_assignable_v<T>,
                  "a session needs a plain struct: its members are stored");
    app.provide([](Extension<detail::session::Entry> entry) {
      return detail::session::SessionOf<T>{&*entry, entry->template attach<T>()};
    });
  }
  return all;
}

}  // namespace eider
