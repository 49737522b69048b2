#include "eider/web/jobs/job_store.h"

#include <algorithm>
#include <array>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/json.h"
#include "eider/data/db/create_tables.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::jobs {

namespace {

using db::Dialect;
using std::chrono::milliseconds;
using How = Ending::How;

constexpr std::int64_t kStagedAtOnce = 1000;
constexpr std::int64_t kRemovedAtOnce = 1000;
constexpr std::size_t kInsertedAtOnce = 500;
/// Maximum size of the arguments in a statement with several jobs, because servers limit the size
/// of a statement (MariaDB: 16 MiB), which has them as JSON in JSON.
constexpr std::size_t kInsertedBytes = std::size_t{1} << 20U;
constexpr std::size_t kTextBytesMax = std::size_t{16} << 10U;

/// A part of a statement that differs between dialects.
struct Place {
  std::string_view name;
  std::string_view sqlite;
  std::string_view postgres;
  std::string_view mariadb;
};

// PostgreSQL evaluates a volatile function once, and can use an index, only in a subquery. An
// array of a subquery is evaluated once, too: `in` may run it again, and claim more than its limit.
// To find a job by its id, it prefers the small partial index of running jobs to the primary key,
// and reads all running jobs; `running` does not imply the index's condition. No state is empty.
constexpr std::array kPlaces{
    Place{"now", "cast((julianday('now') - 2440587.5) * 86400000 as integer)",
          "(select (extract(epoch from clock_timestamp()) * 1000)::bigint)",
          "(timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000)"},
    Place{"in", "in (", "= any(array(", "in ("},
    Place{"end", ")", "))", ")"},
    Place{"skip", "", " for update skip locked", " for update skip locked"},
    Place{"lock", "", "", " for update"},
    Place{"running", "state = 'running'", "state in ('running', '')", "state = 'running'"},
    Place{"key", "integer primary key autoincrement",
          "bigint generated always as identity primary key", "bigint auto_increment primary key"},
    Place{"long", "text", "text", "longtext"},
    Place{"rest", ")",
          ") with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)",
          ", index eider_jobs_available (state, queue, priority, id), "
          "index eider_jobs_due (state, due), index eider_jobs_worker (state, worker), "
          "unique index eider_jobs_unique (unique_key)) "
          "engine = InnoDB character set utf8mb4 collate utf8mb4_bin"},
    Place{"set", ")", ")", ") engine = InnoDB character set utf8mb4 collate utf8mb4_bin"},
};

std::string_view text_of(const Place& place, Dialect dialect) noexcept {
  switch (dialect) {
    case Dialect::sqlite:
      return place.sqlite;
    case Dialect::postgres:
      return place.postgres;
    case Dialect::mariadb:
      return place.mariadb;
  }
  return {};
}

constexpr std::string_view kTables =
    "create table if not exists eider_jobs(id {key}, kind varchar(100) not null, "
    "queue varchar(50) not null, state varchar(10) not null, priority smallint not null, "
    "due bigint not null, attempt integer not null default 0, attempts_max integer not null, "
    "fence bigint not null default 0, worker bigint not null default 0, created bigint not null, "
    "started bigint not null default 0, unique_key varchar(255), "
    "unique_until bigint not null default 0, batch bigint not null default 0, "
    "pending bigint not null default 0, batch_failed bigint not null default 0, "
    "is_cancelled smallint not null default 0, args {long} not null, saved {long}, "
    "error {long}, progress {long}, progress_done bigint not null default 0, "
    "progress_total bigint not null default 0, trace varchar(64) not null default ''{rest};"
    "create table if not exists eider_job_workers(id bigint primary key, "
    "label varchar(200) not null, lease_until bigint not null, started bigint not null{set};"
    "create table if not exists eider_job_queues(name varchar(50) primary key, "
    "paused smallint not null{set};"
    "create table if not exists eider_job_schedules(name varchar(100) primary key, "
    "expression varchar(300) not null, planned bigint not null, next_run bigint not null{set};"
    "create table if not exists eider_job_kinds(kind varchar(100) primary key, "
    "seen bigint not null{set};";

// SQLite uses a partial index only for statements with exactly its condition.
constexpr std::string_view kIndexes =
    "create unique index if not exists eider_jobs_unique on eider_jobs(unique_key);"
    "create index if not exists eider_jobs_available on eider_jobs(queue, priority, id) "
    "where state = 'available';"
    "create index if not exists eider_jobs_scheduled on eider_jobs(due) "
    "where state = 'scheduled';"
    "create index if not exists eider_jobs_ended on eider_jobs(due) "
    "where state in ('done', 'failed');"
    "create index if not exists eider_jobs_worker on eider_jobs(worker) where state = 'running';";

constexpr std::string_view kInsert =
    "insert into eider_jobs(kind, queue, state, priority, due, attempts_max, created, unique_key, "
    "unique_until, batch, pending, args, trace) values($1, $2, $3, $4, {now} * $5 + $6, $7, {now}, "
    "$8, {now} + $9, $10, $11, $12, $13)";

constexpr std::string_view kClaimed =
    "id, kind, queue, priority, attempt, attempts_max, fence, batch, batch_failed, unique_until, "
    "created, args, coalesce(saved, '') as saved, trace";

constexpr std::string_view kHeld = "id, fence, attempt, attempts_max, batch, is_cancelled";

constexpr std::string_view kIsMine = " where id = $1 and fence = $2 and {running}";

constexpr std::string_view kDue =
    "select id from eider_jobs where state = 'scheduled' and due <= {now} order by due limit $1"
    "{skip}";

constexpr std::string_view kClaim =
    "update eider_jobs set state = 'running', worker = $1, fence = fence + 1, "
    "attempt = attempt + 1, started = {now} where id {in}select id from eider_jobs "
    "where state = 'available' and queue = $2 and kind in ({kinds}) "
    "order by priority, id limit $3{skip}{end} returning ";

constexpr std::string_view kRunningOf = " from eider_jobs where worker = $1 and state = 'running'";

constexpr std::string_view kRunningInCluster =
    "select count(*) from eider_jobs where state = 'running' and worker > 0 and queue = $1";

constexpr std::string_view kOrphans =
    " from eider_jobs where state = 'running' and not exists(select 1 from "
    "eider_job_workers where eider_job_workers.id = eider_jobs.worker) limit 500";

constexpr std::string_view kEnded =
    "select id from eider_jobs where state in ('done', 'failed') and due <= {now} limit 1000";

constexpr std::string_view kCompleteOnSqlite =
    "delete from eider_jobs where id in (select j.id from json_each($1) as x "
    "cross join eider_jobs as j on j.id = json_extract(x.value, '$[0]') "
    "where j.fence = json_extract(x.value, '$[1]') and j.state = 'running')";

std::string_view state_of(const NewJob& job) noexcept {
  if (job.pending != 0) {
    return "waiting";
  }
  return job.is_scheduled ? "scheduled" : "available";
}

/// Returns SQL that computes a bit for each queue: whether it has a row in `from`.
std::string bits_of(const std::vector<std::string>& queues, std::string_view from) {
  std::string sum = "0";
  std::uint64_t bit = 1;
  for (const std::string& queue : queues) {
    sum.append(" + case when exists(select 1 from ").append(from).append(sql_literal(queue));
    sum.append(") then ").append(std::to_string(bit)).append(" else 0 end");
    bit *= 2;
  }
  return sum;
}

/// Returns "1, 2, 3".
std::string list_of(const std::vector<std::int64_t>& ids) {
  return joined(ids, ", ", [](std::int64_t id) { return std::to_string(id); });
}

bool runs_again(const Ending& ending) noexcept {
  return ending.how == How::retry || ending.how == How::released;
}

/// Returns the number of arguments at the front that are inserted by one statement.
std::size_t inserted_at_once(std::span<const std::string> args) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < std::min(kInsertedAtOnce, args.size())) {
    bytes += args[count].size();
    if (count != 0 && bytes > kInsertedBytes) {
      break;
    }
    ++count;
  }
  return count;
}

/// Accesses the route of Statements, which is protected.
class RouteReader : public db::Statements {
 public:
  static const db::Route& of(const db::Statements& at) { return (at.*&RouteReader::route)(); }
};

struct Added {
  std::int64_t id = 0;
  std::optional<std::string> notified;
};

struct Existing {
  std::int64_t id = 0;
  bool is_over = false;
};

}  // namespace

// Both times are from one statement, but may have been read a moment apart.
Ending done(const Claimed& job, std::int64_t keep_ms) {
  return {.id = job.id,
          .fence = job.fence,
          .pause_ms = keep_ms,
          .batch = job.batch,
          .is_kept = keep_ms > 0 || job.unique_until > job.created + 10};
}

std::int64_t to_ms(Duration duration) {
  return std::chrono::ceil<milliseconds>(duration).count();
}

std::string sql_literal(std::string_view text) {
  std::string literal = "'";
  for (const char letter : text) {
    literal.append(letter == '\'' ? 2 : 1, letter);
  }
  return literal + "'";
}

std::optional<Database> database_of(const db::Statements& at) {
  const db::Route& route = RouteReader::of(at);
  return route.transaction() == nullptr ? std::optional<Database>(std::in_place, route.pool())
                                        : std::nullopt;
}

std::string storable_text(std::string_view text) {
  std::string storable;
  while (!text.empty() && storable.size() + 4 <= kTextBytesMax) {
    const std::size_t bytes = text.front() == '\0' ? 0 : utf8_sequence_bytes(text);
    storable.append(bytes == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, bytes));
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return storable;
}

void JobStore::set_work(const std::vector<std::string>& queues,
                        const std::vector<std::string>& kinds) {
  probe_ =
      "select (select min(due) from eider_jobs where state = 'scheduled') as next_due, "
      "{now} as now, " +
      bits_of(queues, "eider_jobs where state = 'available' and queue = ") + " as ready, " +
      bits_of(queues, "eider_job_queues where paused = 1 and name = ") + " as paused";
  kinds_ = kinds.empty() ? "''" : joined(kinds, ", ", &sql_literal);
}

db::RuntimeSql JobStore::sql(std::string_view pattern) const {
  std::string text;
  text.reserve(pattern.size() + 256);
  while (true) {
    const std::size_t begin = pattern.find('{');
    text += pattern.substr(0, begin);
    if (begin == std::string_view::npos) {
      return {std::move(text)};
    }
    pattern.remove_prefix(begin + 1);
    const std::string_view name = pattern.substr(0, pattern.find('}'));
    pattern.remove_prefix(name.size() + 1);
    const auto* const place = std::ranges::find(kPlaces, name, &Place::name);
    if (name == "kinds") {
      text += kinds_;
    } else if (name == "now" && Loop::current().is_simulated()) {
      const auto now = Loop::current().now().time_since_epoch();
      text += std::to_string(Loop::current().wall_seconds() * 1000 +
                             std::chrono::duration_cast<milliseconds>(now).count() % 1000);
    } else if (place != kPlaces.end()) {
      text += text_of(*place, database_.dialect());
    }
  }
}

std::vector<db::RuntimeSql> JobStore::repeated_statements() const {
  std::vector<db::RuntimeSql> all;
  all.push_back(sql(probe_));
  for (const std::string& text :
       {std::string(kDue), std::string(kClaim).append(kClaimed), std::string(kRunningInCluster),
        "select " + std::string(kHeld).append(kRunningOf),
        "select " + std::string(kHeld).append(kOrphans), std::string(kEnded),
        std::string(kCompleteOnSqlite), "delete from eider_jobs" + std::string(kIsMine)}) {
    all.push_back(sql(text));
  }
  return all;
}

Task<> JobStore::create() const {
  co_await db::create_tables(database_, sql(kTables));
  if (!is(Dialect::mariadb)) {
    co_await db::create_tables(database_, sql(kIndexes));
  }
}

// Enqueueing.

/// returns  nothing if there is a job with the same key
Task<std::optional<std::int64_t>> JobStore::try_insert(const db::Statements& at, const NewJob& job,
                                                       bool notifies) const {
  std::string text(kInsert);
  if (is(Dialect::mariadb)) {
    text += " returning id";
  } else if (is(Dialect::postgres) && notifies) {
    text = "with added as (" + text +
           " on conflict (unique_key) do nothing returning id) "
           "select id, pg_notify('eider_jobs', '')::text as notified from added";
  } else {
    text += " on conflict (unique_key) do nothing returning id";
  }
  const std::optional<std::string> key =
      job.unique_key.empty() ? std::nullopt : std::optional(job.unique_key);
  try {
    const auto added = co_await at.one<Added>(
        sql(text), job.kind, job.queue, state_of(job), job.priority,
        std::int64_t{job.is_delay || !job.is_scheduled}, job.due_ms, job.attempts_max, key,
        job.unique_ms, job.batch, job.pending, job.args, job.trace);
    co_return added ? std::optional(added->id) : std::nullopt;
  } catch (const db::Failure& failure) {
    // MariaDB rolls back only this statement.
    if (failure.kind() != db::FailureKind::unique || !is(Dialect::mariadb)) {
      throw;
    }
  }
  co_return std::nullopt;
}

Task<Inserted> JobStore::insert(const db::Statements& at, NewJob job, bool notifies) const {
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto id = co_await try_insert(at, job, notifies);
    if (id) {
      co_return Inserted{*id, true};
    }
    const auto there =
        co_await at.one<Existing>(sql("select id, case when state = 'done' and unique_until <= "
                                      "{now} then 1 else 0 end as is_over "
                                      "from eider_jobs where unique_key = $1{lock}"),
                                  job.unique_key);
    if (there && !there->is_over) {
      co_return Inserted{there->id, false};
    }
    if (there) {  // its period is over, but the job may be kept for longer
      co_await at.exec(
          sql("update eider_jobs set unique_key = null where id = $1 and state = 'done'"),
          there->id);
    }
  }
  throw db::Failure(db::FailureKind::serialization,
                    "a job with the unique key " + job.unique_key +
                        " was added by a transaction that this one cannot see");
}

Task<> JobStore::insert_all(const db::Statements& at, NewJob job, std::vector<std::string> args,
                            bool notifies) const {
  std::string rows = "unnest($8::text[]) as x(args)";
  if (is(Dialect::sqlite)) {
    rows = "(select value as args from json_each($8)) as x";
  } else if (is(Dialect::mariadb)) {
    rows = "json_table($8, '$[*]' columns(args longtext path '$')) as x";
  }
  const db::RuntimeSql text =
      sql("insert into eider_jobs(kind, queue, state, priority, due, attempts_max, created, "
          "unique_until, batch, args, trace) select $1, $2, $3, $4, {now} * $5 + $6, $7, {now}, 0, "
          "$9, x.args, $10 from " +
          rows);
  std::size_t first = 0;
  while (first < args.size()) {
    const std::size_t count = inserted_at_once(std::span<const std::string>(args).subspan(first));
    const auto begin = args.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<std::string> some(
        std::make_move_iterator(begin),
        std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(count)));
    first += count;
    co_await at.exec(text, job.kind, job.queue, state_of(job), job.priority,
                     std::int64_t{job.is_delay || !job.is_scheduled}, job.due_ms, job.attempts_max,
                     some, job.batch, job.trace);
  }
  if (is(Dialect::postgres) && notifies) {
    co_await at.one<std::string>("select pg_notify('eider_jobs', '')::text");
  }
}

// Workers.

Task<> JobStore::add_worker(std::int64_t worker, std::string label, std::int64_t lease_ms) const {
  co_await database_.exec(sql("insert into eider_job_workers(id, label, lease_until, started) "
                              "values($1, $2, {now} + $3, {now})"),
                          worker, label, lease_ms);
}

Task<> JobStore::remove_worker(std::int64_t worker) const {
  co_await database_.exec("delete from eider_job_workers where id = $1", worker);
}

Task<bool> JobStore::extend_lease(std::int64_t worker, std::int64_t lease_ms) const {
  const auto changed = co_await database_.exec(
      sql("update eider_job_workers set lease_until = {now} + $1 where id = $2"), lease_ms, worker);
  co_return changed.rows == 1;
}

Task<std::vector<Held>> JobStore::running_of(std::int64_t worker) const {
  auto held =
      co_await database_.all<Held>(sql("select " + std::string(kHeld).append(kRunningOf)), worker);
  co_return held;
}

Task<std::int64_t> JobStore::remove_lapsed_workers() const {
  const auto changed =
      co_await database_.exec(sql("delete from eider_job_workers where lease_until < {now}"));
  co_return changed.rows;
}

Task<std::vector<Held>> JobStore::orphans() const {
  auto held = co_await database_.all<Held>(sql("select " + std::string(kHeld).append(kOrphans)));
  co_return held;
}

// Claiming.

Task<Probe> JobStore::probe() const {
  const auto probe = co_await database_.one<Probe>(sql(probe_));
  co_return probe.value();
}

Task<> JobStore::stage() const {
  const std::string due(kDue);
  if (!is(Dialect::mariadb)) {
    co_await database_.exec(
        sql("update eider_jobs set state = 'available' where id {in}" + due + "{end}"),
        kStagedAtOnce);
    co_return;
  }
  Transaction transaction = co_await database_.begin({.isolation = db::Isolation::read_committed});
  const auto ids = co_await transaction.all<std::int64_t>(sql(due), kStagedAtOnce);
  if (!ids.empty()) {
    co_await transaction.exec(
        sql("update eider_jobs set state = 'available' where id in (" + list_of(ids) + ")"));
    co_await transaction.commit();
  }
}

/// Only one process at a time claims jobs of a queue with a limit. The others do not wait, because
/// that process may be frozen; PostgreSQL then ends its transaction. SQLite has only one writer.
Task<JobStore::Lock> JobStore::lock_queue(const db::Statements& at,
                                          const std::string& queue) const {
  if (is(Dialect::sqlite)) {
    co_return Lock::mine;
  }
  const std::string column = is(Dialect::postgres)
                                 ? "set_config('idle_in_transaction_session_timeout', '10s', true)"
                                 : "name";
  const std::string from = " from eider_job_queues where name = $1";
  const auto locked = co_await at.one<std::string>(
      db::RuntimeSql{"select " + column + from + " for update skip locked"}, queue);
  if (locked) {
    co_return Lock::mine;
  }
  const auto existing = co_await at.one<std::string>(db::RuntimeSql{"select name" + from}, queue);
  co_return existing ? Lock::of_another : Lock::no_row;
}

Task<> JobStore::add_queue(const std::string& queue) const {
  co_await database_.exec(
      sql(is(Dialect::mariadb)
              ? "insert ignore into eider_job_queues(name, paused) values($1, 0)"
              : "insert into eider_job_queues(name, paused) values($1, 0) on conflict do nothing"),
      queue);
}

// At the isolation level read committed, each statement sees everything that was committed before
// it: jobs that another process claimed before it released the lock are counted.
Task<std::vector<Claimed>> JobStore::claim(std::string queue, std::int64_t worker,
                                           std::int64_t count, std::int64_t cluster_max) const {
  std::vector<Claimed> claimed;
  if (cluster_max == 0 && !is(Dialect::mariadb)) {
    claimed = co_await claim_at(database_, std::move(queue), worker, count);
    co_return claimed;
  }
  Lock lock = Lock::mine;
  {
    Transaction transaction =
        co_await database_.begin({.isolation = db::Isolation::read_committed});
    if (cluster_max != 0) {
      lock = co_await lock_queue(transaction, queue);
    }
    if (cluster_max != 0 && lock == Lock::mine) {
      const auto running = co_await transaction.one<std::int64_t>(sql(kRunningInCluster), queue);
      count = std::min(count, cluster_max - running.value_or(cluster_max));
    }
    if (lock == Lock::mine && count > 0) {
      claimed = co_await claim_at(transaction, queue, worker, count);
    }
    if (!claimed.empty()) {
      co_await transaction.commit();
    } else {
      co_await transaction.roll_back();
    }
  }
  if (lock == Lock::no_row) {
    co_await add_queue(queue);  // for the next time
  }
  co_return claimed;
}

/// at  on MariaDB a transaction, because its updates return no rows
Task<std::vector<Claimed>> JobStore::claim_at(const db::Statements& at, std::string queue,
                                              std::int64_t worker, std::int64_t count) const {
  std::vector<Claimed> claimed;
  if (!is(Dialect::mariadb)) {
    claimed =
        co_await at.all<Claimed>(sql(std::string(kClaim).append(kClaimed)), worker, queue, count);
    std::ranges::sort(claimed, [](const Claimed& left, const Claimed& right) {
      return std::pair(left.priority, left.id) < std::pair(right.priority, right.id);
    });
    co_return claimed;
  }
  claimed = co_await at.all<Claimed>(
      sql("select " + std::string(kClaimed) +
          " from eider_jobs where state = 'available' and queue = $1 and kind in ({kinds}) "
          "order by priority, id limit $2{skip}"),
      queue, count);
  std::vector<std::int64_t> ids;
  for (Claimed& job : claimed) {
    ids.push_back(job.id);
    ++job.fence;
    ++job.attempt;
  }
  if (!ids.empty()) {
    co_await at.exec(sql("update eider_jobs set state = 'running', worker = $1, fence = fence + 1, "
                         "attempt = attempt + 1, started = {now} where id in (" +
                         list_of(ids) + ")"),
                     worker);
  }
  co_return claimed;
}

// Ends of attempts.

Task<std::int64_t> JobStore::complete(std::vector<std::int64_t> pairs) const {
  std::string list = "[";
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    list.append(list.size() == 1 ? "[" : ",[").append(std::to_string(pairs[i])).append(",");
    list.append(std::to_string(pairs[i + 1])).append("]");
  }
  list += "]";
  std::string_view text =
      "delete from eider_jobs using jsonb_array_elements($1::text::jsonb) as x "
      "where id = (x->>0)::bigint and fence = (x->>1)::bigint and state = 'running'";
  if (is(Dialect::sqlite)) {
    text = kCompleteOnSqlite;
  } else if (is(Dialect::mariadb)) {
    text =
        "delete j from json_table($1, '$[*]' columns(id bigint path '$[0]', fence bigint path "
        "'$[1]')) as x straight_join eider_jobs as j on j.id = x.id "
        "where j.fence = x.fence and j.state = 'running'";
  }
  const auto changed = co_await database_.exec(sql(text), list);
  co_return changed.rows;
}

Task<bool> JobStore::end_one(const db::Statements& at, const Ending& ending) const {
  const std::string returned = ending.is_attempt_returned ? ", attempt = attempt - 1" : "";
  if (ending.how == How::cancelled || (ending.how == How::done && !ending.is_kept)) {
    const auto gone = co_await at.exec(sql("delete from eider_jobs" + std::string(kIsMine)),
                                       ending.id, ending.fence);
    co_return gone.rows == 1;
  }
  std::string text;
  switch (ending.how) {
    case How::cancelled:
    case How::done:
      text =
          "state = 'done', due = case when unique_until > {now} + $3 then unique_until else "
          "{now} + $3 end, unique_key = case when unique_until > {now} then unique_key else null "
          "end, batch = 0";
      break;
    case How::retry:
      text = "state = 'scheduled', due = {now} + $3";
      break;
    case How::failed:
      text = "state = 'failed', due = {now} + $3, unique_key = null, batch = 0, is_cancelled = 0";
      break;
    case How::released:
      text = "state = 'available', due = {now} + $3";
      break;
  }
  text += returned + ", worker = 0, error = $4" + std::string(kIsMine);
  text += runs_again(ending) ? " and is_cancelled = 0" : "";
  const auto changed = co_await at.exec(sql("update eider_jobs set " + text), ending.id,
                                        ending.fence, ending.pause_ms, ending.error);
  co_return changed.rows == 1;
}

Task<bool> JobStore::end(const db::Statements& at, Ending ending) const {
  bool was_mine = co_await end_one(at, ending);
  if (!was_mine && runs_again(ending)) {  // it may have been canceled meanwhile
    ending.how = How::cancelled;
    const auto gone = co_await at.exec(
        sql("delete from eider_jobs" + std::string(kIsMine) + " and is_cancelled = 1"), ending.id,
        ending.fence);
    was_mine = gone.rows == 1;
  }
  if (was_mine && !runs_again(ending) && ending.batch != 0) {
    co_await count_out(at, ending.batch, std::int64_t{ending.how != How::done});
  }
  co_return was_mine;
}

Task<> JobStore::show(std::int64_t id, std::int64_t fence, Progress progress) const {
  co_await database_.exec(
      sql("update eider_jobs set progress = $3, progress_done = $4, progress_total = $5" +
          std::string(kIsMine)),
      id, fence, storable_text(progress.text), progress.done, progress.total);
}

// The state comes first: MariaDB computes each column from the new values of those before it.
Task<> JobStore::count_out(const db::Statements& at, std::int64_t batch,
                           std::int64_t failed) const {
  co_await at.exec(
      sql("update eider_jobs set state = case when pending <= 1 then 'available' else state end, "
          "batch_failed = batch_failed + $1, pending = pending - 1 "
          "where id = $2 and state = 'waiting'"),
      failed, batch);
}

Task<bool> JobStore::count_in(const db::Statements& at, std::int64_t batch) const {
  const auto changed = co_await at.exec(
      sql("update eider_jobs set pending = pending + 1 where id = $1 and state = 'waiting'"),
      batch);
  co_return changed.rows == 1;
}

Task<bool> JobStore::end(Ending ending) const {
  if (ending.batch == 0) {
    const bool was_mine = co_await end(database_, std::move(ending));
    co_return was_mine;
  }
  // In one transaction, because the batch must count each of its jobs exactly once.
  const auto ending_it = [this, ending](Transaction& in) { return end(in, ending); };
  const bool was_mine = co_await database_.transaction(kRepeated, ending_it);
  co_return was_mine;
}

Task<bool> JobStore::remove_ended() const {
  std::string text = "delete from eider_jobs where id in (" + std::string(kEnded) + ")";
  if (is(Dialect::mariadb)) {
    text =
        "delete from eider_jobs where state in ('done', 'failed') and "
        "due <= {now} limit 1000";
  }
  const auto changed = co_await database_.exec(sql(text));
  co_return changed.rows >= kRemovedAtOnce;
}

Task<> JobStore::note_kinds(std::vector<std::string> kinds) const {
  for (const std::string& kind : kinds) {
    const auto changed = co_await database_.exec(
        sql("update eider_job_kinds set seen = {now} where kind = $1"), kind);
    if (changed.rows == 0) {
      co_await database_.exec(
          sql("insert into eider_job_kinds(kind, seen) select $1, {now} "
              "where not exists(select 1 from eider_job_kinds where kind = $2)"),
          kind, kind);
    }
  }
}

Task<std::vector<UnknownKind>> JobStore::unknown_kinds() const {
  auto unknown = co_await database_.all<UnknownKind>(
      sql("select kind, count(*) as count from eider_jobs where state = 'available' and "
          "due <= {now} - 600000 and kind not in (select kind from eider_job_kinds where "
          "seen > {now} - 900000) group by kind order by kind limit 20"));
  co_return unknown;
}

}  // namespace eider::detail::jobs
