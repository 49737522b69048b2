// Compares the CPU time per statement of this process with a bare loop over libpq, on the same
// socket and in the same run. Only the ratio matters. Both take turns, so that a slower machine
// affects both.
#include <benchmark/benchmark.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/postgres/postgres.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/many_statements.h"
#include "tests/support/postgres_server.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr int kRound = 480;  // statements of each variant before the other one's turn

struct World {
  int id;
  int randomnumber;
};

/// Returns the CPU time of this thread in nanoseconds; the server's time is not included.
double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

constexpr std::size_t kBatch = 20;
constexpr const char* kRead = "select id, randomnumber from world where id = $1";
constexpr const char* kReadRows = "select id, randomnumber from world where id <= $1";

class BareLoop {
 public:
  explicit BareLoop(const std::string& where) : connection_(PQconnectdb(where.c_str())) {
    PQsetErrorVerbosity(connection_, PQERRORS_TERSE);
    PQclear(PQexec(connection_,
                   "set client_min_messages = warning; drop table if exists world; create table "
                   "world(id int primary key, randomnumber int not null); insert into world select "
                   "i, i from generate_series(1, 10000) as i; analyze world"));
    PQclear(PQprepare(connection_, "read", kRead, 0, nullptr));
    PQclear(PQprepare(connection_, "rows", kReadRows, 0, nullptr));
  }
  ~BareLoop() { PQfinish(connection_); }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  int read(int id) {
    send(id, &PQexecPrepared);
    return number_;
  }
  /// Sends one Sync after all of them, or one after each.
  int read_several(std::size_t syncs_count) {
    PQenterPipelineMode(connection_);
    for (std::size_t id = 1; id <= kBatch; ++id) {
      send(static_cast<int>(id), &PQsendQueryPrepared);
      if (id % (kBatch / syncs_count) == 0) {
        PQpipelineSync(connection_);
      }
    }
    for (std::size_t synced = 0; synced < syncs_count;) {
      PGresult* const result = PQgetResult(connection_);
      synced += PQresultStatus(result) == PGRES_PIPELINE_SYNC ? 1U : 0U;
      take(result);
      PQclear(result);
    }
    PQexitPipelineMode(connection_);
    return number_;
  }
  /// Reads all rows up to an ID into structs.
  std::vector<World> read_rows(int count) {
    const std::uint32_t sent = __builtin_bswap32(static_cast<std::uint32_t>(count));
    const char* value = reinterpret_cast<const char*>(&sent);
    const int length = sizeof sent;
    const int format = 1;
    PGresult* const result = PQexecPrepared(connection_, "rows", 1, &value, &length, &format, 1);
    std::vector<World> worlds;
    for (int row = 0; row < PQntuples(result); ++row) {
      worlds.push_back(
          {.id = number_at(result, row, 0), .randomnumber = number_at(result, row, 1)});
    }
    PQclear(result);
    return worlds;
  }

 private:
  template <class Send>
  void send(int id, Send* call) {
    const std::uint32_t sent = __builtin_bswap32(static_cast<std::uint32_t>(id));
    const char* value = reinterpret_cast<const char*>(&sent);
    const int length = sizeof sent;
    const int format = 1;
    auto answer = call(connection_, "read", 1, &value, &length, &format, 1);
    if constexpr (std::is_same_v<decltype(answer), PGresult*>) {
      take(answer);
      PQclear(answer);
    }
  }
  void take(const PGresult* result) {
    if (PQresultStatus(result) == PGRES_TUPLES_OK) {
      number_ = number_at(result, 0, 1);
    }
  }
  static int number_at(const PGresult* result, int row, int column) {
    std::uint32_t number = 0;
    std::memcpy(&number, PQgetvalue(result, row, column), sizeof number);
    return static_cast<int>(__builtin_bswap32(number));
  }

  PGconn* connection_;
  int number_ = 0;
};

/// The protocol without libpq, on a connection that libpq has opened: shows the cost of libpq.
class BareProtocol {
 public:
  explicit BareProtocol(const std::string& where) : connection_(PQconnectdb(where.c_str())) {
    PQclear(PQprepare(connection_, "read", kRead, 0, nullptr));
  }
  ~BareProtocol() { PQfinish(connection_); }
  BareProtocol(const BareProtocol&) = delete;
  BareProtocol& operator=(const BareProtocol&) = delete;

  int read_batch() {
    sent_.clear();
    for (std::size_t id = 1; id <= kBatch; ++id) {
      put_read(static_cast<std::uint32_t>(id));
    }
    sent_.append("S\0\0\0\4", 5);
    benchmark::DoNotOptimize(::send(PQsocket(connection_), sent_.data(), sent_.size(), 0));
    got_.clear();
    while (!has_taken_all()) {
      pollfd ready{.fd = PQsocket(connection_), .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, -1);
      const ssize_t bytes = ::recv(ready.fd, piece_.data(), piece_.size(), 0);
      got_.append(piece_.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
    }
    return number_;
  }

 private:
  /// Adds Bind to the unnamed portal with one binary value and binary columns, and Execute.
  void put_read(std::uint32_t id) {
    sent_.append("B\0\0\0\x1c\0read\0\0\1\0\1\0\1\0\0\0\4", 21);
    id = __builtin_bswap32(id);
    sent_.append(reinterpret_cast<const char*>(&id), sizeof id);
    sent_.append("\0\1\0\1E\0\0\0\x09\0\0\0\0\0", 14);
  }
  std::uint32_t number_at(std::size_t place) const {
    std::uint32_t number = 0;
    std::memcpy(&number, got_.data() + place, sizeof number);
    return __builtin_bswap32(number);
  }
  bool has_taken_all() {
    std::size_t place = 0;
    while (place + 5 <= got_.size() && place + 1 + number_at(place + 1) <= got_.size()) {
      if (got_[place] == 'D') {
        number_ = static_cast<int>(number_at(place + 19));
      } else if (got_[place] == 'Z') {
        return true;
      }
      place += 1 + number_at(place + 1);
    }
    return false;
  }

  PGconn* connection_;
  std::string sent_;
  std::string got_;
  std::array<char, 16384> piece_{};
  int number_ = 0;
};

Task<> read_some(Database base, int count) {
  for (int i = 1; i <= count; ++i) {
    const auto world =
        co_await base.one<World>("select id, randomnumber from world where id = $1", i);
    benchmark::DoNotOptimize(world->randomnumber);
  }
}

Task<> read_side_by_side(Database base, int tasks) {
  Scope all;
  for (int i = 0; i < tasks; ++i) {
    all.start(read_some(base, kRound / tasks));
  }
  co_await all.join();
}

/// The server runs on the same CPU as this thread: waking a thread on another CPU would cost ten
/// times the measured time, and would affect the variants randomly.
PostgresServer& server() {
  static const bool is_pinned = [] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(::sched_getcpu(), &here);
    return ::sched_setaffinity(0, sizeof here, &here) == 0;
  }();
  benchmark::DoNotOptimize(is_pinned);
  return PostgresServer::shared();
}

/// The median ignores rounds that other processes of the machine disturb.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

template <std::size_t... I>
Task<> read_batches(Database base, int count, std::index_sequence<I...> /*of a batch*/) {
  for (int i = 0; i < count; ++i) {
    const auto worlds = co_await base.batch(db::row<World>(
        "select id, randomnumber from world where id = $1", static_cast<int>(I) + 1)...);
    benchmark::DoNotOptimize(std::get<0>(worlds)->randomnumber);
  }
}

template <std::size_t... I>
Task<> read_at_once(Database base, int count, std::index_sequence<I...> /*of one call*/) {
  for (int i = 0; i < count; ++i) {
    const auto worlds = co_await base.all(db::row<World>(
        "select id, randomnumber from world where id = $1", static_cast<int>(I) + 1)...);
    benchmark::DoNotOptimize(std::get<0>(worlds).value()->randomnumber);
  }
}

Task<> read_many_rows(Database base, int count) {
  const auto worlds =
      co_await base.all<World>("select id, randomnumber from world where id <= $1", count);
  benchmark::DoNotOptimize(worlds.data());
}

/// Runs rounds of both variants in turn, each with `kRound` statements.
template <class Bare, class Ours>
void compare(benchmark::State& state, Bare bare, Ours ours) {
  std::vector<double> bare_us;
  std::vector<double> eider_us;
  std::vector<double> ratios;
  ours();  // connects and prepares
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

/// range(0)  number of concurrent handlers, with at most four connections
void single_statements(benchmark::State& state) {
  const std::string where = server().where();
  BareLoop bare(where);
  const Database base = open_postgres(where);
  TestLoop loop;
  const int tasks = static_cast<int>(state.range(0));
  compare(
      state,
      [&] {
        for (int i = 1; i <= kRound; ++i) {
          benchmark::DoNotOptimize(bare.read(i));
        }
      },
      [&] { loop.run(read_side_by_side(base, tasks)); });
}
BENCHMARK(single_statements)->Arg(1)->Arg(4)->Arg(16)->UseRealTime()->Unit(benchmark::kMillisecond);

/// range(0)  number of Sync messages: one for the batch, or one for each statement
void several_of_20(benchmark::State& state) {
  const std::string where = server().where();
  BareLoop bare(where);
  const Database base = open_postgres(where);
  TestLoop loop;
  constexpr int kCount = kRound / static_cast<int>(kBatch);
  const auto syncs_count = static_cast<std::size_t>(state.range(0));
  compare(
      state,
      [&] {
        for (int i = 0; i < kCount; ++i) {
          benchmark::DoNotOptimize(bare.read_several(syncs_count));
        }
      },
      [&] {
        constexpr auto kEach = std::make_index_sequence<kBatch>();
        loop.run(syncs_count == 1 ? read_batches(base, kCount, kEach)
                                  : read_at_once(base, kCount, kEach));
      });
}
BENCHMARK(several_of_20)->Arg(1)->Arg(20)->UseRealTime()->Unit(benchmark::kMillisecond);

/// Compares a batch with libpq, as `bare`, with one written directly, as `eider`.
void batch_by_hand(benchmark::State& state) {
  const std::string where = server().where();
  BareLoop bare(where);
  BareProtocol by_hand(where);
  constexpr int kCount = kRound / static_cast<int>(kBatch);
  compare(
      state,
      [&] {
        for (int i = 0; i < kCount; ++i) {
          benchmark::DoNotOptimize(bare.read_several(1));
        }
      },
      [&] {
        for (int i = 0; i < kCount; ++i) {
          benchmark::DoNotOptimize(by_hand.read_batch());
        }
      });
}
BENCHMARK(batch_by_hand)->UseRealTime()->Unit(benchmark::kMillisecond);

/// The results are per row.
void rows_of_one_statement(benchmark::State& state) {
  const std::string where = server().where();
  BareLoop bare(where);
  const Database base = open_postgres(where);
  TestLoop loop;
  compare(
      state, [&] { benchmark::DoNotOptimize(bare.read_rows(kRound).data()); },
      [&] { loop.run(read_many_rows(base, kRound)); });
}
BENCHMARK(rows_of_one_statement)->UseRealTime()->Unit(benchmark::kMillisecond);

/// A million statements of all kinds: measures the resident memory after a tenth, half and all of
/// them.
void flat_memory(benchmark::State& state) {
  for (auto _ : state) {
    const ResidentMib resident = resident_in_statements(open_postgres(server().where()), 1'000'000);
    state.counters["mib_at_10"] = resident.at_tenth;
    state.counters["mib_at_50"] = resident.at_half;
    state.counters["mib_at_100"] = resident.at_end;
  }
}
BENCHMARK(flat_memory)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace eider
