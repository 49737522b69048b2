// Compares the cost of many rows with COPY, in both directions, with libpq directly, on the same
// socket and in the same run. Only the ratios matter. The variants take turns, so that a slower
// machine affects both.
#include <benchmark/benchmark.h>
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/postgres/copy.h"
#include "eider/data/db/postgres/postgres.h"
#include "tests/support/postgres_server.h"
#include "tests/support/samples.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr std::size_t kRows = 100'000;
constexpr std::size_t kPieceBytes = 65'536;

template <class Number>
void append(std::string& text, Number number) {
  std::array<char, 32> digits{};
  const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  text.append(digits.data(), written.ptr);
}

/// libpq with its blocking functions.
class BareCopy {
 public:
  explicit BareCopy(const std::string& where) : connection_(PQconnectdb(where.c_str())) {
    PQclear(PQexec(connection_,
                   "set client_min_messages = warning; drop table if exists samples; create table "
                   "samples(id bigint not null, name text not null, weight float8 not null)"));
  }
  ~BareCopy() { PQfinish(connection_); }
  BareCopy(const BareCopy&) = delete;
  BareCopy& operator=(const BareCopy&) = delete;

  void clear() { PQclear(PQexec(connection_, "truncate samples")); }

  /// The names contain no bytes that need escaping.
  void put(const std::vector<Sample>& rows) {
    PQclear(PQexec(connection_, "copy samples(id, name, weight) from stdin"));
    std::string text;
    for (const Sample& row : rows) {
      append(text, row.id);
      text += '\t';
      text += row.name;
      text += '\t';
      append(text, row.weight);
      text += '\n';
      if (text.size() >= kPieceBytes) {
        send(std::exchange(text, {}));
      }
    }
    send(text);
    finish();
  }
  void put(const std::vector<std::string>& pieces) {
    PQclear(PQexec(connection_, "copy samples(id, name, weight) from stdin"));
    for (const std::string& piece : pieces) {
      send(piece);
    }
    finish();
  }
  /// returns  number of received bytes
  std::size_t take() {
    PQclear(PQexec(connection_, "copy samples to stdout"));
    std::size_t bytes = 0;
    char* row = nullptr;
    for (int length = 0; (length = PQgetCopyData(connection_, &row, 0)) > 0;) {
      bytes += static_cast<std::size_t>(length);
      PQfreemem(row);
    }
    PQclear(PQgetResult(connection_));
    return bytes;
  }

 private:
  void send(std::string_view text) {
    PQputCopyData(connection_, text.data(), static_cast<int>(text.size()));
  }
  void finish() {
    PQputCopyEnd(connection_, nullptr);
    while (PGresult* const result = PQgetResult(connection_)) {
      PQclear(result);
    }
  }

  PGconn* connection_;
};

Task<> put_rows(Database on, const std::vector<Sample>& rows) {
  auto copy = copy_in<Sample>(on, "samples");
  for (const Sample& row : rows) {
    co_await copy.add(row);
  }
  (void)co_await copy.finish();
}

Task<> put_bytes(Database on, const std::vector<std::string>& pieces) {
  CopyIn copy = copy_in(on, "copy samples(id, name, weight) from stdin");
  for (const std::string& piece : pieces) {
    co_await copy.write(piece);
  }
  (void)co_await copy.finish();
}

Task<std::vector<std::string>> take_pieces(Database on) {
  std::vector<std::string> pieces;
  CopyOut copy = copy_out(on, "copy samples to stdout");
  while (auto piece = co_await copy.next()) {
    pieces.push_back(std::move(*piece));
  }
  co_return pieces;
}

Task<> take_bytes(Database on) {
  std::size_t bytes = 0;
  CopyOut copy = copy_out(on, "copy samples to stdout");
  while (const auto piece = co_await copy.next()) {
    bytes += piece->size();
  }
  benchmark::DoNotOptimize(bytes);
}

/// The time of one variant so far.
struct Taken {
  double wall_s = 0;
  double cpu_s = 0;

  template <class Work>
  void add(Work work) {
    const auto begun = std::chrono::steady_clock::now();
    const double cpu_begun = cpu_seconds();
    work();
    cpu_s += cpu_seconds() - cpu_begun;
    wall_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
  /// Returns the CPU time of this thread; the server's time is not included.
  static double cpu_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
  }
};

/// Reports the rows per second of both variants, the ratio of their times per row, and the share of
/// this process.
///
/// prepare  runs before each variant's turn
template <class Prepare, class Bare, class Ours>
void compare(benchmark::State& state, Prepare prepare, Bare bare, Ours ours) {
  Taken by_bare;
  Taken by_eider;
  for (auto _ : state) {
    prepare();
    by_bare.add(bare);
    prepare();
    by_eider.add(ours);
  }
  const double count = static_cast<double>(kRows) * static_cast<double>(state.iterations());
  state.counters["bare_rows_s"] = count / by_bare.wall_s;
  state.counters["eider_rows_s"] = count / by_eider.wall_s;
  state.counters["time_ratio"] = by_eider.wall_s / by_bare.wall_s;
  state.counters["bare_cpu_us"] = by_bare.cpu_s / count * 1e6;
  state.counters["eider_cpu_us"] = by_eider.cpu_s / count * 1e6;
}

void rows_in(benchmark::State& state) {
  PostgresServer& server = PostgresServer::shared();
  BareCopy bare(server.where());
  const Database base = open_postgres(server.where());
  TestLoop loop;
  const std::vector<Sample> rows = samples(kRows);
  compare(
      state, [&] { bare.clear(); }, [&] { bare.put(rows); },
      [&] { loop.run(put_rows(base, rows)); });
}
BENCHMARK(rows_in)->Unit(benchmark::kMillisecond)->Repetitions(5)->Iterations(3);

void bytes_in(benchmark::State& state) {
  PostgresServer& server = PostgresServer::shared();
  BareCopy bare(server.where());
  const Database base = open_postgres(server.where());
  TestLoop loop;
  bare.put(samples(kRows));
  const std::vector<std::string> pieces = loop.run(take_pieces(base));
  compare(
      state, [&] { bare.clear(); }, [&] { bare.put(pieces); },
      [&] { loop.run(put_bytes(base, pieces)); });
}
BENCHMARK(bytes_in)->Unit(benchmark::kMillisecond)->Repetitions(5)->Iterations(3);

void rows_out(benchmark::State& state) {
  PostgresServer& server = PostgresServer::shared();
  BareCopy bare(server.where());
  const Database base = open_postgres(server.where());
  TestLoop loop;
  bare.put(samples(kRows));
  compare(
      state, [] {}, [&] { benchmark::DoNotOptimize(bare.take()); },
      [&] { loop.run(take_bytes(base)); });
}
BENCHMARK(rows_out)->Unit(benchmark::kMillisecond)->Repetitions(5)->Iterations(3);

}  // namespace
}  // namespace eider
