// The pool of connections, with connections that the test controls.
#include "eider/io/net/pool.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider::net {
namespace {

using namespace std::chrono_literals;

/// The state of a connection.
struct Fate {
  bool is_alive = true;  // the peer has not disconnected
  int uses = 0;
  bool was_closed = false;
  bool is_gone = false;
};

class Wire {
 public:
  explicit Wire(Fate& fate) noexcept : fate_(&fate) {}
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire() { fate_->is_gone = true; }
  void finish() noexcept { ++fate_->uses; }
  [[nodiscard]] bool is_idle() const noexcept { return fate_->is_alive; }
  void close() noexcept { fate_->was_closed = true; }
  [[nodiscard]] const Fate* fate() const noexcept { return fate_; }

 private:
  Fate* fate_;
};

struct KeptLeases;
using WirePool = Pool<Wire, KeptLeases>;
struct KeptLeases {
  std::vector<WirePool::Lease> leases;
};

class NetPool : public ::testing::Test {
 protected:
  /// Requests a lease; it is stored in `got`, and the test releases it.
  struct Asking {
    std::optional<std::optional<WirePool::Lease>> got;
    Task<> task;

    [[nodiscard]] bool has_come() const { return got && *got; }
    [[nodiscard]] bool is_too_late() const { return got && !*got; }
  };

  Asking& ask(const std::string& key, Duration within = 5s) {
    Asking& asking = *asked_.emplace_back(std::make_unique<Asking>());
    loop.call([&] {
      asking.task = run(pool->entry(key), loop.now() + within, asking);
      asking.task.start();
    });
    return asking;
  }
  /// Gets a lease and stores a connection in it.
  Asking& lease(const std::string& key, Fate& fate) {
    Asking& asking = ask(key);
    EXPECT_TRUE(asking.has_come());
    loop.call([&] { (*asking.got)->put(std::make_unique<Wire>(fate)); });
    return asking;
  }
  void end(Asking& asking) {
    loop.call([&] { asking.got.reset(); });
  }
  /// Returns the connection of an idle lease of that key.
  [[nodiscard]] const Fate* idle(const std::string& key) {
    const Fate* fate = nullptr;
    loop.call([&] {
      auto got = pool->try_idle(pool->entry(key), [](const Wire&) { return true; });
      fate = got.is_held() ? got->fate() : nullptr;
    });
    return fate;
  }

  [[nodiscard]] Fate& fate() { return fates_.emplace_back(); }

 private:
  std::deque<Fate> fates_;  // connections update them when they are destroyed

 protected:
  SimKernel kernel;
  SimLoop loop{kernel};
  std::optional<WirePool> pool{std::in_place, loop,
                               PoolLimits{.per_key_max = 2, .all_max = 3, .idle = 10s}};

 private:
  Task<> run(WirePool::Entry& entry, Instant due, Asking& asking) {
    asking.got.emplace(co_await pool->lease(entry, due));
  }

  std::vector<std::unique_ptr<Asking>> asked_;  // destroyed before the pool
};

TEST_F(NetPool, keeps_what_is_idle_for_the_next_of_its_key) {
  Fate& one_fate = fate();
  end(lease("a", one_fate));
  EXPECT_EQ(one_fate.uses, 1);
  EXPECT_EQ(idle("b"), nullptr);
  EXPECT_EQ(idle("a"), &one_fate);
  EXPECT_EQ(idle("a"), &one_fate) << "it goes back again and again";
  EXPECT_FALSE(one_fate.was_closed);
}

TEST_F(NetPool, closes_what_is_not_idle_when_its_use_ends) {
  Fate& one_fate = fate();
  Asking& asking = lease("a", one_fate);
  one_fate.is_alive = false;
  end(asking);
  EXPECT_TRUE(one_fate.was_closed && one_fate.is_gone);
  EXPECT_EQ(idle("a"), nullptr);
}

TEST_F(NetPool, bounds_what_is_leased_of_a_key_and_serves_in_order) {
  Asking& first = ask("a");
  Asking& second = ask("a");
  Asking& third = ask("a");
  Asking& fourth = ask("a");
  EXPECT_TRUE(first.has_come() && second.has_come());
  EXPECT_FALSE(third.got || fourth.got);
  end(second);
  EXPECT_TRUE(third.has_come());
  EXPECT_FALSE(fourth.got);
  end(first);
  EXPECT_TRUE(fourth.has_come());
}

TEST_F(NetPool, bounds_what_is_leased_of_all_keys) {
  Asking& first = ask("a");
  ask("a");
  ask("b");
  Asking& fourth = ask("c");
  EXPECT_FALSE(fourth.got);
  end(first);
  EXPECT_TRUE(fourth.has_come());
}

TEST_F(NetPool, gives_nothing_at_once_ahead_of_those_that_wait) {
  Asking& first = ask("a");
  ask("a");
  Asking& third = ask("a");
  loop.call([&] {
    first.got.reset();  // its lease belongs to `third`, which was not resumed yet
    EXPECT_FALSE(pool->try_lease(pool->entry("a")).is_held());
  });
  EXPECT_TRUE(third.has_come());
}

TEST_F(NetPool, waits_until_its_due_and_loses_nothing_by_it) {
  Asking& first = ask("a");
  ask("a");
  Asking& late = ask("a", 2s);
  Asking& patient = ask("a", 9s);
  kernel.advance(3s);
  EXPECT_TRUE(late.is_too_late());
  EXPECT_FALSE(patient.got);
  end(first);
  EXPECT_TRUE(patient.has_come());
}

TEST_F(NetPool, hands_on_what_was_given_to_one_that_is_cancelled) {
  Asking& first = ask("a");
  ask("a");
  Asking& cancelled = ask("a");
  Asking& next = ask("a");
  loop.call([&] {
    first.got.reset();
    cancelled.task = Task<>();  // woken, but not resumed
  });
  EXPECT_FALSE(cancelled.got);
  EXPECT_TRUE(next.has_come());
}

TEST_F(NetPool, cancels_one_that_has_the_keys_turn_and_waits_for_that_of_all) {
  Asking& first = ask("a");
  ask("a");
  ask("b");
  Asking& cancelled = ask("c");
  Asking& other = ask("c");
  loop.call([&] { cancelled.task = Task<>(); });
  end(first);
  EXPECT_TRUE(other.has_come());
  loop.call([&] { EXPECT_EQ(pool->free_leases(pool->entry("c")), 0U) << "of all keys"; });
  end(other);
  loop.call([&] { EXPECT_EQ(pool->free_leases(pool->entry("c")), 1U); });
}

TEST_F(NetPool, gives_what_was_put_back_to_the_one_that_waited_for_it) {
  Fate& one_fate = fate();
  Asking& first = lease("a", one_fate);
  ask("a");
  Asking& third = ask("a");
  end(first);
  ASSERT_TRUE(third.has_come());
  loop.call([&] {
    EXPECT_TRUE((*third.got)->take_idle());
    EXPECT_TRUE((*third.got)->is_reused());
    EXPECT_EQ((*third.got)->get()->fate(), &one_fate);
  });
}

TEST_F(NetPool, closes_what_is_idle_for_too_long_and_forgets_its_key) {
  Fate& one_fate = fate();
  end(lease("a", one_fate));
  kernel.advance(9s);
  EXPECT_FALSE(one_fate.is_gone);
  kernel.advance(2s);
  EXPECT_TRUE(one_fate.was_closed && one_fate.is_gone);
  EXPECT_EQ(pool->find("a"), nullptr);
}

TEST_F(NetPool, forgets_keys_whose_connections_never_were_idle) {
  Fate& idle_fate = fate();
  end(lease("idle", idle_fate));
  Asking& used = ask("used");
  for (int index = 0; index < 500; ++index) {
    end(ask("refused" + std::to_string(index)));
    Fate& closed = fate();
    Asking& asking = lease("closed" + std::to_string(index), closed);
    closed.is_alive = false;
    end(asking);
  }
  std::size_t known = 0;
  for (int index = 0; index < 500; ++index) {
    for (const char* of : {"refused", "closed"}) {
      known += pool->find(of + std::to_string(index)) == nullptr ? 0 : 1;
    }
  }
  EXPECT_LT(known, 20U);
  EXPECT_NE(pool->find("used"), nullptr);
  EXPECT_EQ(idle("idle"), &idle_fate);
  end(used);
}

TEST_F(NetPool, counts_idleness_from_the_last_use) {
  Fate& one_fate = fate();
  end(lease("a", one_fate));
  kernel.advance(8s);
  EXPECT_EQ(idle("a"), &one_fate);
  kernel.advance(8s);
  EXPECT_FALSE(one_fate.is_gone);
  kernel.advance(3s);
  EXPECT_TRUE(one_fate.is_gone);
}

TEST_F(NetPool, keeps_the_entry_of_one_that_waits) {
  Asking& first = ask("a", 60s);
  ask("a", 60s);
  Asking& third = ask("a", 60s);
  Fate& one_fate = fate();
  end(lease("b", one_fate));
  kernel.advance(30s);  // checks all of them
  EXPECT_EQ(pool->find("b"), nullptr);
  end(first);
  EXPECT_TRUE(third.has_come());
}

TEST_F(NetPool, does_not_give_what_died_while_it_was_idle) {
  Fate& dead = fate();
  Fate& alive = fate();
  Asking& one = lease("a", alive);
  Asking& other = lease("a", dead);
  end(one);
  end(other);
  dead.is_alive = false;
  EXPECT_EQ(idle("a"), &alive);
  EXPECT_TRUE(dead.is_gone);
}

TEST_F(NetPool, gives_the_latest_that_fits) {
  Fate& first = fate();
  Fate& second = fate();
  Asking& one = lease("a", first);
  Asking& other = lease("a", second);
  end(one);
  end(other);
  EXPECT_EQ(idle("a"), &second);
  loop.call([&] {
    auto got = pool->try_idle(pool->entry("a"), [&](const Wire& w) { return w.fate() == &first; });
    ASSERT_TRUE(got.is_held());
    EXPECT_EQ(got->fate(), &first);
    auto none = pool->try_idle(pool->entry("a"), [](const Wire&) { return false; });
    EXPECT_FALSE(none.is_held());
    EXPECT_EQ(pool->free_leases(pool->entry("a")), 1U) << "what did not fit costs no lease";
  });
  EXPECT_FALSE(second.is_gone);
}

TEST_F(NetPool, lets_idle_ones_of_any_key_give_way) {
  Fate& first = fate();
  Fate& second = fate();
  Fate& third = fate();
  end(lease("a", first));
  end(lease("b", second));
  end(lease("c", third));
  Asking& one_more = ask("d");
  loop.call([&] { (*one_more.got)->make_room(); });
  EXPECT_EQ(first.is_gone + second.is_gone + third.is_gone, 1);
  EXPECT_EQ(pool->idle_connections(), 2U);
}

TEST_F(NetPool, ends_with_what_is_idle_and_what_its_user_leases_in_it) {
  Fate& idle_one = fate();
  Fate& kept = fate();
  end(lease("a", idle_one));
  Asking& asking = lease("b", kept);
  loop.call([&] {
    pool->entry("b").more.leases.push_back(std::move(**asking.got));
    asking.got.reset();
    pool.reset();
  });
  EXPECT_TRUE(idle_one.is_gone && kept.is_gone);
}

}  // namespace
}  // namespace eider::net
