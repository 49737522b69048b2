#include "eider/data/db/scratch/cleanup_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace eider::detail::scratch {
namespace {

class KeptInVain final : public TemporaryResource {
 public:
  Result<std::string, std::string> make(const Parent& /*other*/) override {
    return std::string("somewhere");
  }
  Result<void, std::string> remove() override { return fail(std::string("it stays")); }
};

TEST(Keepers, say_what_could_not_be_removed) {
  ::testing::internal::CaptureStderr();
  {
    KeptInVain kept;
    const auto keeper = CleanupProcess::start(kept);
    ASSERT_TRUE(keeper.has_value());
    EXPECT_EQ(keeper->where(), "somewhere");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "it stays\n");
}

/// Its address becomes known after the command was canceled.
class CanceledEarly final : public TemporaryResource {
 public:
  Result<std::string, std::string> make(const Parent& other) override {
    (void)::kill(::getppid(), SIGTERM);
    (void)other.waits(-1);
    return std::string("host=db.example password=secret");
  }
  Result<void, std::string> remove() override { return fail(std::string("it stays")); }
};

TEST(Keepers, do_not_print_the_address_after_a_signal) {
  EXPECT_EXIT(
      {
        CanceledEarly kept;
        (void)CleanupProcess::start(kept);
      },
      ::testing::KilledBySignal(SIGTERM), "^it stays\n$");
}

}  // namespace
}  // namespace eider::detail::scratch
