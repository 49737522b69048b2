#include "eider/app/handlers/unvalidated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/optional_initializer.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct NewUser {
  Sized<std::string, 3, 10> name;
  Bounded<int, 18, 120> age;
  std::vector<std::string> mails = kOptional;
};

struct Users {
  std::vector<std::string> asked;
};

/// Waits like a database query.
Task<bool> is_taken(Users& users, std::string name) {
  co_await yield_now();
  users.asked.push_back(name);
  co_return name == "ada";
}

template <class Content>
Task<Result<std::string>> add_user(Unvalidated<Content> input, State<Users> users) {
  if (input.is_valid(input->name)) {
    if (co_await is_taken(*users, *input->name)) {
      input.add(input->name, "is taken");
    }
  }
  for (const std::string& mail : input->mails) {
    if (mail.empty()) {
      input.add(mail, Requirement{.code = "mail", .text = "must not be empty"});
    }
  }
  Result<NewUser> user = std::move(input).finish();
  if (!user) {
    co_return fail(std::move(user.error()));
  }
  co_return *user->name;
}

class UnvalidatedInput : public ::testing::Test {
 protected:
  UnvalidatedInput() {
    app_.state(Users{});
    app_.post("/json", add_user<Json<NewUser>>);
    app_.post("/form", add_user<Form<NewUser>>);
  }

  /// Returns "422 /age must …, /name is taken, "; other responses unchanged.
  std::string told(const std::string& path, const std::string& type, const std::string& body) {
    TestClient client(app_);
    const TestResponse reply = client.send({.method = Method::post,
                                            .target = path,
                                            .headers = {{"Content-Type", type}},
                                            .body = body});
    if (reply.status != 422) {
      return std::to_string(reply.status) + (reply.status == 200 ? " " + reply.body : "");
    }
    std::string text = "422 ";
    for (const FieldError& fault : reply.problem().errors) {
      text += fault.pointer + " " + fault.detail + ", ";
    }
    return text;
  }
  std::string json_told(const std::string& body) { return told("/json", "application/json", body); }
  std::string form_told(const std::string& body) {
    return told("/form", "application/x-www-form-urlencoded", body);
  }

  App app_;
};

TEST_F(UnvalidatedInput, tell_what_the_handler_finds_beside_what_reading_finds) {
  EXPECT_EQ(json_told(R"({"name":"ada","age":7,"mails":["a@b",""]})"),
            "422 /age must be between 18 and 120, /name is taken, /mails/1 must not be empty, ");
  EXPECT_EQ(form_told("name=ada&age=7&mails=a%40b&mails="),
            "422 age must be between 18 and 120, name is taken, mails/1 must not be empty, ");
}

TEST_F(UnvalidatedInput, are_values_once_nothing_is_wrong) {
  EXPECT_EQ(json_told(R"({"name":"bob","age":20})"), "200 bob");
  EXPECT_EQ(form_told("name=bob&age=20"), "200 bob");
}

TEST_F(UnvalidatedInput, know_which_members_are_worth_asking_about) {
  EXPECT_EQ(json_told(R"({"name":"x","age":20})"), "422 /name must have 3 to 10 characters, ");
  EXPECT_EQ(json_told(R"({"age":20})"), "422 /name is missing, ");
  EXPECT_EQ(json_told(R"({"name":7,"age":20})"), "422 /name must be a string, ");
  EXPECT_EQ(form_told("name=x&age=20"), "422 name must have 3 to 10 characters, ");
}

TEST_F(UnvalidatedInput, are_not_made_of_what_is_no_json_or_of_another_type) {
  EXPECT_EQ(json_told("{"), "400");
  EXPECT_EQ(told("/json", "text/plain", "{}"), "415");
  EXPECT_EQ(told("/form", "application/json", "{}"), "415");
}

TEST_F(UnvalidatedInput, tell_no_more_than_thirty_two_faults) {
  std::string mails = R"("")";
  for (int i = 0; i < 100; ++i) {
    mails += R"(,"")";
  }
  const std::string all = json_told(R"({"name":"bob","age":20,"mails":[)" + mails + "]}");
  EXPECT_EQ(std::ranges::count(all, ','), 32);
}

TEST(FaultsOfADraft, are_found_at_a_place_within_it_and_around_it) {
  const std::vector<FieldError> faults = {{"/a/b", "wrong"}};
  for (const char* const pointer : {"/a/b", "/a", "", "/a/b/0"}) {
    EXPECT_TRUE(detail::app::has_fault_at(faults, pointer)) << pointer;
  }
  for (const char* const pointer : {"/a/bc", "/b", "/a/c"}) {
    EXPECT_FALSE(detail::app::has_fault_at(faults, pointer)) << pointer;
  }
}

TEST_F(UnvalidatedInput, are_documented_as_the_content_that_they_are_of) {
  App app;
  app.post("/", [](Unvalidated<Json<NewUser>>) {});
  const Operation operation = app.operations()[0];
  ASSERT_EQ(operation.contents.size(), 1U);
  EXPECT_EQ(operation.contents[0].media_type, "application/json");
  EXPECT_EQ(operation.contents[0].type, &reflect::type_of<NewUser>());
  EXPECT_NE(operation.find_response(422), nullptr);
}

}  // namespace
}  // namespace eider
