// A process that runs jobs and records them in a file, for tests/integration/jobs_support.py.
#include <eider/eider.h>
#include <eider/jobs.h>
#include <eider/mariadb.h>
#include <eider/middleware.h>
#include <eider/postgres.h>
#include <eider/sqlite.h>
#include <eider/telemetry.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/create_tables.h"

using namespace eider;
using namespace std::chrono_literals;

namespace {

struct Options {
  std::string database = "jobs.db";
  std::string notes = "/dev/null";
  std::chrono::milliseconds lease = 30s;
  std::chrono::milliseconds takes = 0ms;
  unsigned concurrency = 10;
  unsigned cluster = 0;
  std::string metrics;
};

/// A job whose effect is a row, inserted in a transaction in which the handler completes the job.
struct Store {
  std::int64_t n = 0;
};
/// A job whose effect is a row, inserted in the transaction that the handler gets as a parameter.
struct Charge {
  std::int64_t n = 0;
};
/// A job whose effect is outside of the database, so it can happen more than once.
struct Notify {
  std::int64_t n = 0;
};
/// A job without an effect, which is not recorded.
struct Touch {
  std::int64_t n = 0;
};

/// A job without an effect that takes time and is recorded. It counts as running until its row is
/// deleted.
struct Nap {
  std::int64_t n = 0;
};

/// Appends lines to a file that all processes share, each in one write, with a common clock.
class Notes {
 public:
  explicit Notes(const std::string& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {}

  void write(const char* what, std::int64_t n) const {
    timespec now{};
    (void)::clock_gettime(CLOCK_MONOTONIC, &now);
    char line[128];
    const int size =
        std::snprintf(line, sizeof line, "%s %lld %d %lld.%09ld\n", what, static_cast<long long>(n),
                      ::getpid(), static_cast<long long>(now.tv_sec), now.tv_nsec);
    (void)!::write(file_, line, static_cast<std::size_t>(size));
  }

 private:
  int file_;
};

/// Records the start of a handler, and its end or cancellation.
class AtWork {
 public:
  AtWork(const Notes& notes, std::int64_t n) : notes_(notes), n_(n) { notes_.write("begin", n_); }
  ~AtWork() { notes_.write(is_done_ ? "end" : "cancel", n_); }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  void done() { is_done_ = true; }

 private:
  const Notes& notes_;
  std::int64_t n_;
  bool is_done_ = false;
};

Database open(const std::string& where) {
  if (where.starts_with("mysql:")) {
    return open_mariadb(where);
  }
  return where.contains('=') ? open_postgres(where) : open_sqlite(where);
}

constexpr const char* kAddEffect = "insert into effects(n) values($1)";

constexpr const char* kTables =
    "create table if not exists orders(n bigint not null primary key);"
    "create table if not exists effects(n bigint not null);"
    "create table if not exists planned(n bigint not null);";

/// Enqueues a job for each n for which n % 3 == remainder.
template <class T>
Task<> enqueue_each_third(const Transaction& transaction, const Jobs& jobs, std::int64_t first,
                          std::int64_t count, std::int64_t remainder) {
  std::vector<T> all;
  for (std::int64_t n = first; n < first + count; ++n) {
    if (n % 3 == remainder) {
      all.push_back({n});
    }
  }
  if (all.size() == 1) {
    co_await jobs.enqueue(transaction, all.front());
  } else if (!all.empty()) {
    co_await jobs.enqueue_all(transaction, all);
  }
}

struct OrderQuery {
  bool rolled_back = false;
};

/// Stores orders and their jobs in one transaction.
Task<std::string> order(std::int64_t first, std::int64_t count, Query<OrderQuery> query,
                        State<Jobs> jobs, State<Database> db) {
  Transaction transaction = co_await db->begin();
  for (std::int64_t n = first; n < first + count; ++n) {
    co_await transaction.exec("insert into orders(n) values($1)", n);
  }
  co_await enqueue_each_third<Store>(transaction, *jobs, first, count, 0);
  co_await enqueue_each_third<Charge>(transaction, *jobs, first, count, 1);
  co_await enqueue_each_third<Notify>(transaction, *jobs, first, count, 2);
  if (query->rolled_back) {
    co_await transaction.roll_back();
    co_return "rolled back";
  }
  co_await transaction.commit();
  co_return "ordered";
}

template <class T>
Task<std::string> enqueue(std::int64_t count, State<Jobs> jobs, State<Database> db) {
  std::vector<T> all;
  for (std::int64_t n = 0; n < count; ++n) {
    all.push_back({n});
  }
  Transaction transaction = co_await db->begin();
  co_await jobs->enqueue_all(transaction, all);
  co_await transaction.commit();
  co_return "enqueued";
}

void add_handlers(App& app) {
  const JobOptions options{.attempts = 1000, .first_pause = 20ms, .pause_max = 200ms};
  app.job<Store>(
      [](Store job, JobContext& context, State<Database> db, State<Notes> notes,
         State<Options> own) -> Task<> {
        AtWork at_work(*notes, job.n);
        context.progress(job.n + 1, 10);
        co_await sleep_for(own->takes);
        Transaction transaction = co_await db->begin();
        co_await transaction.exec(kAddEffect, job.n);
        co_await context.complete(transaction);
        co_await transaction.commit();
        at_work.done();
      },
      options);
  app.job<Charge>(
      [](Charge job, Transaction& transaction, State<Notes> notes) -> Task<> {
        AtWork at_work(*notes, job.n);
        co_await transaction.exec(kAddEffect, job.n);
        at_work.done();
      },
      options);
  app.job<Notify>(
      [](Notify job, State<Notes> notes, State<Options> own) -> Task<> {
        AtWork at_work(*notes, job.n);
        // Some jobs take longer than the lease of a process that lost its connection.
        co_await sleep_for(own->takes * (job.n % 150 == 2 ? 100 : 1));
        at_work.done();
      },
      options);
  app.job<Touch>([](Touch) {});
  app.job<Nap>(
      [](Nap job, State<Notes> notes, State<Options> own) -> Task<> {
        AtWork at_work(*notes, job.n);
        co_await sleep_for(own->takes);
        at_work.done();
      },
      options);
  app.schedule("yearly", "0 0 1 1 *", [](ScheduledRun run, Transaction& transaction) -> Task<> {
    co_await transaction.exec("insert into planned(n) values($1)", run.planned);
  });
}

Task<std::vector<std::int64_t>> numbers(Database database, std::string table) {
  auto all = co_await database.all<std::int64_t>(db::RuntimeSql{"select n from " + table});
  co_return all;
}

void add_routes(App& app) {
  app.post("/orders/{first}/{count}", order);
  app.post("/touch/{count}", enqueue<Touch>);
  app.post("/nap/{count}", enqueue<Nap>);
  app.get("/progress/{id}", follow_job);
  app.get("/orders", [](State<Database> db) { return numbers(*db, "orders"); });
  app.get("/effects", [](State<Database> db) { return numbers(*db, "effects"); });
  app.get("/planned", [](State<Database> db) { return numbers(*db, "planned"); });
  app.get("/left", [](State<Database> db) -> Task<std::int64_t> {
    co_return (co_await db->one<std::int64_t>("select count(*) from eider_jobs")).value();
  });
  app.get("/clock", [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  });
  // Sets the next run of the schedule, by the database's clock; 0: no process has added it yet.
  app.post("/plan/{delay_ms}",
           [](std::int64_t delay_ms, State<Jobs> jobs, State<Database> db) -> Task<std::int64_t> {
             const std::int64_t next = co_await jobs->admin().now() + delay_ms;
             const auto changed =
                 co_await db->exec("update eider_job_schedules set next_run = $1", next);
             co_return changed.rows == 0 ? 0 : next;
           });
}

/// Reads the options before `run` does, because the database is opened first.
Options own_options(int argc, char** argv) {
  Options own;
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--database") {
      own.database = value;
    } else if (name == "--notes") {
      own.notes = value;
    } else if (name == "--lease") {
      own.lease = std::chrono::milliseconds(std::stoi(value));
    } else if (name == "--takes") {
      own.takes = std::chrono::milliseconds(std::stoi(value));
    } else if (name == "--concurrency") {
      own.concurrency = static_cast<unsigned>(std::stoi(value));
    } else if (name == "--cluster") {
      own.cluster = static_cast<unsigned>(std::stoi(value));
    } else if (name == "--metrics") {
      own.metrics = value;
    }
  }
  return own;
}

}  // namespace

int main(int argc, char** argv) {
  Options own = own_options(argc, argv);
  App app;
  app.options(OptionSet("jobs_app").add(own));  // the same options, so that `run` accepts them
  const Database database = open(own.database);
  app.state(database);
  app.state(own);
  app.singleton([](State<Options> options) { return Notes(options->notes); });
  add_jobs(app, database,
           {.queues = {{"default", own.concurrency, own.cluster}}, .lease = own.lease});
  if (!own.metrics.empty()) {
    serve_metrics_at(app, own.metrics);
  }
  app.on_start("tables", [](State<Database> db) -> Task<> {
    co_await db::create_tables(*db, db::RuntimeSql{kTables});
  });
  serve_health(app);
  add_handlers(app);
  add_routes(app);
  return app.run(argc, argv);
}
