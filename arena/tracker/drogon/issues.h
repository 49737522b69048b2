// Issues: found, added and changed, for the API and the pages.
// Must not show anything.
#pragma once

#include "accounts.h"

namespace tracker {

struct Issue {
  std::int64_t id = 0;
  std::string title;
  std::string body;
  std::string state;
  std::int64_t priority = 3;
  Json::Value labels;
  std::optional<std::int64_t> assignee_id;
  std::string author;
  std::int64_t version = 1;
  std::string created;
};

struct NewIssue {
  std::string title;
  std::string body;
  std::int64_t priority = 3;
  std::vector<std::string> labels;
  std::optional<std::int64_t> assignee_id;
};

/// What is absent stays; an assignee may be taken away, too.
struct ChangeIssue {
  std::int64_t version = 0;
  std::optional<std::string> title;
  std::optional<std::string> body;
  std::optional<std::string> state;
  std::optional<std::int64_t> priority;
  std::optional<std::vector<std::string>> labels;
  std::optional<std::int64_t> assignee_id;
  bool has_no_assignee = false;
};

struct Filter {
  std::optional<std::string> state;
  std::optional<std::int64_t> priority;
  std::optional<std::int64_t> assignee_id;
  std::string q;
  std::string sort;
  std::int64_t page = 1;
  std::int64_t per_page = 20;
};

struct Found {
  std::vector<Issue> items;
  std::int64_t total = 0;
  std::int64_t pages = 1;
};

NewIssue read_new_issue(const Json::Value& object);
ChangeIssue read_change(const Json::Value& object);
Filter read_filter(const HttpRequestPtr& request);

Task<Found> find_issues(Filter wanted);
/// 404
Task<Issue> find_issue(std::int64_t id);
/// 409 for an assignee that is not there
Task<Issue> add_issue(NewIssue given, std::string by);
/// 404; 409 as above, or where it was changed meanwhile
Task<Issue> change_issue(std::int64_t id, ChangeIssue change, std::string by);

class Issues : public drogon::HttpController<Issues> {
 public:
  METHOD_LIST_BEGIN
  ADD_METHOD_TO(Issues::list, "/api/issues", drogon::Get, "tracker::LoggedIn");
  ADD_METHOD_TO(Issues::create, "/api/issues", drogon::Post, "tracker::LoggedIn",
                "tracker::Writer");
  ADD_METHOD_TO(Issues::show, "/api/issues/{id}", drogon::Get, "tracker::LoggedIn");
  ADD_METHOD_TO(Issues::change, "/api/issues/{id}", drogon::Patch, "tracker::LoggedIn",
                "tracker::Writer");
  ADD_METHOD_TO(Issues::remove, "/api/issues/{id}", drogon::Delete, "tracker::LoggedIn",
                "tracker::Admin");
  METHOD_LIST_END

  Task<HttpResponsePtr> list(HttpRequestPtr request);
  Task<HttpResponsePtr> create(HttpRequestPtr request);
  Task<HttpResponsePtr> show(HttpRequestPtr request, std::int64_t id);
  Task<HttpResponsePtr> change(HttpRequestPtr request, std::int64_t id);
  Task<HttpResponsePtr> remove(HttpRequestPtr request, std::int64_t id);
};

}  // namespace tracker
