#include "issues.h"

#include <algorithm>

#include "live.h"

namespace tracker {

namespace {

using drogon::orm::DrogonDbException;
using drogon::orm::Row;
using drogon::orm::TransactionType;

constexpr std::int64_t kAnyMax = std::int64_t{1} << 53;

Json::Value parsed(const std::string& text) {
  Json::Value value;
  Json::Reader().parse(text, value);
  return value;
}

std::string written(const std::vector<std::string>& labels) {
  Json::Value list(Json::arrayValue);
  for (const std::string& label : labels) {
    list.append(label);
  }
  return Json::FastWriter().write(list);
}

Issue to_issue(const Row& row) {
  Issue issue;
  issue.id = row["id"].as<std::int64_t>();
  issue.title = row["title"].as<std::string>();
  issue.body = row["body"].as<std::string>();
  issue.state = row["state"].as<std::string>();
  issue.priority = row["priority"].as<std::int64_t>();
  issue.labels = parsed(row["labels"].as<std::string>());
  if (!row["assignee_id"].isNull()) {
    issue.assignee_id = row["assignee_id"].as<std::int64_t>();
  }
  issue.author = row["author"].as<std::string>();
  issue.version = row["version"].as<std::int64_t>();
  issue.created = row["created"].as<std::string>();
  return issue;
}

Json::Value to_json(const Issue& issue) {
  Json::Value object;
  object["id"] = issue.id;
  object["title"] = issue.title;
  object["body"] = issue.body;
  object["state"] = issue.state;
  object["priority"] = issue.priority;
  object["labels"] = issue.labels;
  object["assignee_id"] = issue.assignee_id ? Json::Value(*issue.assignee_id) : Json::Value();
  object["author"] = issue.author;
  object["version"] = issue.version;
  object["created"] = issue.created;
  return object;
}

/// One of these alone goes into the statement as it is.
std::string order_of(const std::string& sort) {
  static const std::map<std::string, std::string> kOrders{{"created", "id"},
                                                          {"-created", "id desc"},
                                                          {"title", "title, id"},
                                                          {"-title", "title desc, id"},
                                                          {"priority", "priority, id"},
                                                          {"-priority", "priority desc, id"}};
  return kOrders.at(sort);
}

[[noreturn]] void refuse_assignee(const DrogonDbException& exception) {
  const std::string text = exception.base().what();
  if (text.find("FOREIGN KEY") != text.npos) {
    throw Refusal(drogon::k409Conflict, "There is no such assignee.");
  }
  throw std::runtime_error(text);
}

}  // namespace

NewIssue read_new_issue(const Json::Value& object) {
  Members members(object);
  NewIssue given;
  given.title = members.required("title", members.text("title", 1, 200));
  given.body = members.text("body", 0, 10'000).value_or("");
  given.priority = members.number("priority", 1, 5).value_or(3);
  given.labels = members.labels("labels").value_or(std::vector<std::string>());
  given.assignee_id = members.number("assignee_id", 1, kAnyMax);
  members.finish();
  return given;
}

ChangeIssue read_change(const Json::Value& object) {
  Members members(object);
  ChangeIssue change;
  change.version = members.required("version", members.number("version", 1, kAnyMax));
  change.title = members.text("title", 1, 200);
  change.body = members.text("body", 0, 10'000);
  change.state = members.one_of("state", {"open", "closed"});
  change.priority = members.number("priority", 1, 5);
  change.labels = members.labels("labels");
  change.assignee_id = members.number("assignee_id", 1, kAnyMax);
  change.has_no_assignee = members.is_null("assignee_id");
  members.finish();
  return change;
}

Filter read_filter(const HttpRequestPtr& request) {
  const Json::Value query =
      object_of(request->parameters(), {"priority", "assignee_id", "page", "per_page"});
  Members members(query);
  Filter wanted;
  wanted.state = members.one_of("state", {"open", "closed"});
  wanted.priority = members.number("priority", 1, 5);
  wanted.assignee_id = members.number("assignee_id", 1, kAnyMax);
  wanted.q = members.text("q", 0, 1000).value_or("");
  wanted.sort =
      members.one_of("sort", {"created", "-created", "title", "-title", "priority", "-priority"})
          .value_or("-created");
  wanted.page = members.number("page", 1, 1'000'000).value_or(1);
  wanted.per_page = members.number("per_page", 1, 100).value_or(20);
  members.finish();
  return wanted;
}

Task<Found> find_issues(Filter wanted) {
  static const std::string kWhere =
      " from issues where (?1 is null or state = ?1) and (?2 is null or priority = ?2) and "
      "(?3 is null or assignee_id = ?3) and "
      "instr(lower(title || char(10) || body), lower(?4)) > 0";
  const DbClientPtr db = drogon::app().getDbClient();
  Found found;
  const auto count = co_await db->execSqlCoro("select count(*)" + kWhere, wanted.state,
                                              wanted.priority, wanted.assignee_id, wanted.q);
  found.total = count[0][0].as<std::int64_t>();
  found.pages = std::max<std::int64_t>(1, (found.total + wanted.per_page - 1) / wanted.per_page);
  const auto rows = co_await db->execSqlCoro(
      "select *" + kWhere + " order by " + order_of(wanted.sort) + " limit ?5 offset ?6",
      wanted.state, wanted.priority, wanted.assignee_id, wanted.q, wanted.per_page,
      (wanted.page - 1) * wanted.per_page);
  for (const Row& row : rows) {
    found.items.push_back(to_issue(row));
  }
  co_return found;
}

Task<Issue> find_issue(std::int64_t id) {
  const auto rows =
      co_await drogon::app().getDbClient()->execSqlCoro("select * from issues where id = ?", id);
  if (rows.empty()) {
    throw Refusal(drogon::k404NotFound, "There is no such issue.");
  }
  co_return to_issue(rows[0]);
}

Task<Issue> add_issue(NewIssue given, std::string by) {
  auto all = co_await drogon::app().getDbClient()->newTransactionCoro(TransactionType::Immediate);
  Issue issue;
  try {
    const auto rows = co_await all->execSqlCoro(
        "insert into issues(title, body, priority, labels, assignee_id, author) "
        "values(?, ?, ?, ?, ?, ?) returning *",
        given.title, given.body, given.priority, written(given.labels), given.assignee_id, by);
    issue = to_issue(rows[0]);
  } catch (const DrogonDbException& exception) {
    refuse_assignee(exception);
  }
  co_await commit_with(std::move(all), "created", issue.id, by);
  co_return issue;
}

Task<Issue> change_issue(std::int64_t id, ChangeIssue change, std::string by) {
  auto all = co_await drogon::app().getDbClient()->newTransactionCoro(TransactionType::Immediate);
  const bool is_absent = !change.assignee_id && !change.has_no_assignee;
  const auto labels =
      change.labels ? std::optional(written(*change.labels)) : std::optional<std::string>();
  std::optional<Issue> issue;
  try {
    const auto rows = co_await all->execSqlCoro(
        "update issues set version = version + 1, title = coalesce(?, title), "
        "body = coalesce(?, body), state = coalesce(?, state), priority = coalesce(?, priority), "
        "labels = coalesce(?, labels), assignee_id = iif(?, assignee_id, ?) "
        "where id = ? and version = ? returning *",
        change.title, change.body, change.state, change.priority, labels, is_absent ? 1 : 0,
        change.assignee_id, id, change.version);
    if (!rows.empty()) {
      issue = to_issue(rows[0]);
    }
  } catch (const DrogonDbException& exception) {
    refuse_assignee(exception);
  }
  if (!issue) {
    all->rollback();
    all.reset();  // one connection is for all: the next statement would wait for this one
    co_await find_issue(id);
    throw Refusal(drogon::k409Conflict, "The issue was changed in the meantime.",
                  {{"title", "was changed meanwhile"}});
  }
  co_await commit_with(std::move(all), "changed", id, by);
  co_return *issue;
}

Task<HttpResponsePtr> Issues::list(HttpRequestPtr request) {
  const Filter wanted = read_filter(request);
  const Found found = co_await find_issues(wanted);
  Json::Value page;
  page["items"] = Json::arrayValue;
  for (const Issue& issue : found.items) {
    page["items"].append(to_json(issue));
  }
  page["total"] = found.total;
  page["page"] = wanted.page;
  page["pages"] = found.pages;
  co_return json(page);
}

Task<HttpResponsePtr> Issues::create(HttpRequestPtr request) {
  NewIssue given = read_new_issue(object_of(request));
  const Issue issue = co_await add_issue(std::move(given), user_of(request).name);
  HttpResponsePtr response = json(to_json(issue), drogon::k201Created);
  response->addHeader("Location", "/api/issues/" + std::to_string(issue.id));
  co_return response;
}

Task<HttpResponsePtr> Issues::show(HttpRequestPtr, std::int64_t id) {
  const Issue issue = co_await find_issue(id);
  co_return json(to_json(issue));
}

Task<HttpResponsePtr> Issues::change(HttpRequestPtr request, std::int64_t id) {
  ChangeIssue change = read_change(object_of(request));
  const Issue issue = co_await change_issue(id, std::move(change), user_of(request).name);
  co_return json(to_json(issue));
}

Task<HttpResponsePtr> Issues::remove(HttpRequestPtr request, std::int64_t id) {
  auto all = co_await drogon::app().getDbClient()->newTransactionCoro(TransactionType::Immediate);
  const auto removed = co_await all->execSqlCoro("delete from issues where id = ?", id);
  if (removed.affectedRows() == 0) {
    throw Refusal(drogon::k404NotFound, "There is no such issue.");
  }
  co_await commit_with(std::move(all), "deleted", id, user_of(request).name);
  co_return no_content();
}

}  // namespace tracker
