#include "eider/protocols/http/status.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(Status, has_a_phrase_when_it_is_registered) {
  EXPECT_EQ(reason_phrase(100), "Continue");
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(418), "I'm a Teapot");
  EXPECT_EQ(reason_phrase(511), "Network Authentication Required");
}

TEST(Status, has_no_phrase_otherwise) {
  for (const int status : {-1, 0, 99, 199, 299, 306, 499, 599, 600, 100000}) {
    EXPECT_EQ(reason_phrase(status), "") << status;
  }
}

TEST(Status, forbids_content_where_a_client_expects_none) {
  EXPECT_TRUE(forbids_content(101));
  EXPECT_TRUE(forbids_content(204));
  EXPECT_TRUE(forbids_content(304));
  EXPECT_FALSE(forbids_content(200));
  EXPECT_FALSE(forbids_content(205));
}

}  // namespace
}  // namespace eider
