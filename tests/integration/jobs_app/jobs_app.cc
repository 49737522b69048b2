// A process that runs jobs and notes what it does: for tests/integration/jobs_test.py.
#include <eider/eider.h>
#include <eider/jobs.h>
#include <eider/mariadb.h>
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

/// Its effect is a row, in the transaction of its completion.
struct Store {
  std::int64_t n = 0;
};
/// It has no effect in the database.
struct Touch {
  std::int64_t n = 0;
};

/// It has no effect either, and takes its time: it runs until its row is deleted.
struct Nap {
  std::int64_t n = 0;
};

/// Lines of all processes in one file, each in one write, with a clock that they share.
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

/// A handler at work; also its cancellation is noted.
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

struct Effects {
  std::int64_t count = 0;
  std::int64_t different = 0;
  std::int64_t still = 0;
};

template <class T>
Task<std::string> enqueue_many(std::int64_t count, const Jobs& jobs, const Database& database) {
  std::vector<T> all;
  for (std::int64_t n = 0; n < count; ++n) {
    all.push_back({n});
  }
  Transaction transaction = co_await database.begin();
  co_await jobs.enqueue_all(transaction, all);
  co_await transaction.commit();
  co_return "enqueued";
}

/// Reads them before `run` does, because the database is opened first.
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
  app.options(OptionSet("jobs_app").add(own));  // the same ones, so that `run` knows them
  const Database database = open(own.database);
  app.state(database);
  app.state(own);
  app.singleton([](State<Options> options) { return Notes(options->notes); });
  add_jobs(app, database,
           {.queues = {{"default", own.concurrency, own.cluster}}, .lease = own.lease});
  if (!own.metrics.empty()) {
    serve_metrics_at(app, own.metrics);
  }
  app.on_start("effects", [](State<Database> db) -> Task<> {
    co_await db->script("create table if not exists effects(n bigint not null)");
  });
  app.job<Store>(
      [](Store job, JobContext& context, State<Database> db, State<Notes> notes,
         State<Options> options) -> Task<> {
        AtWork at_work(*notes, job.n);
        context.progress(job.n + 1, 10);
        co_await sleep_for(options->takes);
        Transaction transaction = co_await db->begin();
        co_await transaction.exec("insert into effects(n) values($1)", job.n);
        co_await context.complete(transaction);
        co_await transaction.commit();
        at_work.done();
      },
      {.attempts = 1000, .first_pause = 20ms, .pause_max = 200ms});
  app.job<Touch>([](Touch) {});
  app.job<Nap>(
      [](Nap job, State<Notes> notes, State<Options> options) -> Task<> {
        AtWork at_work(*notes, job.n);
        co_await sleep_for(options->takes);
        at_work.done();
      },
      {.attempts = 1000});
  app.post("/work/{count}", [](std::int64_t count, State<Jobs> jobs, State<Database> db) {
    return enqueue_many<Store>(count, *jobs, *db);
  });
  app.post("/touch/{count}", [](std::int64_t count, State<Jobs> jobs, State<Database> db) {
    return enqueue_many<Touch>(count, *jobs, *db);
  });
  app.post("/nap/{count}", [](std::int64_t count, State<Jobs> jobs, State<Database> db) {
    return enqueue_many<Nap>(count, *jobs, *db);
  });
  app.get("/progress/{id}", follow_job);
  app.get("/effects", [](State<Database> db) -> Task<Effects> {
    auto effects = co_await db->one<Effects>(
        "select count(*) as count, count(distinct n) as different, "
        "(select count(*) from eider_jobs) as still from effects");
    co_return effects.value_or(Effects());
  });
  return app.run(argc, argv);
}
