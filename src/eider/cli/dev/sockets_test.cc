#include "eider/cli/dev/sockets.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

namespace eider::dev {
namespace {

TEST(DevSockets, what_connects_waits_until_it_is_accepted) {
  const Descriptor listener = listen_at("127.0.0.1", 0);
  ASSERT_TRUE(listener.is_open());
  EXPECT_TRUE(is_accepted_from(listener));
  Descriptor probe = connect_to(listener);
  EXPECT_FALSE(is_accepted_from(listener));
  probe = Descriptor();
  EXPECT_FALSE(is_accepted_from(listener)) << "one that has left again is accepted, too";
  const Descriptor accepted(::accept(listener.get(), nullptr, nullptr));
  EXPECT_TRUE(accepted.is_open());
  EXPECT_TRUE(is_accepted_from(listener));
  EXPECT_FALSE(is_accepted_from(Descriptor()));
}

}  // namespace
}  // namespace eider::dev
