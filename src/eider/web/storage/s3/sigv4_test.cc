// Signatures of AWS: its test suite for Signature Version 4, and the examples of "Authenticating
// Requests (AWS Signature Version 4)" in the Amazon S3 API reference.
#include "eider/web/storage/s3/sigv4.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/token.h"

namespace eider::detail::s3 {
namespace {

constexpr std::string_view kNoBody =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct SuiteCase {
  std::string_view name;
  std::string_view method;
  std::string_view path;
  std::vector<NameValue> query;
  std::vector<NameValue> headers;
  std::string_view body;
  std::string_view signature;
};

/// aws-sig-v4-test-suite: region us-east-1, service "service", 2015-08-30 12:36:00 UTC. The date
/// and the host are among the headers of each case.
const std::vector<SuiteCase> kSuiteCases = {
    {"get-vanilla",
     "GET",
     "/",
     {},
     {},
     "",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"get-vanilla-empty-query-key",
     "GET",
     "/",
     {{"Param1", "value1"}},
     {},
     "",
     "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
    {"get-vanilla-query-order-key-case",
     "GET",
     "/",
     {{"Param2", "value2"}, {"Param1", "value1"}},
     {},
     "",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-vanilla-query-order-key",
     "GET",
     "/",
     {{"Param1", "value2"}, {"Param1", "Value1"}},
     {},
     "",
     "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"},
    {"get-vanilla-query-order-value",
     "GET",
     "/",
     {{"Param1", "value2"}, {"Param1", "value1"}},
     {},
     "",
     "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"},
    {"get-vanilla-query-unreserved",
     "GET",
     "/",
     {{"-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
       "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"}},
     {},
     "",
     "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"},
    {"get-vanilla-utf8-query",
     "GET",
     "/",
     {{"ሴ", "bar"}},
     {},
     "",
     "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"},
    {"get-unreserved",
     "GET",
     "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
     {},
     {},
     "",
     "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"},
    {"get-header-key-duplicate",
     "GET",
     "/",
     {},
     {{"my-header1", "value2,value2,value1"}},
     "",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-trim",
     "GET",
     "/",
     {},
     {{"my-header1", " value1"}, {"my-header2", " \"a   b   c\""}},
     "",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-vanilla",
     "POST",
     "/",
     {},
     {},
     "",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"post-vanilla-query",
     "POST",
     "/",
     {{"Param1", "value1"}},
     {},
     "",
     "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"},
    {"post-header-key-sort",
     "POST",
     "/",
     {},
     {{"my-header1", "value1"}},
     "",
     "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"},
    {"post-header-value-case",
     "POST",
     "/",
     {},
     {{"my-header1", "VALUE1"}},
     "",
     "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"},
    {"post-x-www-form-urlencoded",
     "POST",
     "/",
     {},
     {{"content-type", "application/x-www-form-urlencoded"}},
     "Param1=value1",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
    {"post-x-www-form-urlencoded-parameters",
     "POST",
     "/",
     {},
     {{"content-type", "application/x-www-form-urlencoded; charset=utf8"}},
     "Param1=value1",
     "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"}};

TEST(SigV4, signs_the_test_suite_of_aws) {
  const SigningKey key{.access_key = "AKIDEXAMPLE",
                       .secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                       .region = "us-east-1",
                       .service = "service"};
  constexpr std::string_view kDate = "20150830T123600Z";
  for (const SuiteCase& it : kSuiteCases) {
    const std::string payload = sha256_hex(it.body);
    RequestToSign request{.method = it.method,
                          .path = it.path,
                          .query = it.query,
                          .headers = it.headers,
                          .payload = payload};
    request.headers.emplace_back("host", "example.amazonaws.com");
    request.headers.emplace_back("x-amz-date", std::string(kDate));
    const std::string made = authorization_of(key, kDate, request);
    EXPECT_TRUE(
        made.starts_with("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/"
                         "service/aws4_request, SignedHeaders="))
        << made;
    EXPECT_TRUE(made.ends_with("Signature=" + std::string(it.signature)))
        << it.name << ": " << made << "\n"
        << canonical_request(request);
  }
}

/// The key, bucket and date of the examples for S3.
class S3Examples : public ::testing::Test {
 protected:
  SigningKey key_{.access_key = "AKIAIOSFODNN7EXAMPLE",
                  .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                  .region = "us-east-1"};
  std::string date_ = "20130524T000000Z";
  std::string host_ = "examplebucket.s3.amazonaws.com";

  std::string sign(RequestToSign request) const {
    request.headers.emplace_back("host", host_);
    request.headers.emplace_back("x-amz-date", date_);
    request.headers.emplace_back("x-amz-content-sha256", std::string(request.payload));
    const std::string made = authorization_of(key_, date_, request);
    return made.substr(made.rfind('=') + 1);
  }
};

TEST_F(S3Examples, get_object) {
  EXPECT_EQ(sign({.method = "GET",
                  .path = "/test.txt",
                  .headers = {{"range", "bytes=0-9"}},
                  .payload = kNoBody}),
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST_F(S3Examples, put_object) {
  const std::string payload = sha256_hex("Welcome to Amazon S3.");
  EXPECT_EQ(sign({.method = "PUT",
                  .path = "/test%24file.text",
                  .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                              {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                  .payload = payload}),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST_F(S3Examples, get_bucket_lifecycle) {
  EXPECT_EQ(sign({.method = "GET", .path = "/", .query = {{"lifecycle", ""}}, .payload = kNoBody}),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST_F(S3Examples, list_objects) {
  EXPECT_EQ(sign({.method = "GET",
                  .path = "/",
                  .query = {{"prefix", "J"}, {"max-keys", "2"}},
                  .payload = kNoBody}),
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST_F(S3Examples, presigned_url) {
  const std::string query = presigned_query(key_, date_, 86400,
                                            {.method = "GET",
                                             .path = "/test.txt",
                                             .headers = {{"host", host_}},
                                             .payload = kUnsignedPayload});
  EXPECT_EQ(query,
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2F"
            "us-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&"
            "X-Amz-SignedHeaders=host&X-Amz-Signature="
            "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SigV4, date_is_in_utc) {
  EXPECT_EQ(amz_date(0), "19700101T000000Z");
  EXPECT_EQ(amz_date(1369353600), "20130524T000000Z");
  EXPECT_EQ(amz_date(1709251199), "20240229T235959Z");
}

}  // namespace
}  // namespace eider::detail::s3
