// What the tracker keeps and is sent, and what its API and its pages do alike.
// Must not listen: main.cc serves it, tests call it.
#pragma once

#include <eider/db/sqlite/sqlite.h>
#include <eider/eider.h>
#include <eider/forms/form_field.h>
#include <eider/journal/journal.h>
#include <eider/middleware/login_throttle.h>
#include <eider/middleware/rate_limit.h>
#include <eider/paging/paging.h>
#include <eider/passwords/passwords.h>
#include <eider/session/users.h>

namespace tracker {

using namespace eider;

enum class Role { admin, member, viewer };
enum class IssueState { open, closed };

struct User {
  std::int64_t id;
  std::string name;
  Role role;

  static constexpr bool kIsProvided = true;
};
using Writer = WithRole<User, Role::admin, Role::member>;
using Admin = WithRole<User, Role::admin>;

struct Issue {
  std::int64_t id;
  std::string title;
  std::string body;
  IssueState state;
  int priority;
  std::vector<std::string> labels;
  std::optional<std::int64_t> assignee_id;
  std::string author;
  int version;
  std::chrono::sys_seconds created;

  static constexpr bool kIsProvided = true;
};

struct Attachment {
  std::int64_t id;
  std::string name;
  std::int64_t size;
};

/// What has happened, as listeners and the webhook are told.
struct Event {
  std::int64_t id;
  std::string kind;
  std::int64_t issue_id;
  std::string by;
};

struct SignUp {
  Must<std::string, Matches<"[a-z0-9_]{2,32}", "must be 2 to 32 small letters, digits and _">> name;
  Email email;
  Length<std::string, 10, 200> password;
};

struct Credentials {
  std::string name;
  std::string password;
};

using Title = Length<std::string, 1, 200>;
using Text = Length<std::string, 0, 10000>;
using Priority = Range<int, 1, 5>;
using Labels = Must<std::vector<std::string>, Unique, HasLength<0, 10>>;
using SortKey =
    Must<std::string, OneOf<"created", "-created", "title", "-title", "priority", "-priority">>;

struct NewIssue {
  Title title;
  Text body = kEmpty;
  Priority priority = 3;
  Labels labels = kEmpty;
  std::optional<std::int64_t> assignee_id = {};

  static constexpr FieldText kForm[] = {{.member = "body", .control = Control::textarea},
                                        {.member = "assignee_id", .control = Control::hidden}};
};

/// What is absent stays.
struct ChangeIssue {
  int version;
  std::optional<Title> title = {};
  std::optional<Text> body = {};
  std::optional<IssueState> state = {};
  std::optional<Priority> priority = {};
  std::optional<Labels> labels = {};
  Nullable<std::int64_t> assignee_id = {};
};

struct Filter {
  std::optional<IssueState> state;
  std::optional<Priority> priority;
  std::optional<std::int64_t> assignee_id;
  std::string q = kEmpty;
  std::optional<SortKey> sort;
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

struct Found {
  std::vector<Issue> items;
  std::int64_t total;
};

struct Options {
  std::string database = "tracker.db";
  std::string uploads = "uploads";
  std::int64_t uploads_bytes_max = std::int64_t{1} << 30;
  std::string admin = {};
  std::string webhook = {};
  std::string webhook_secret = {};
  std::vector<std::string> origins = {};
  bool is_secure = false;

  static constexpr OptionText kOptions[] = {
      {"database", "where all but the attachments is kept", "FILE"},
      {"uploads", "where these are kept", "DIRECTORY"},
      {"uploads_bytes_max", "of all of these", "BYTES"},
      {"admin", "who has signed up, and is made an administrator while there is none", "NAME"},
      {"webhook", "is told what happens, by POST", "URL"},
      {"webhook_secret", "signs that: X-Hub-Signature-256", "TEXT"},
      {"origins", "whose pages may use the API: https://board.example", "ORIGIN"},
      {"is_secure", "cookies go over TLS alone"}};
};

struct Accounts {
  Database db;
  Passwords passwords = Passwords();
  LoginThrottle throttle = LoginThrottle();

  /// Adds the user as a member, and logs him in. 409 at /name where that is taken.
  [[nodiscard]] Task<Result<Created<User>>> sign_up(Json<SignUp> given, Session<> session) const;
  /// 401, 429
  [[nodiscard]] Task<Result<User>> log_in(Json<Credentials> given, Client client,
                                          Session<> session) const;
};

struct Store {
  Database db;
  const Journal* journal;
  std::int64_t uploads_bytes_max;

  [[nodiscard]] Task<Found> list(Filter wanted) const;
  /// 409 for an assignee that is not there
  [[nodiscard]] Task<Issue> add(NewIssue given, std::string by) const;
  /// 404; 409 as above, or where it was changed meanwhile
  [[nodiscard]] Task<Result<Issue>> change(std::int64_t id, Json<ChangeIssue> change,
                                           const Writer& by) const;
  [[nodiscard]] Task<Result<Issue>> find(std::int64_t id) const;
  /// Commits what the transaction holds, and tells who listens.
  [[nodiscard]] Task<> commit(Transaction all, std::string kind, std::int64_t issue_id,
                              std::string by) const {
    return journal->commit(std::move(all), "issue", Event{0, std::move(kind), issue_id, by});
  }
};

inline const RateLimit kSignUps{.requests = 20, .per = std::chrono::hours(1), .name = "signup"};

[[nodiscard]] Database open_database(const std::string& file, SqliteOptions options = {});
[[nodiscard]] App make_app(const Options& options, const Database& db);

/// Sessions, users by their roles, and the part of the API that is about them.
void add_accounts(App& app, Routes api, Routes pages, const Database& db, const Options& options);
void add_issues(App& app, Routes api, const Options& options);
void add_pages(App& app, Routes pages);

}  // namespace tracker
