// Enqueues or runs jobs for `./arena/run jobs`: see arena/APPLICATIONS.md.
// Usage: arena_jobs DATABASE create|enqueue|work COUNT BATCH|CONCURRENCY CONNECTIONS
//        [--transactional]
#include <eider/eider.h>
#include <eider/jobs.h>
#include <eider/postgres.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace eider;

namespace {

constexpr unsigned kEnqueuers = 8;

struct Options {
  std::string database;
  std::string task;
  std::int64_t count = 0;
  unsigned batch_or_concurrency = 1;
  std::size_t connections = 1;
  bool is_transactional = false;
};

/// Its effect is a row.
struct Note {
  std::int64_t n = 0;
};

void tell(const char* what) {
  std::puts(what);
  (void)std::fflush(stdout);
}

/// The arena reads the clock and the CPU time before it sends the line.
void wait_for_arena() {
  tell("ready");
  for (int read = std::getchar(); read != '\n'; read = std::getchar()) {
    if (read == EOF) {
      std::exit(1);  // the arena has ended
    }
  }
}

void count_done(std::int64_t& left) {
  if (--left == 0) {
    tell("done");
  }
}

Task<> enqueue_from(const Jobs& jobs, const Database& database, const Options& options,
                    std::int64_t& next) {
  const std::int64_t batch = options.batch_or_concurrency;
  while (next < options.count) {
    const std::int64_t first = next;
    next += batch;
    if (batch == 1) {
      co_await jobs.enqueue(database, Note{first});
      continue;
    }
    std::vector<Note> notes;
    for (std::int64_t n = first; n < first + batch && n < options.count; ++n) {
      notes.push_back({n});
    }
    Transaction transaction = co_await database.begin();
    co_await jobs.enqueue_all(transaction, notes);
    co_await transaction.commit();
  }
}

Task<> enqueue_all(const Jobs& jobs, const Database& database, const Options& options) {
  wait_for_arena();
  std::int64_t next = 0;
  Scope scope;
  for (unsigned i = 0; i < kEnqueuers; ++i) {
    scope.start(enqueue_from(jobs, database, options, next));
  }
  co_await scope.join();
  tell("done");
}

Options options_of(const std::vector<std::string_view>& words) {
  const auto number = [&](std::size_t i) { return std::atoll(words[i].data()); };
  return {.database = std::string(words[1]),
          .task = std::string(words[2]),
          .count = number(3),
          .batch_or_concurrency = static_cast<unsigned>(number(4)),
          .connections = static_cast<std::size_t>(number(5)),
          .is_transactional = words.back() == "--transactional"};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (words.size() < 6) {
    (void)std::fputs("usage: arena_jobs DATABASE TASK COUNT BATCH CONNECTIONS\n", stderr);
    return 2;
  }
  const Options options = options_of(words);
  const Database database =
      open_postgres(options.database, {.connections_max = options.connections});
  App app;
  app.state(database);
  Jobs& jobs = add_jobs(app, database, {.concurrency = options.batch_or_concurrency});
  jobs.settings.off = options.task != "work";
  std::int64_t left = options.count;
  if (options.is_transactional) {
    app.job<Note>([left = &left](Note note, Transaction& transaction) -> Task<> {
      co_await transaction.exec("insert into effects(n) values($1)", note.n);
      count_done(*left);
    });
  } else {
    app.job<Note>([left = &left](Note note, State<Database> db) -> Task<> {
      co_await db->exec("insert into effects(n) values($1)", note.n);
      count_done(*left);
    });
  }
  app.state(options);
  app.on_start("arena", [](State<Options> its, State<Jobs> of, State<Database> db) -> Task<> {
    if (its->task == "enqueue") {
      co_await enqueue_all(*of, *db, *its);
    } else {
      wait_for_arena();
    }
  });
  const char* arguments[] = {"arena_jobs", "--host", "127.0.0.1", "--port", "0", "--threads", "1"};
  return app.run(std::size(arguments), const_cast<char**>(arguments));
}
