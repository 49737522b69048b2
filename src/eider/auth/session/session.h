// Sessions: what an application keeps of one browser from request to request, in a struct.
// Must not be asked who somebody is: users.h says it of a session's user.
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

/// A parameter of handlers: the request's session, to be changed until the answer is made.
///
///     app.post("/cart/{id}", [](int id, Session<Visit> session) {
///       session->cart.push_back(id);
///       return Redirect("/cart");
///     });
///
/// `Session<>` is the same without a struct, and `Session<const T>` may be read alone: take it
/// where nothing is changed, where the answer is written while the handler runs, and for a
/// WebSocket.
///
/// It is read once per request, for handlers that take one. A session is there once something was
/// written; until then nothing is stored, and no cookie set. What has changed is written when the
/// handler is done, ahead of the answer's head: where that fails the answer is a 503. Of an answer
/// of 500 and above nothing is kept but that a session was ended. To change it later throws
/// std::logic_error. A guard, whose refusal would lose what it has changed, takes `Session<const
/// T>` or a UserKey.
template <class T = void>
class Session;

template <>
class Session<void> {
 public:
  explicit Session(detail::session::Entry& entry) noexcept : entry_(&entry) {}

  /// The key of the user whose it is; empty: nobody's.
  [[nodiscard]] const std::string& user() const noexcept { return entry_->user(); }
  /// Makes it that user's, once he has shown who he is. The browser gets a new id, so that one that
  /// somebody has planted opens nothing; the old one is none any more. What was kept stays, unless
  /// it was another user's. One that is the same user's by now lasts no longer by that, and where
  /// it was ended meanwhile it stays so; but its login is a fresh one (needs_fresh_login). Throws
  /// std::invalid_argument for an empty key.
  void begin_for(std::string user_key) const { entry_->begin_for(std::move(user_key)); }
  /// The same, of somebody whose proof may be none any more when the session is stored, which is
  /// behind the handler: whoever changes a password ends the sessions that there are, and would
  /// miss this one. So `still_good` is asked once it is stored, ahead of the answer's head; where
  /// it returns false or throws, no browser gets the session, and the answer is a 401 or that
  /// failure. Where it returns true there is a session, also where the same user's that was there
  /// was ended meanwhile.
  void begin_for(std::string user_key, std::function<Task<bool>()> still_good) const {
    entry_->begin_for(std::move(user_key), std::move(still_good));
  }
  /// The same of a user who was recognised and has shown nothing just now, as by a cookie of an
  /// earlier login ("remember me"): what needs a fresh login asks him for one. Nothing where it is
  /// that user's by now.
  void recall_for(std::string user_key) const { entry_->recall_for(std::move(user_key)); }
  /// Logs out: the session is no more, with all that was in it. A request that is at work with it
  /// does not bring it back. It is ended also where this one fails later, or its client leaves.
  void end() const { entry_->end(); }
  /// Leaves a message to whatever page takes it next, behind a redirect as well. Of those that wait
  /// the last 20 are kept, or as many as have 1.5 KiB.
  void flash(std::string kind, std::string text) const {
    entry_->flash({std::move(kind), std::move(text)});
  }
  /// Leaves the sentence of an error as a message of the kind "error".
  void flash(const Error& error) const { flash("error", error.sentence()); }
  /// The messages that were left, the oldest first. They are gone then, but for a HEAD.
  [[nodiscard]] std::vector<Flash> take_flashes() const { return entry_->take_flashes(); }

 protected:
  [[nodiscard]] detail::session::Entry& entry() const noexcept { return *entry_; }

 private:
  friend class Sessions;

  detail::session::Entry* entry_;
};

/// The messages of the request's session: a parameter of handlers, and of the function of use_frame
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

/// The entry with its struct, which lies beside it so that a WebSocket may keep that.
template <class T>
struct SessionOf {
  Entry* entry;
  std::shared_ptr<T> value;
};

}  // namespace detail::session

template <>
struct Extract<Session<void>> {
  static constexpr ArgumentKind kKind = ArgumentKind::slot;
  static constexpr bool kEndsWithHead = true;
  using Held = Session<void>;
  using Object = detail::session::Entry;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Held(*context.request.find<Object>());
  }
};

/// A guard may take it: nothing is removed before `take`, which a page calls.
template <>
struct Extract<Flashes> {
  static constexpr ArgumentKind kKind = ArgumentKind::slot;
  using Held = Flashes;
  using Object = detail::session::Entry;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    return Held(*context.request.find<Object>());
  }
};

template <class T>
struct Extract<Session<T>> {
  static constexpr ArgumentKind kKind = ArgumentKind::slot;
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
  static constexpr ArgumentKind kKind = ArgumentKind::slot;
  static constexpr bool kOwns = true;
  using Held = Session<const T>;
  using Object = detail::session::SessionOf<T>;
  static Result<Held> from(const Context& context, ArgumentPlace) {
    const Object& typed = *context.request.find<Object>();
    return Held(typed.entry->user(), typed.value);
  }
};

/// All sessions of an app. Cheap to copy; handlers take it as State<Sessions>.
class Sessions {
 public:
  explicit Sessions(std::shared_ptr<const detail::session::Keeper> keeper) noexcept
      : keeper_(std::move(keeper)) {}

  /// Ends all of a user's, the one that asks with them. Returns how many there were. This and what
  /// follows throw a Failure for SignedSessions.
  [[nodiscard]] Task<std::size_t> end_all(std::string user_key) const {
    return keeper_->end_all(std::move(user_key));
  }
  /// Ends all of its user's but this one, as when his password is another, and gives this one a new
  /// id. Where somebody ends it meanwhile it is ended. Throws std::invalid_argument where it is
  /// nobody's. Returns how many there were.
  [[nodiscard]] Task<std::size_t> end_others(Session<> session) const;
  /// A user's, to be shown to him: from where he is logged in.
  [[nodiscard]] Task<std::vector<KnownSession>> list(std::string user_key) const {
    return keeper_->list(std::move(user_key));
  }
  /// Ends the one of that name, if it is of `list` of that user.
  ///
  /// returns  whether it was
  [[nodiscard]] Task<bool> end(std::string user_key, std::string name) const;
  /// A new one of that user's, beside any request: the pair for the field Cookie. For tests.
  [[nodiscard]] Task<std::string> begin_for(std::string user_key) const {
    return keeper_->begin_for(std::move(user_key));
  }
  /// `csrf({.session = visits.csrf_binding()})`: a form's token belongs to its user's session, and
  /// is none for another. It knows the cookie alone, and asks no store.
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

/// Gives an app sessions, each with a T: a struct of what json::read takes, all of whose members
/// have a default. Without one they know whose they are, and keep messages.
///
///     const Sessions visits = sessions<Visit>(app, {.store = sql_sessions(database)});
///     const Sessions logins = sessions(app);
///
/// Throws a Failure for options that cannot be, and where the app has sessions already.
template <class T = void>
Sessions sessions(App& app, SessionOptions options = {}) {
  Sessions all = detail::session::add_sessions(app, std::move(options));
  if constexpr (!std::is_void_v<T>) {
    static_assert(std::is_aggregate_v<T> && std::is_copy_assignable_v<T>,
                  "a session keeps a plain struct: its members are what is remembered");
    app.provide([](Slot<detail::session::Entry> entry) {
      return detail::session::SessionOf<T>{&*entry, entry->template attach<T>()};
    });
  }
  return all;
}

}  // namespace eider
