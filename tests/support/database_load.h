// Common parts of database tests: the error of an awaited statement, and the results of a load.
// Layering: must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/machine_lateness.h"

namespace eider {

/// Returns the failure of an awaited operation.
template <class Pending>
Task<db::Failure> failure_of(Pending& pending) {
  try {
    (void)co_await pending;
  } catch (const db::Failure& failure) {
    co_return failure;
  }
  co_return db::Failure(db::FailureKind::open, "no failure");
}

/// Creates a table with one row: 1, 'one'.
inline Task<> make_things(Database base) {
  co_await base.exec("drop table if exists things");
  co_await base.exec("create table things(id int primary key, name text not null)");
  co_await base.exec("insert into things values(1, 'one')");
}

/// Returns whether the pool reconnects. Its next attempt may come later than one statement waits.
inline Task<bool> heals(Database base) {
  for (int i = 0; i < 10; ++i) {
    auto asked = base.exec("select 1");
    if ((co_await failure_of(asked)).kind() == db::FailureKind::open) {
      co_return true;
    }
  }
  co_return false;
}

/// Results of the statements of a load.
struct Tally {
  int asked = 0;
  int done = 0;
  int undone = 0;         // failed, and certainly not executed
  int unknown = 0;        // lost: may have been executed
  Duration longest{0};    // without the time for which the machine was too busy
  std::vector<int> kept;  // acknowledged numbers
};

/// Writes numbers one after the other until `until`.
inline Task<> write_numbers(Database base, int first, Instant until, const MachineLateness* machine,
                            Tally* tally) {
  for (int number = first; Loop::current().now() < until; number += 100) {
    const Instant begun = Loop::current().read_now();
    const Duration late = machine->total();
    ++tally->asked;
    try {
      co_await base.exec("insert into numbers values($1)", number);
      ++tally->done;
      tally->kept.push_back(number);
    } catch (const db::Failure& failure) {
      const bool is_known =
          failure.kind() == db::FailureKind::expired || failure.kind() == db::FailureKind::busy ||
          std::string(failure.what()).find("nothing was done") != std::string::npos;
      EXPECT_TRUE(is_known || failure.kind() == db::FailureKind::lost) << failure.what();
      ++(is_known ? tally->undone : tally->unknown);
    }
    const Duration took = Loop::current().read_now() - begun - (machine->total() - late);
    tally->longest = std::max(tally->longest, took);
  }
}

inline Task<> write_side_by_side(Database base, Duration length, Tally* tally) {
  const MachineLateness machine;
  Scope writers;
  for (int i = 0; i < 16; ++i) {
    writers.start(write_numbers(base, i, Loop::current().now() + length, &machine, tally));
  }
  co_await writers.join();
}

}  // namespace eider
