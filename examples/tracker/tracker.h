// The data of the tracker: in the database, in requests and on pages.
// Layering: must not listen; main.cc serves the app, tests call it.
#pragma once

#include <eider/eider.h>
#include <eider/eventlog.h>
#include <eider/jobs.h>
#include <eider/pages.h>
#include <eider/passwords.h>
#include <eider/sqlite.h>

namespace tracker {

using namespace eider;

enum class Role { admin, member, viewer };
enum class IssueState { open, closed };

struct User {
  std::int64_t id;
  std::string name;
  Role role;

  static constexpr bool kIsInjectable = true;
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

  static constexpr bool kIsInjectable = true;
};

struct Attachment {
  std::int64_t id;
  std::string name;
  std::int64_t size;
};

/// An event for listeners and the webhook.
struct Event {
  std::int64_t id;
  std::string kind;
  std::int64_t issue_id;
  std::string by;
};

struct SignUp {
  Validated<std::string,
            Matches<"[a-z0-9_]{2,32}", "must have 2 to 32 lowercase letters, digits and _">>
      name;
  Email email;
  Sized<std::string, 10, 200> password;
};

struct Credentials {
  std::string name;
  std::string password;
};

struct NewRole {
  Role role;
};

using Title = Sized<std::string, 1, 200>;
using Text = Sized<std::string, 0, 10000>;
using Priority = Bounded<int, 1, 5>;
using Labels = Validated<std::vector<std::string>, Unique, HasLength<0, 10>>;
using SortKey = Validated<std::string,
                          OneOf<"created", "-created", "title", "-title", "priority", "-priority">>;

struct NewIssue {
  Title title;
  Text body = kOptional;
  Priority priority = 3;
  Labels labels = kOptional;
  std::optional<std::int64_t> assignee_id = {};

  static constexpr FieldText kFormFields[] = {
      {.member = "body", .control = Control::textarea},
      {.member = "assignee_id", .control = Control::hidden}};
};

/// Absent members stay unchanged.
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
  std::string q = kOptional;
  std::optional<SortKey> sort;
  PageNumber page = 1;
  PageSize<100> per_page = 20;
};

struct EditForm {
  int version;
  Title title;
  Text body = kOptional;
  Priority priority = 3;
  IssueState state;

  static constexpr FieldText kFormFields[] = {{.member = "version", .control = Control::hidden},
                                              {.member = "body", .control = Control::textarea}};
};

/// Data of the layout; created by `frame` in accounts.cc.
///
/// user  empty before the login
struct Frame {
  std::optional<std::string> user;
  FormView logout;
  std::vector<Flash> messages;
};
using Pages = FramedViews<Frame>;

/// issue  that the form belongs to
struct FormPage {
  std::string title;
  FormView form;
  std::optional<Issue> issue = {};
};

struct ListPage {
  std::vector<Issue> issues;
  PageLinks pages;
  Filter wanted;
};

struct Options {
  std::string database = "tracker.db";
  std::string uploads = "uploads";
  std::int64_t uploads_bytes_max = std::int64_t{1} << 30;
  std::string admin = {};
  std::string webhook = {};
  Secret webhook_secret = {};
  std::vector<std::string> origins = {};
  bool is_secure = false;

  static constexpr OptionText kOptions[] = {
      {"database", "SQLite file with all data except attachments", "FILE"},
      {"uploads", "Directory for attachments", "DIRECTORY"},
      {"uploads_bytes_max", "Maximum total size of the attachments", "BYTES"},
      {"admin", "User that becomes the first administrator", "NAME"},
      {"webhook", "URL that receives events with POST", "URL"},
      {"webhook_secret", "Key for the header Webhook-Signature"},
      {"origins", "Origin that may use the API, such as https://board.example; can be repeated",
       "ORIGIN"},
      {"is_secure", "Send cookies over TLS only"}};
};

[[nodiscard]] Database open_database(const std::string& file, SqliteOptions options = {});
[[nodiscard]] App make_app(const Options& options, const Database& db, PasswordOptions hash = {});

/// Adds sessions, users with their roles, login and logout.
void add_account_routes(App& app, Routes api, Routes pages, const Options& options,
                        const Database& db, PasswordOptions hash);
/// Returns the log of the events.
EIDER_NO_DANGLING EventLog& add_issues(App& app, Routes api, Routes pages, const Options& options,
                                       const Database& db);
void add_admin_pages(App& app, const Database& db, const EventLog& log);

}  // namespace tracker
