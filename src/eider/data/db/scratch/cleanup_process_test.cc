#include "eider/data/db/scratch/cleanup_process.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace eider::detail::scratch
