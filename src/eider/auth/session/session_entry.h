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

/// A message to be shown once, by the next page that takes it.
///
/// kind  in the application's words: "info", "error"
struct Flash {
  std::string kind;
  std::string text;
};

namespace detail::session {

/// Whether what somebody has shown of himself is good still: see Session::log_in.
using StillGood = std::function<Task<bool>()>;

/// How an application's struct is handled where its type is not known.
struct DataType {
  const reflect::Type& type;
  void (*reset)(void* value);
  /// As JSON, of one that is as it is made.
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

/// Reads it as far as it fits: a member that the struct of today does not have, or has otherwise,
/// does not take the others away.
void read_data(const DataType& type, void* value, const std::string& text);

/// Of two that were changed from the same `base`: the members that `mine` has changed, and else
/// those of `theirs`. All are objects as JSON.
[[nodiscard]] std::string merge_data(const std::string& base, const std::string& mine,
                                     const std::string& theirs);

/// What a user of a session has shown of himself by now.
///
/// kept      as the session says
/// shown     who he is, by this request
/// recalled  nothing, for somebody else has recognised him
enum class Proof : std::uint8_t { kept, shown, recalled };

class Entry {
 public:
  /// keeper      whose it is: below a mounted app a request may have several
  /// older       the one that the request had before; null: none
  /// has_cookie  the client has sent one of that name, whatever is in it
  /// is_head     what a HEAD does not show is not shown
  /// at          when it was looked up
  struct Origin {
    const void* keeper = nullptr;
    Entry* older = nullptr;
    bool has_cookie = false;
    bool is_head = false;
    Instant at = {};
  };
  explicit Entry(Origin origin) noexcept : origin_(origin) {}

  /// It is there, as it is kept.
  void open(std::string id, SessionRecord record);
  /// A login that waits for its second step, as its own cookie has it: sealed by the application.
  void open_pending_login(std::string sealed) { pending_login_ = std::move(sealed); }
  template <class T>
  std::shared_ptr<T> attach() {
    auto value = std::make_shared<T>();
    attach(kDataType<T>, value);
    return value;
  }

  // For handlers. Those that change something throw std::logic_error behind `close`.
  void change();
  void log_in(std::string user, StillGood still_good = {});
  /// Of a user who was recognised, and has shown nothing.
  void log_in_remembered(std::string user);
  /// The same session of the same user, under another id. Throws std::invalid_argument for
  /// nobody's.
  void renew();
  void end();
  /// sealed  empty: the login does not wait any more
  void set_pending_login(std::string sealed);
  [[nodiscard]] const std::string& pending_login() const noexcept { return pending_login_; }
  void flash(Flash flash);
  [[nodiscard]] std::vector<Flash> take_flashes();
  [[nodiscard]] const std::string& user() const noexcept { return user_; }
  [[nodiscard]] const SessionRecord& record() const noexcept { return record_; }
  /// Whether its user has shown who he is, ahead of this request, so short a time ago.
  ///
  /// now  seconds since 1970
  [[nodiscard]] bool was_proven_within(Duration within, std::int64_t now) const noexcept;

  // For the keeper.
  /// The response is made: what is changed from now on would be lost.
  ///
  /// now  seconds since 1970
  void close(std::int64_t now) noexcept;
  /// The response is a failure: of what was done only an end counts.
  void forget_changes();
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const Origin& origin() const noexcept { return origin_; }
  /// What is to be kept is another session than the one that was there.
  [[nodiscard]] bool is_parted() const noexcept { return is_parted_; }
  /// The one that was there is to be no more, whatever follows.
  [[nodiscard]] bool is_ended() const noexcept { return is_ended_; }
  /// It is the same, of the same user, under another id.
  [[nodiscard]] bool is_renewed() const noexcept {
    return is_parted_ && !is_forgotten_ && !user_.empty() && user_ == record_.user;
  }
  /// To be asked once it is stored; empty: it is good.
  [[nodiscard]] const StillGood& still_good() const noexcept { return still_good_; }
  /// There is something to keep of one that is not kept by now.
  [[nodiscard]] bool has_content() const;
  [[nodiscard]] bool is_changed() const;
  /// The cookie of a pending login is to be set or removed.
  [[nodiscard]] bool is_pending_login_changed() const noexcept { return is_pending_login_changed_; }
  /// Its user has shown who he is.
  [[nodiscard]] bool is_proven() const noexcept { return proof_ == Proof::shown; }
  /// What is to be kept, its version and times as they were.
  [[nodiscard]] SessionRecord next() const;
  /// The same, of one that somebody else has changed meanwhile.
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
  bool is_forgotten_ = false;  // what was kept is not the one's that is to be
  bool is_changed_ = false;    // the struct may be
  bool has_read_flashes_ = false;
  bool is_pending_login_changed_ = false;
  std::string pending_login_;
  std::string id_;
  std::string user_;
  StillGood still_good_;
  Proof proof_ = Proof::kept;
  SessionRecord record_;
  std::vector<Flash> flashes_;
  const DataType* type_ = nullptr;  // null: nobody has asked for it
  std::shared_ptr<void> value_;
};

}  // namespace detail::session
}  // namespace eider
