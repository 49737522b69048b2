#include "eider/app/settings/reloading.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"

namespace eider {
namespace {

TEST(Reloading, hears_the_next_signal_behind_one_that_threw) {
  using detail::app::Settings;
  const auto loop = std::move(*Loop::create(Backend::epoll));
  BlockingPool pool;
  loop->set_blocking_pool(&pool);
  const auto settings = std::make_shared<Settings>(OptionSet{}, OptionSet{}, nullptr);
  int told = 0;
  std::unique_ptr<Reloading> reloading;
  loop->post([&] {
    reloading = std::make_unique<Reloading>(settings, nullptr, [&]() -> Task<> {
      ++told;
      loop->post([&] {
        if (told == 2) {
          reloading.reset();
          loop->stop();
        } else {
          ::raise(SIGHUP);
        }
      });
      throw std::runtime_error("no");
      co_return;
    });
    ::raise(SIGHUP);
  });
  loop->run();
  pool.stop();
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace eider
