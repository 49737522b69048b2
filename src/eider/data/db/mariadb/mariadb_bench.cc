// Compares the cost of many rows: one by one, with bulk_insert, and with Connector/C directly, in
// the same run and on the same socket. Only the ratios matter. The variants take turns, so that a
// slower machine affects all of them.
#include <benchmark/benchmark.h>
#include <mysql.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "eider/data/db/mariadb/bulk.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "tests/support/many_statements.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/samples.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr std::size_t kRows = 8'000;
constexpr std::size_t kBareRows = 2'000;  // together, as many as fit into 64 KiB

/// Connector/C with its blocking functions: arrays, and one transaction.
class BareInserts {
 public:
  explicit BareInserts(const std::string& socket) : connection_(mysql_init(nullptr)) {
    mysql_real_connect(connection_, nullptr, "tester", "", "test", 0, socket.c_str(), 0);
    mysql_query(connection_, "drop table if exists samples");
    mysql_query(connection_,
                "create table samples(id bigint primary key, name varchar(60) not null, weight "
                "double not null) engine = InnoDB");
    statement_ = mysql_stmt_init(connection_);
    const std::string sql = "insert into samples(id, name, weight) values(?, ?, ?)";
    mysql_stmt_prepare(statement_, sql.data(), sql.size());
  }
  ~BareInserts() {
    mysql_stmt_close(statement_);
    mysql_close(connection_);
  }
  BareInserts(const BareInserts&) = delete;
  BareInserts& operator=(const BareInserts&) = delete;

  void clear() { mysql_query(connection_, "delete from samples"); }

  void insert(const std::vector<Sample>& rows) {
    mysql_query(connection_, "begin");
    for (std::size_t i = 0; i < rows.size(); i += kBareRows) {
      insert_some(rows, i, std::min(kBareRows, rows.size() - i));
    }
    mysql_query(connection_, "commit");
  }

 private:
  void insert_some(const std::vector<Sample>& rows, std::size_t first, std::size_t count) {
    ids_.clear();
    weights_.clear();
    names_.clear();
    lengths_.clear();
    for (std::size_t i = first; i < first + count; ++i) {
      ids_.push_back(rows[i].id);
      weights_.push_back(rows[i].weight);
      names_.push_back(rows[i].name.data());
      lengths_.push_back(rows[i].name.size());
    }
    MYSQL_BIND binds[3]{};
    binds[0].buffer_type = MYSQL_TYPE_LONGLONG;
    binds[0].buffer = ids_.data();
    binds[1].buffer_type = MYSQL_TYPE_STRING;
    binds[1].buffer = names_.data();
    binds[1].length = lengths_.data();
    binds[2].buffer_type = MYSQL_TYPE_DOUBLE;
    binds[2].buffer = weights_.data();
    const auto rows_count = static_cast<unsigned>(count);
    mysql_stmt_attr_set(statement_, STMT_ATTR_ARRAY_SIZE, &rows_count);
    mysql_stmt_bind_param(statement_, binds);
    mysql_stmt_execute(statement_);
  }

  MYSQL* connection_;
  MYSQL_STMT* statement_ = nullptr;
  std::vector<long long> ids_;
  std::vector<double> weights_;
  std::vector<const char*> names_;
  std::vector<unsigned long> lengths_;
};

Task<> insert_in_bulk(Database on, const std::vector<Sample>& rows) {
  auto bulk = bulk_insert<Sample>(on, "samples");
  for (const Sample& row : rows) {
    co_await bulk.add(row);
  }
  (void)co_await bulk.finish();
}

Task<> insert_one_by_one(Database on, const std::vector<Sample>& rows) {
  Transaction transaction = co_await on.begin();
  for (const Sample& row : rows) {
    co_await transaction.exec("insert into samples(id, name, weight) values($1, $2, $3)", row.id,
                              row.name, row.weight);
  }
  co_await transaction.commit();
}

template <class Work>
double seconds_of(Work work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void many_rows(benchmark::State& state) {
  MariadbServer& server = MariadbServer::shared();
  const std::string where = server.where();
  BareInserts bare(where.substr(where.find("socket=") + 7));
  TestLoop loop;
  const Database base =
      open_mariadb(where, {.limits = {.transaction_time_max = std::chrono::hours(1)}});
  const std::vector<Sample> rows = samples(kRows);
  double bare_s = 0;
  double bulk_s = 0;
  double single_s = 0;
  // Each variant is first once, because the server may still clean up after the previous one.
  std::size_t first = 0;
  for (auto _ : state) {
    for (std::size_t i = first; i < first + 3; ++i) {
      bare.clear();
      switch (i % 3) {
        case 0:
          bare_s += seconds_of([&] { bare.insert(rows); });
          break;
        case 1:
          bulk_s += seconds_of([&] { loop.run(insert_in_bulk(base, rows)); });
          break;
        default:
          single_s += seconds_of([&] { loop.run(insert_one_by_one(base, rows)); });
          break;
      }
    }
    first += 2;
  }
  const double count = static_cast<double>(kRows) * static_cast<double>(state.iterations());
  state.counters["bare_rows_s"] = count / bare_s;
  state.counters["bulk_rows_s"] = count / bulk_s;
  state.counters["one_by_one_rows_s"] = count / single_s;
  state.counters["bulk_by_bare"] = bulk_s / bare_s;
  state.counters["one_by_one_by_bulk"] = single_s / bulk_s;
}
BENCHMARK(many_rows)->Unit(benchmark::kMillisecond)->Repetitions(5)->Iterations(3);

/// A million statements of all kinds: measures the resident memory after a tenth, half and all of
/// them.
void flat_memory(benchmark::State& state) {
  for (auto _ : state) {
    const ResidentMib resident =
        resident_in_statements(open_mariadb(MariadbServer::shared().where()), 1'000'000);
    state.counters["mib_at_10"] = resident.at_tenth;
    state.counters["mib_at_50"] = resident.at_half;
    state.counters["mib_at_100"] = resident.at_end;
  }
}
BENCHMARK(flat_memory)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace eider
