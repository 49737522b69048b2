#include "tracker.h"

namespace tracker {

Database open_database(const std::string& file, SqliteOptions options) {
  options.schema = R"(
    create table if not exists users(
      id integer primary key, name text not null unique, email text not null,
      password text not null, role text not null);
    create table if not exists issues(
      id integer primary key autoincrement, title text not null, body text not null,
      state text not null default 'open', priority integer not null, labels text not null,
      assignee_id integer references users(id), author text not null,
      version integer not null default 1,
      created text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')));
    create table if not exists attachments(
      id integer primary key, issue_id integer not null references issues(id) on delete cascade,
      name text not null, size integer not null,
      file text not null unique);)";
  return open_sqlite(file, options);
}

Task<Found> Store::list(Filter wanted) const {
  const std::optional<std::int64_t> total = co_await db.one<std::int64_t>(
      R"(select count(*) from issues where ($1 is null or state = $1) and
      ($2 is null or priority = $2) and ($3 is null or assignee_id = $3) and
      instr(lower(title || char(10) || body), lower($4)) > 0)",
      wanted.state, wanted.priority, wanted.assignee_id, wanted.q);
  std::vector<Issue> items = co_await db.all<Issue>(
      R"(select * from issues where ($1 is null or state = $1) and
      ($2 is null or priority = $2) and ($3 is null or assignee_id = $3) and
      instr(lower(title || char(10) || body), lower($4)) > 0 order by
      case $5 when 'title' then title when 'priority' then priority when 'created' then id end,
      case $5 when '-title' then title when '-priority' then priority end desc, id desc
      limit $6 offset $7)",
      wanted.state, wanted.priority, wanted.assignee_id, wanted.q, wanted.sort, wanted.per_page,
      offset_of(wanted));
  co_return Found{std::move(items), *total};
}

Task<Issue> Store::add(NewIssue given, std::string by) const {
  Transaction all = co_await db.begin();
  std::optional<Issue> issue = co_await all.one<Issue>(
      R"(insert into issues(title, body, priority, labels, assignee_id, author)
      values($1, $2, $3, $4, $5, $6) returning *)",
      given.title, given.body, given.priority, given.labels, given.assignee_id, by);
  co_await commit(std::move(all), "created", issue->id, by);
  co_return std::move(*issue);
}

Task<Result<Issue>> Store::change(std::int64_t id, Json<ChangeIssue> change,
                                  const Writer& by) const {
  Transaction all = co_await db.begin();
  std::optional<Issue> issue = co_await all.one<Issue>(
      R"(update issues set version = version + 1, title = coalesce($3, title),
      body = coalesce($4, body), state = coalesce($5, state), priority = coalesce($6, priority),
      labels = coalesce($7, labels), assignee_id = iif($8, assignee_id, $9)
      where id = $1 and version = $2 returning *)",
      id, change->version, change->title, change->body, change->state, change->priority,
      change->labels, change->assignee_id.is_absent(), change->assignee_id.as_optional());
  if (issue) {
    co_await commit(std::move(all), "changed", id, by.name);
    co_return std::move(*issue);
  }
  co_await all.roll_back();
  auto there = co_await find(id);
  co_return there ? fail(Error::conflict("It was changed meanwhile.")) : there;
}

Task<Result<Issue>> Store::find(std::int64_t id) const {
  std::optional<Issue> issue = co_await db.one<Issue>("select * from issues where id = $1", id);
  co_return issue ? Result<Issue>(std::move(*issue))
                  : fail(Error::not_found("There is no such issue."));
}

}  // namespace tracker
