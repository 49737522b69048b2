// Compares the CPU time per statement of this process, in all its threads, with a bare loop over
// sqlite3, on the same file and in the same run. Only the ratio matters. Both take turns.
#include <benchmark/benchmark.h>
#include <sched.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/io/runtime/scope.h"
#include "eider/testkit/temp_directory.h"
#include "tests/support/many_statements.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr int kRound = 3840;  // statements of each variant before the other one's turn
constexpr const char* kSchema =
    "create table if not exists world(id integer primary key, randomnumber integer not null); "
    "insert or ignore into world with recursive i(n) as (select 1 union all select n + 1 from i "
    "where n < 10000) select n, n from i";

struct World {
  int id;
  int randomnumber;
};

/// Returns the CPU time of this process in nanoseconds.
double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// One connection, used directly in the calling thread, without a framework.
class Bare {
 public:
  explicit Bare(const std::string& path) {
    sqlite3_open(path.c_str(), &handle_);
    sqlite3_exec(handle_, "pragma journal_mode = wal; pragma synchronous = normal", nullptr,
                 nullptr, nullptr);
    prepare("select id, randomnumber from world where id = ?1", &read_);
    prepare("update world set randomnumber = ?2 where id = ?1", &write_);
  }
  ~Bare() {
    sqlite3_finalize(read_);
    sqlite3_finalize(write_);
    sqlite3_close(handle_);
  }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  int read(int id) {
    sqlite3_bind_int(read_, 1, id);
    sqlite3_step(read_);
    const int number = sqlite3_column_int(read_, 1);
    sqlite3_step(read_);
    sqlite3_reset(read_);
    return number;
  }
  void write(int id) {
    sqlite3_bind_int(write_, 1, id);
    sqlite3_bind_int(write_, 2, id);
    sqlite3_step(write_);
    sqlite3_reset(write_);
  }

 private:
  void prepare(const char* sql, sqlite3_stmt** statement) {
    sqlite3_prepare_v2(handle_, sql, -1, statement, nullptr);
  }

  sqlite3* handle_ = nullptr;
  sqlite3_stmt* read_ = nullptr;
  sqlite3_stmt* write_ = nullptr;
};

Task<> read_some(Database base, int count) {
  for (int i = 1; i <= count; ++i) {
    const auto world =
        co_await base.one<World>("select id, randomnumber from world where id = $1", i);
    benchmark::DoNotOptimize(world->randomnumber);
  }
}

Task<> write_some(Database base, int count) {
  for (int i = 1; i <= count; ++i) {
    co_await base.exec("update world set randomnumber = $2 where id = $1", i, i);
  }
}

Task<> write_and_return_some(Database base, int count) {
  for (int i = 1; i <= count; ++i) {
    const auto world = co_await base.one<World>(
        "update world set randomnumber = $2 where id = $1 returning id, randomnumber", i, i);
    benchmark::DoNotOptimize(world->randomnumber);
  }
}

Task<> side_by_side(Database base, int tasks, Task<> (*some)(Database, int)) {
  Scope all;
  for (int i = 0; i < tasks; ++i) {
    all.start(some(base, kRound / tasks));
  }
  co_await all.join();
}

/// The median ignores rounds that other processes of the machine disturb.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

template <class Theirs, class Ours>
void compare(benchmark::State& state, Theirs bare, Ours ours) {
  std::vector<double> bare_us;
  std::vector<double> eider_us;
  std::vector<double> ratios;
  ours();  // prepares
  for (auto _ : state) {
    const double begun = cpu_ns();
    bare();
    const double between = cpu_ns();
    ours();
    bare_us.push_back((between - begun) / kRound / 1000);
    eider_us.push_back((cpu_ns() - between) / kRound / 1000);
    ratios.push_back(eider_us.back() / bare_us.back());
  }
  state.counters["bare_us"] = median(std::move(bare_us));
  state.counters["eider_us"] = median(std::move(eider_us));
  state.counters["ratio"] = median(std::move(ratios));
}

/// range(0)  number of concurrent handlers
/// range(1)  number of reading connections
void reads(benchmark::State& state) {
  const TempDirectory directory;
  const std::string path = directory.path() / "world.db";
  const Database base =
      open_sqlite(path, {.readers = static_cast<unsigned>(state.range(1)), .schema = kSchema});
  Bare bare(path);
  TestLoop loop;
  const int tasks = static_cast<int>(state.range(0));
  compare(
      state,
      [&] {
        for (int i = 1; i <= kRound; ++i) {
          benchmark::DoNotOptimize(bare.read(i));
        }
      },
      [&] { loop.run(side_by_side(base, tasks, &read_some)); });
}
BENCHMARK(reads)->ArgsProduct({{1, 16, 128}, {1, 4}})->UseRealTime()->Unit(benchmark::kMillisecond);

/// Each change is committed separately, as with autocommit.
/// range(1)  1: each commit waits for the disk
void writes(benchmark::State& state, Task<> (*some)(Database, int)) {
  using Durability = SqliteOptions::Durability;
  const TempDirectory directory;
  const std::string path = directory.path() / "world.db";
  const Database base = open_sqlite(
      path, {.durability = state.range(1) == 1 ? Durability::power : Durability::process,
             .schema = kSchema});
  Bare bare(path);
  TestLoop loop;
  const int tasks = static_cast<int>(state.range(0));
  compare(
      state,
      [&] {
        for (int i = 1; i <= kRound; ++i) {
          bare.write(i);
        }
      },
      [&] { loop.run(side_by_side(base, tasks, some)); });
}
BENCHMARK_CAPTURE(writes, alone, &write_some)
    ->ArgsProduct({{1, 16, 128}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(writes, with_rows, &write_and_return_some)
    ->ArgsProduct({{1, 16, 128}, {0}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// A million statements of all kinds: measures the resident memory after a tenth, half and all of
/// them.
void flat_memory(benchmark::State& state) {
  const TempDirectory directory;
  for (auto _ : state) {
    const ResidentMib resident =
        resident_in_statements(open_sqlite((directory.path() / "world.db").string()), 1'000'000);
    state.counters["mib_at_10"] = resident.at_tenth;
    state.counters["mib_at_50"] = resident.at_half;
    state.counters["mib_at_100"] = resident.at_end;
  }
}
BENCHMARK(flat_memory)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace eider
