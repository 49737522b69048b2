#include "eider/app/handlers/merge_patch.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"
#include "eider/core/reflect/constraints.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct PatchedAddress {
  std::string street;
  std::string town;
};
struct PatchedUser {
  Sized<std::string, 1, 9> name;
  std::optional<int> age;
  PatchedAddress address;
};

struct PatchedOrder {
  std::string item;
  std::optional<PatchedAddress> to;
};

class MergePatches : public ::testing::Test {
 protected:
  MergePatches() {
    app_.patch("/", [](MergePatch<PatchedUser> patch) -> Result<PatchedUser> {
      return patch.applied_to({"ada", 36, {"Main", "London"}});
    });
  }

  TestResponse patch(const std::string& body,
                     const std::string& type = "application/merge-patch+json") {
    TestClient client(app_);
    return client.send({.method = Method::patch,
                        .target = "/",
                        .headers = {{"Content-Type", type}},
                        .body = body});
  }

  App app_;
};

TEST_F(MergePatches, change_what_they_name_and_take_away_what_is_null) {
  EXPECT_EQ(patch(R"({"address":{"town":"Bath"},"age":null})").body,
            R"({"name":"ada","address":{"street":"Main","town":"Bath"}})");
  EXPECT_EQ(patch("{}").body,
            R"({"name":"ada","age":36,"address":{"street":"Main","town":"London"}})");
  EXPECT_EQ(patch(R"({"name":"bob"})", "application/json; charset=utf-8").status, 200);
}

TEST_F(MergePatches, are_checked_as_what_they_make) {
  const TestResponse reply = patch(R"({"name":"","address":{"town":null},"more":1})");
  ASSERT_EQ(reply.status, 422);
  std::string told;
  for (const FieldError& fault : reply.problem().errors) {
    told += fault.pointer + " " + fault.code + ", ";
  }
  EXPECT_EQ(told, "/name length, /address/town null, /more unknown, ");
  EXPECT_EQ(patch("7").status, 422);
}

TEST_F(MergePatches, report_null_only_for_members_that_the_patch_deletes) {
  App app;
  app.patch("/", [](MergePatch<PatchedOrder> patch) -> Result<PatchedOrder> {
    return patch.applied_to({"tea", std::nullopt});
  });
  TestClient client(app);
  const TestResponse reply = client.send({.method = Method::patch,
                                          .target = "/",
                                          .headers = {{"Content-Type", "application/json"}},
                                          .body = R"({"item":null,"to":{"street":"Main"}})"});
  ASSERT_EQ(reply.status, 422);
  const auto errors = reply.problem().errors;
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].pointer + " " + errors[0].detail, "/to/town is missing");
  EXPECT_EQ(errors[1].pointer + " " + errors[1].detail, "/item cannot be null");
}

TEST_F(MergePatches, are_json_of_their_media_type) {
  EXPECT_EQ(patch("{").status, 400);
  const TestResponse refused = patch("{}", "text/plain");
  EXPECT_EQ(refused.status, 415);
  EXPECT_EQ(refused.header("Accept-Patch"), "application/merge-patch+json");
}

TEST_F(MergePatches, are_told_in_documents) {
  const Operation operation = app_.operations()[0];
  ASSERT_EQ(operation.contents.size(), 2U);
  EXPECT_EQ(operation.contents[0].media_type, "application/merge-patch+json");
  EXPECT_NE(operation.find_response(422), nullptr);
}

}  // namespace
}  // namespace eider
