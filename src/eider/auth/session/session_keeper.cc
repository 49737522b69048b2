#include "eider/auth/session/session_keeper.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha256.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sync.h"
#include "eider/protocols/http/status.h"
#include "eider/web/middleware/cookieless.h"

namespace eider::detail::session {

namespace {

constexpr int kUnprocessable = 422;
/// 192 bits, 32 characters in base64 without padding.
constexpr std::size_t kRandomBytes = 24;
constexpr std::size_t kIdBytes = 1 + base64_size(kRandomBytes);
/// First character of an id: shows without the store whether the session has a user.
constexpr char kOfUser = 'u';
constexpr char kOfNobody = 'a';
/// How often uses are recorded within the idle time.
constexpr std::int64_t kNotesPerIdle = 20;
/// Maximum number of attempts if other requests keep changing the session.
constexpr int kAttemptsMax = 10;
constexpr Duration kSweptWithin = std::chrono::seconds(30);
/// If a handler starts later than this after the lookup of its session, the session is looked up
/// again.
constexpr Duration kLookupAge = std::chrono::seconds(1);
/// Maximum size of a cookie in browsers (RFC 6265, section 6.1).
constexpr std::size_t kCookieBytesMax = 4096;
constexpr std::int64_t kPendingLoginSeconds = 900;
constexpr std::size_t kPendingLoginBytesMax = 2048;

std::int64_t now_s() {
  return Loop::current().wall_seconds();
}

std::string new_id(const SessionRecord& record) {
  return (record.user.empty() ? kOfNobody : kOfUser) + to_base64(secret_bytes(kRandomBytes));
}

Task<> nothing() {
  co_return;
}

std::int64_t whole_seconds(Duration duration, const char* of) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 1) {
    throw Failure(Error::internal(std::string("sessions: `") + of + "` must be at least 1 second"));
  }
  return seconds;
}

Failure store_failure(std::string cause) {
  return Failure(Error::unavailable("Sessions are not available at the moment. Try again later.")
                     .because("the session store: " + std::move(cause)));
}

}  // namespace

Keeper::Keeper(SessionOptions options)
    : options_(std::move(options)),
      idle_s_(whole_seconds(options_.idle, "idle")),
      absolute_s_(whole_seconds(options_.absolute, "absolute")),
      erasing_([] { return std::make_unique<Scope>(); }) {
  if (options_.cookie.empty()) {
    options_.cookie = options_.is_secure ? "__Host-session" : "session";
  }
  pending_cookie_ = options_.cookie + "-login";
  if (options_.space.empty()) {
    options_.space = options_.cookie;
  }
  if (options_.space.contains(' ')) {
    throw Failure(
        Error::internal("sessions: `space` must not contain spaces: '" + options_.space + "'"));
  }
  if (const auto* const cookies = std::get_if<SignedSessions>(&options_.store)) {
    signed_.emplace(options_.space, cookies->keys);
  } else {
    store_ = std::get<std::shared_ptr<SessionStore>>(options_.store);
    store_ = store_ == nullptr ? memory_sessions() : store_;
  }
  const SetCookie tried = {.name = options_.cookie,
                           .value = "x",
                           .same_site = options_.same_site,
                           .secure = options_.is_secure};
  if (!to_header_value(tried)) {
    throw Failure(Error::internal("sessions: The cookie name '" + options_.cookie +
                                  "' is not valid with these is_secure and same_site settings"));
  }
}

template <class F>
std::invoke_result_t<F&> Keeper::in_time(F call) const {
  try {
    auto done = co_await with_deadline(call(), options_.store_within);
    if (done) {
      if constexpr (std::is_same_v<decltype(done), bool>) {
        co_return;
      } else {
        co_return std::move(*done);
      }
    }
  } catch (const Failure& wrong) {
    // A value that the store never accepts, such as a NUL in a text of PostgreSQL, is an error of
    // the client.
    if (wrong.error().status() == kUnprocessable) {
      throw;
    }
    throw store_failure(wrong.what());
  } catch (const std::exception& wrong) {
    throw store_failure(wrong.what());
  }
  throw store_failure("no response within " + format_duration(options_.store_within));
}

SessionStore& Keeper::store() const {
  if (store_ == nullptr) {
    throw Failure(
        Error::internal("Sessions in signed cookies cannot be listed or ended by the server. Use a "
                        "session store."));
  }
  return *store_;
}

bool Keeper::lives(const SessionRecord& record, std::int64_t now) const noexcept {
  // Without this check, a time in the future (after the clock was set back) would extend the
  // session.
  return now - record.seen < idle_s_ && now - record.began < absolute_s_ &&
         std::max(record.seen, record.began) - now < idle_s_;
}

bool Keeper::is_to_be_touched(const Entry& entry, std::int64_t now) const noexcept {
  // A slow request could replace a newer cookie with its older one, so a mere use sets the cookie
  // rarely.
  const std::int64_t notes = signed_ ? 2 : kNotesPerIdle;
  return now - entry.record().seen >= std::max<std::int64_t>(idle_s_ / notes, 1);
}

void Keeper::check_size(const SessionRecord& record) const {
  const std::size_t bytes = std::max(record.data.size(), record.flashes.size());
  if (bytes > options_.data_bytes_max) {
    throw Failure(Error::internal("A session has " + std::to_string(bytes) +
                                  " bytes, but at most " + std::to_string(options_.data_bytes_max) +
                                  " are allowed"));
  }
}

std::string Keeper::name_of(std::string_view id) const {
  std::string text = options_.space + " ";
  return to_base64(to_view(sha256(text.append(id))));
}

std::string Keeper::owner_of(const std::string& user) const {
  return user.empty() ? std::string() : options_.space + " " + user;
}

Task<std::unique_ptr<SessionRecord>> Keeper::find(std::string id) const {
  const auto find = [this, &id] { return store_->find(name_of(id)); };
  std::unique_ptr<SessionRecord> found = co_await in_time(find);
  if (found != nullptr && !found->user.empty()) {
    found->user.erase(0, std::min(found->user.size(), options_.space.size() + 1));
  }
  co_return found;
}

Task<Entry> Keeper::load(Request& request) const {
  const bool is_cookieless = request.find<middleware::Cookieless>() != nullptr;
  const auto cookie = is_cookieless ? std::nullopt : app::find_cookie(request, options_.cookie);
  Entry entry(Entry::Origin{.keeper = this,
                            .older = request.find<Entry>(),
                            .has_cookie = cookie.has_value(),
                            .is_head = request.method() == Method::head,
                            .at = Loop::current().now()});
  if (!is_cookieless) {
    const std::string_view pending = app::find_cookie(request, pending_cookie_).value_or("");
    entry.open_pending_login(
        std::string(pending.size() <= kPendingLoginBytesMax ? pending : std::string_view()));
  }
  const std::int64_t now = now_s();
  if (!cookie) {
    co_return entry;
  }
  if (signed_) {
    auto opened = signed_->open(*cookie);
    if (opened && lives(opened->record, now)) {
      entry.open(std::move(opened->id), std::move(opened->record));
    }
  } else if (cookie->size() == kIdBytes) {
    std::string id(*cookie);
    const std::unique_ptr<SessionRecord> found = co_await find(id);
    if (found != nullptr && lives(*found, now)) {
      entry.open(std::move(id), std::move(*found));
    }
  }
  co_return entry;
}

Entry* Keeper::entry_of(Request& request) const noexcept {
  auto* entry = request.find<Entry>();
  while (entry != nullptr && entry->origin().keeper != this) {
    entry = entry->origin().older;
  }
  return entry;
}

/// Ends the session even if the request is aborted (the client disconnects, or a timeout expires).
/// The work is posted, because a request may be destroyed on a thread without a running loop.
class Keeper::EndedWhenLeft {
 public:
  EndedWhenLeft(const Keeper& keeper, const Entry& entry) noexcept
      : keeper_(keeper), entry_(entry), loop_(Loop::current()) {}
  EndedWhenLeft(const EndedWhenLeft&) = delete;
  EndedWhenLeft& operator=(const EndedWhenLeft&) = delete;
  ~EndedWhenLeft() {
    if (is_answered || !entry_.is_ended() || entry_.id().empty() || keeper_.signed_) {
      return;
    }
    try {
      loop_.post([keeper = keeper_.shared_from_this(), id = entry_.id()] {
        keeper->erasing_.here().start(keeper->erase(id));
      });
    } catch (const std::bad_alloc&) {
      return;  // the session expires anyway
    }
  }

  bool is_answered = false;

 private:
  const Keeper& keeper_;
  const Entry& entry_;
  Loop& loop_;
};

/// Guards and this session were looked up before the request body, which a client can send slowly.
/// Without this check, a stolen session could finish a request long after its owner has ended it.
Task<> Keeper::check_not_ended(const Request& request, const Entry& entry) const {
  const Method method = request.method();
  const bool may_write = method != Method::get && method != Method::head;
  if (store_ == nullptr || entry.user().empty() || !may_write ||
      Loop::current().now() - entry.origin().at <= kLookupAge) {
    co_return;
  }
  const std::unique_ptr<SessionRecord> found = co_await find(entry.id());
  if (found == nullptr || found->user != entry.user() || now_s() - found->began >= absolute_s_) {
    throw Failure(LoginPrompt{.cookie_name = options_.cookie}.refusal(
        request, "The session ended before the request was complete. Log in and send it again."));
  }
}

Task<Response> Keeper::respond(Request& request, Next next) const {
  Entry* const entry = entry_of(request);
  auto passing = next();
  if (entry == nullptr) {  // no handler uses this session
    co_return co_await std::move(passing);
  }
  co_await check_not_ended(request, *entry);
  // Before the handler: if the request is aborted in it, this still ends the session.
  EndedWhenLeft left(*this, *entry);
  Response response = co_await std::move(passing);
  left.is_answered = true;
  if (is_server_error(response.status())) {
    entry->forget_changes();
  }
  // After `forget_changes`: a failed login must not get the time of a login.
  entry->close(now_s());
  co_await keep(*entry, response);
  keep_pending_login(*entry, response);
  // The response depends on the session of one user, so it is private unless the handler specifies
  // otherwise.
  response.add_header("Vary", "Cookie");
  if (!response.find_header("Cache-Control")) {
    response.add_header("Cache-Control", "private");
  }
  co_return response;
}

/// Last, so that a login that could not be stored may be tried again.
void Keeper::keep_pending_login(const Entry& entry, Response& response) const {
  if (!entry.is_pending_login_changed()) {
    return;
  }
  const bool is_over = entry.pending_login().empty();
  const auto field = to_header_value({.name = pending_cookie_,
                                      .value = entry.pending_login(),
                                      .max_age_s = is_over ? 0 : kPendingLoginSeconds,
                                      .same_site = options_.same_site,
                                      .secure = options_.is_secure});
  if (!field) {
    throw Failure(Error::internal("A pending login must be a text in base64url"));
  }
  add_cookie(response, *field);
}

Task<> Keeper::keep(const Entry& entry, Response& response) const {
  if (entry.is_renewed()) {
    return renew(entry, response);
  }
  if (entry.is_parted()) {
    return part(entry, response);
  }
  if (!entry.id().empty()) {
    return change(entry, response);
  }
  return entry.is_changed() && entry.has_content() ? begin(entry, response) : nothing();
}

/// In one step, so that a session that is ended in the meantime stays ended. If it no longer
/// exists, the cookie stays unchanged: of two concurrent renewals, for example after a double
/// click, the first one has set the cookie. A login with a check starts a new session instead: a
/// password reset ends all sessions, and then logs in its browser.
Task<> Keeper::renew(const Entry& entry, Response& response) const {
  SessionRecord record = entry.next();
  std::string id = new_id(record);
  if (signed_) {
    check_size(record);
    if (entry.still_good()) {
      co_await check_still_good(entry, id);
    }
    set_signed_cookie(response, id, std::move(record));
    co_return;
  }
  if (entry.is_changed() && !entry.is_proven()) {
    // Before the renaming: if it fails, the browser still has a valid id.
    co_await replace(entry, entry.id());
  }
  const auto rename = [&] { return store_->rename(name_of(entry.id()), name_of(id)); };
  const bool was_there = co_await in_time(rename);
  if (was_there && entry.is_proven()) {
    // After the renaming: if it failed, a stolen id would have a fresh login.
    co_await replace(entry, id);
  }
  if (was_there) {
    if (entry.still_good()) {
      co_await check_still_good(entry, id);
    }
    set_cookie(response, std::move(id), record.began);
  } else if (entry.still_good()) {
    co_await begin(entry, response);
  }
}

/// If the session was ended, it is deleted first, so that no later failure keeps it. Otherwise the
/// new session is stored first: if that fails, the old one still exists.
Task<> Keeper::part(const Entry& entry, Response& response) const {
  if (entry.is_ended()) {
    co_await erase(entry.id());
  }
  if (entry.has_content()) {
    co_await begin(entry, response);
  } else if (entry.origin().has_cookie) {
    remove_cookie(response);
  }
  if (!entry.is_ended()) {
    co_await erase(entry.id());
  }
}

/// State of a deletion; it outlives its caller if that is destroyed.
struct Keeper::Erasing {
  std::string id;
  AsyncEvent is_over;
  std::exception_ptr failure;
};

Task<> Keeper::run_erase(std::shared_ptr<Erasing> erasing) const {
  const auto keeper = shared_from_this();
  const auto erase = [&] { return store_->erase(name_of(erasing->id)); };
  try {
    co_await in_time(erase);
  } catch (...) {
    erasing->failure = std::current_exception();
  }
  erasing->is_over.set();
}

Task<> Keeper::erase(std::string id) const {
  if (store_ == nullptr || id.empty()) {
    co_return;
  }
  const auto erasing = std::make_shared<Erasing>();
  erasing->id = std::move(id);
  erasing_.here().start(run_erase(erasing));
  co_await erasing->is_over.wait();
  if (erasing->failure != nullptr) {
    std::rethrow_exception(erasing->failure);
  }
}

Task<> Keeper::begin(const Entry& entry, Response& response) const {
  const std::int64_t now = now_s();
  SessionRecord record = entry.next();
  record.began = now;
  std::string value = co_await insert(std::move(record));
  if (entry.still_good()) {
    co_await check_still_good(entry, value);
  }
  set_cookie(response, std::move(value), now);
}

/// Called after the insertion: an earlier revocation is detected here, and a later one finds the
/// session and ends it. The browser does not have the cookie yet, so a leftover session grants no
/// access.
Task<> Keeper::check_still_good(const Entry& entry, std::string id) const {
  if (!co_await entry.still_good()()) {
    co_await erase(std::move(id));
    throw Failure(Error::unauthorized("Your login is no longer valid. Log in again."));
  }
}

Task<std::string> Keeper::insert(SessionRecord record) const {
  check_size(record);
  record.seen = now_s();
  record.version = 1;
  std::string id = new_id(record);
  if (signed_) {
    co_return signed_->seal(id, record);
  }
  record.user = owner_of(record.user);
  const auto insert = [&] { return store_->insert(name_of(id), std::move(record)); };
  co_await in_time(insert);
  co_return id;
}

Task<> Keeper::change(const Entry& entry, Response& response) const {
  if (!entry.is_changed()) {
    return note_use(entry, response);
  }
  if (store_ != nullptr) {
    return replace(entry, entry.id());
  }
  SessionRecord record = entry.next();
  check_size(record);
  set_signed_cookie(response, entry.id(), std::move(record));
  return nothing();
}

Task<> Keeper::note_use(const Entry& entry, Response& response) const {
  const std::int64_t now = now_s();
  if (!is_to_be_touched(entry, now)) {
    co_return;
  }
  if (store_ == nullptr) {
    set_signed_cookie(response, entry.id(), entry.record());
    co_return;
  }
  (void)co_await store_use(entry, now);
}

/// Otherwise the session could expire, and be deleted, while its client sends the body. The entry
/// gets the new time, so the use is not stored again after the handler.
Task<> Keeper::note_use_before_body(Entry& entry) const {
  const std::int64_t now = now_s();
  if (store_ == nullptr || entry.id().empty() || !is_to_be_touched(entry, now)) {
    co_return;
  }
  if (co_await store_use(entry, now)) {
    entry.note_use(now);
  }
}

/// If several requests record the same use, the first one is sufficient, and the others do not
/// fail.
Task<bool> Keeper::store_use(const Entry& entry, std::int64_t now) const {
  SessionRecord record = entry.record();
  record.seen = now;
  try {
    co_return co_await try_replace(name_of(entry.id()), std::move(record));
  } catch (const Failure&) {
    co_return false;  // what was read is valid, and the next use is recorded
  }
}

Task<bool> Keeper::try_replace(std::string name, SessionRecord record) const {
  record.user = owner_of(record.user);
  ++record.version;
  const auto replace = [&] { return store_->replace(name, std::move(record)); };
  co_return co_await in_time(replace);
}

/// If another request has changed the session, applies the changes of this one on top. A session
/// that no longer exists was ended, and is not created again.
Task<> Keeper::replace(const Entry& entry, std::string id) const {
  SessionRecord record = entry.next();
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    check_size(record);
    record.seen = now_s();
    if (co_await try_replace(name_of(id), record)) {
      co_return;
    }
    const std::unique_ptr<SessionRecord> theirs = co_await find(id);
    if (theirs == nullptr) {
      co_return;
    }
    record = entry.next_over(*theirs);
  }
  throw store_failure("other requests keep changing this session");
}

void Keeper::set_cookie(Response& response, std::string value, std::int64_t began) const {
  SetCookie cookie = {.name = options_.cookie,
                      .value = std::move(value),
                      .same_site = options_.same_site,
                      .secure = options_.is_secure};
  if (options_.outlasts_browser) {
    cookie.max_age_s = began + absolute_s_ - now_s();
  }
  const std::size_t bytes = cookie.name.size() + cookie.value.size();
  const auto field = to_header_value(cookie);
  if (!field || field->size() > kCookieBytesMax) {
    throw Failure(Error::internal(
        "A session has " + std::to_string(bytes) +
        " bytes, but a cookie has at most 4096 bytes in total. Use a session store."));
  }
  add_cookie(response, *field);
}

void Keeper::set_signed_cookie(Response& response, std::string_view id,
                               SessionRecord record) const {
  record.seen = now_s();
  set_cookie(response, signed_->seal(id, record), record.began);
}

void Keeper::remove_cookie(Response& response) const {
  add_cookie(response, *to_header_value({.name = options_.cookie,
                                         .value = "",
                                         .max_age_s = 0,
                                         .same_site = options_.same_site,
                                         .secure = options_.is_secure}));
}

void Keeper::add_cookie(Response& response, std::string_view field) const {
  response.add_header("Set-Cookie", field);
  // A shared cache would send the session of one user to others.
  response.replace_header("Cache-Control", "no-store");
}

// Outside of requests.

Task<> Keeper::start() const {
  if (store_ != nullptr) {
    co_await store_->start();
  }
}

/// The next call deletes what is left.
Task<> Keeper::sweep() const {
  if (store_ != nullptr) {
    (void)co_await with_deadline(store_->sweep(now_s() - idle_s_), kSweptWithin);
  }
}

Task<> Keeper::end(std::string name) const {
  SessionStore& all = store();
  const auto erase = [&] { return all.erase(name); };
  co_await in_time(erase);
}

/// Does nothing for an empty user: sessions without a user must not be ended together.
Task<std::size_t> Keeper::log_out_all(std::string user) const {
  SessionStore& all = store();
  const auto erase = [&] { return all.erase_of(owner_of(user), ""); };
  if (user.empty()) {
    co_return std::size_t{0};
  }
  co_return co_await in_time(erase);
}

Task<std::size_t> Keeper::log_out_others(const Entry& entry) const {
  SessionStore& all = store();
  const auto erase = [&] { return all.erase_of(owner_of(entry.user()), name_of(entry.id())); };
  co_return co_await in_time(erase);
}

Task<std::vector<KnownSession>> Keeper::list(std::string user) const {
  SessionStore& kept = store();
  const auto list = [&] { return kept.list(owner_of(user)); };
  std::vector<KnownSession> all;
  if (!user.empty()) {
    all = co_await in_time(list);
  }
  const std::int64_t now = now_s();
  std::erase_if(all, [&](const KnownSession& one) {
    return !lives({.user = {}, .began = one.began, .seen = one.seen, .data = {}, .flashes = {}},
                  now);
  });
  co_return all;
}

Task<std::string> Keeper::log_in(std::string user) const {
  SessionRecord record;
  record.user = std::move(user);
  record.began = now_s();
  record.authenticated = record.began;
  const std::string value = co_await insert(std::move(record));
  co_return options_.cookie + "=" + value;
}

std::string Keeper::csrf_binding(const Request& request) const {
  const std::string_view cookie = app::find_cookie(request, options_.cookie).value_or("");
  const std::string_view id = signed_ ? id_in_signed_cookie(cookie) : cookie;
  return id.starts_with(kOfUser) ? std::string(id) : std::string();
}

}  // namespace eider::detail::session
