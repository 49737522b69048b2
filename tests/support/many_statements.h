// Sends statements of all kinds to one database, and measures the memory of this process meanwhile.
// Layering: must not be linked into an application.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>

#include "eider/data/db/database.h"
#include "eider/data/db/failure.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/resident.h"
#include "tests/support/test_loop.h"

namespace eider {

class ManyStatements {
 public:
  /// Creates the table `world` with 1,000 rows.
  [[nodiscard]] static Task<> make_table(Database base) {
    co_await base.exec("drop table if exists world");
    co_await base.exec(
        "create table world(id int primary key, number int not null, words varchar(400) not null)");
    for (int id = 1; id <= 1000; ++id) {
      co_await base.exec("insert into world(id, number, words) values($1, $2, $3)", id, id,
                         words_of(id, 'w'));
    }
  }
  /// Runs 16 tasks, each with its own rows, so that they do not wait for each other.
  [[nodiscard]] static Task<> ask(Database base, int count) {
    Scope all;
    for (int task = 0; task < kTasks; ++task) {
      all.start(ask_turns(base, task, count / kOfOneTurn / kTasks));
    }
    co_await all.join();
  }

 private:
  static constexpr int kTasks = 16;
  static constexpr int kOfOneTurn = 19;  // including begin and commit

  struct World {
    int id;
    int number;
    std::string words;
  };

  [[nodiscard]] static std::string words_of(int id, char letter) {
    return std::string(static_cast<std::size_t>(id % 400), letter);
  }
  static void expect(bool is_so) {
    if (!is_so) {
      throw std::runtime_error("a statement has not given what it should");
    }
  }

  [[nodiscard]] static Task<> ask_turns(Database base, int task, int turns) {
    for (int i = 0; i < turns; ++i) {
      const int id = 1 + (i % 60) * kTasks + task;
      co_await read(base, id);
      co_await change(base, id);
    }
  }
  [[nodiscard]] static Task<> read(Database base, int id) {
    const auto one =
        co_await base.one<World>("select id, number, words from world where id = $1", id);
    expect(one.has_value() && one->id == id);
    const auto some = co_await base.all<World>(
        "select id, number, words from world where id >= $1 and id < $2", id, id + 20);
    expect(some.size() == 20);
    for (int i = 0; i < 2; ++i) {
      const auto each =
          co_await base.all(db::row<World>("select id, number, words from world where id = $1", id),
                            db::row<std::string>("select words from world where id = $1", id),
                            db::rows<int>("select number from world where id <= $1", id % 20),
                            db::row<int>("select count(*) from world where id = $1", id));
      expect(std::get<3>(each).value() == 1);
    }
  }
  [[nodiscard]] static Task<> change(Database base, int id) {
    const auto batch =
        co_await base.batch(db::change("update world set number = number + 1 where id = $1", id),
                            db::row<int>("select number from world where id = $1", id),
                            db::change("update world set number = $2 where id = $1", id, id),
                            db::row<int>("select number from world where id = $1", id));
    expect(std::get<3>(batch) == id);
    Transaction transaction = co_await base.begin();
    co_await transaction.exec("update world set words = $2 where id = $1", id, words_of(id, 'v'));
    const auto number = co_await transaction.one<int>("select number from world where id = $1", id);
    expect(number == id);
    co_await transaction.commit();
    bool is_refused = false;
    try {
      co_await base.exec("insert into world(id, number, words) values($1, 0, '')", id);
    } catch (const db::Failure& failure) {
      is_refused = failure.kind() == db::FailureKind::unique;
    }
    expect(is_refused);
  }
};

/// base  its table `world` is created anew
inline ResidentMib resident_in_statements(const Database& base, int count) {
  TestLoop loop;
  loop.run(ManyStatements::make_table(base));
  return resident_in_tenths([&] { loop.run(ManyStatements::ask(base, count / 10)); });
}

}  // namespace eider
