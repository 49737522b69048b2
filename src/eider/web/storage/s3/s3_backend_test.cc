// The requests to S3, and what is made of failures. tests/integration/storage_test.py has a real
// server, which verifies the signatures.
#include "eider/web/storage/s3/s3_backend.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/token.h"
#include "eider/core/base/url.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"
#include "eider/protocols/http/date.h"
#include "eider/testkit/temp_directory.h"
#include "eider/web/storage/s3/parts.h"
#include "eider/web/storage/s3/test_s3_server.h"
#include "tests/support/test_loop.h"

namespace eider::detail::s3 {
namespace {

using namespace std::chrono_literals;
using eider::testing::ScriptedS3;
using storage::ContentSource;
using storage::UrlTerms;

StorageOptions s3_options(const std::string& endpoint) {
  return {.s3_bucket = "notes",
          .s3_endpoint = endpoint,
          .s3_region = "eu-test-1",
          .s3_access_key = "KEY",
          .s3_secret_key = Secret("secret"),
          .s3_prefix = "app/"};
}

ContentSource pieces_of(std::vector<std::string> pieces) {
  return [all = std::move(pieces), next = std::size_t{0}]() mutable -> Task<std::string> {
    co_return next < all.size() ? all[next++] : std::string();
  };
}

class S3 : public ::testing::Test {
 protected:
  S3() { loop_.loop().set_blocking_pool(&pool_); }
  ~S3() override { pool_.stop(); }
  void respond(std::vector<std::string> responses, std::size_t part_bytes = 1000,
               ScriptedS3::Answer otherwise = nullptr,
               ScriptedS3::After after = ScriptedS3::After::closes) {
    server_.emplace(std::move(responses), std::move(otherwise), after);
    backend_.emplace(read_bucket(s3_options(server_->url())), S3Limits{.part_bytes = part_bytes});
  }
  template <class T>
  T run(Task<T> task) {
    return loop_.run(std::move(task));
  }
  /// The Failure that the task throws.
  template <class T>
  Error error_of(Task<T> task) {
    try {
      (void)run(std::move(task));
    } catch (const Failure& failure) {
      return failure.error();
    }
    return Error(599, "none");
  }
  auto put(std::vector<std::string> pieces, PutOptions options = {}) {
    return backend_->put("a", pieces_of(std::move(pieces)), std::nullopt, std::move(options));
  }
  std::string read(ObjectRange range = {}) {
    auto reading = [](const S3Backend& backend, ObjectRange part) -> Task<std::string> {
      auto opened = co_await backend.get("a", part, {});
      std::string all;
      while (opened) {
        const std::string piece = co_await opened->content->next();
        if (piece.empty()) {
          break;
        }
        all += piece;
      }
      co_return all;
    };
    return run(reading(*backend_, range));
  }
  /// The lines of the requests.
  std::vector<std::string> asked() const {
    std::vector<std::string> lines;
    for (const ScriptedS3::Seen& seen : server_->seen()) {
      lines.push_back(seen.line());
    }
    return lines;
  }
  /// Waits until so many requests have come.
  void await_requests(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (server_->seen().size() < count && std::chrono::steady_clock::now() < until) {
      run([]() -> Task<> { co_await sleep_for(5ms); }());
    }
  }

  // The loop closes its connections before the server ends, which waits for that.
  std::optional<ScriptedS3> server_;
  BlockingPool pool_{{.threads_max = 0}};
  TestLoop loop_;
  std::optional<S3Backend> backend_;
};

const std::string kStored = ScriptedS3::response("200 OK", "ETag: \"e1\"\r\n", "");
std::string begun(const std::string& headers) {
  return ScriptedS3::response(
      "200 OK", headers,
      "<InitiateMultipartUploadResult><UploadId>u+1</UploadId></InitiateMultipartUploadResult>");
}
const std::string kBegun = begun("");
std::string stored_as(const std::string& etag) {
  return ScriptedS3::response("200 OK", "ETag: " + etag + "\r\n", "");
}
/// The response to HEAD of an object.
std::string head_of(const std::string& headers, std::size_t bytes) {
  return "HTTP/1.1 200 OK\r\nConnection: close\r\n" + headers +
         "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
}
const std::string kCompleted = ScriptedS3::response(
    "200 OK", "",
    "<CompleteMultipartUploadResult><ETag>\"e-2\"</ETag></CompleteMultipartUploadResult>");
const std::string kAborted = ScriptedS3::response("204 No Content", "", "");

TEST_F(S3, small_object_is_one_signed_put) {
  respond({kStored});
  const StoredObject stored = run(
      backend_->put("ä b/c", pieces_of({"he", "llo"}), std::nullopt,
                    {.content_type = "text/plain", .filename = "ü.txt", .metadata = {{"x", "y"}}}));
  EXPECT_EQ(stored.bytes, 5U);
  EXPECT_EQ(stored.etag, "\"e1\"");
  const ScriptedS3::Seen seen = server_->seen().at(0);
  EXPECT_EQ(seen.line(), "PUT /notes/app/%C3%A4%20b/c");
  EXPECT_EQ(seen.body, "hello");
  EXPECT_TRUE(seen.has("Content-Type: text/plain\r\n")) << seen.head;
  EXPECT_TRUE(seen.has("x-amz-meta-filename: %C3%BC.txt\r\n"));
  EXPECT_TRUE(seen.has("x-amz-meta-x: y\r\n"));
  EXPECT_TRUE(seen.has("x-amz-content-sha256: " + sha256_hex("hello") + "\r\n"));
  EXPECT_TRUE(
      seen.has("/eu-test-1/s3/aws4_request, SignedHeaders=host;x-amz-content-sha256;"
               "x-amz-date;x-amz-meta-filename;x-amz-meta-x, Signature="))
      << seen.head;
  EXPECT_FALSE(seen.has("secret"));
}

TEST_F(S3, passing_failures_are_repeated) {
  respond({ScriptedS3::error("503 Slow Down", "SlowDown"),
           ScriptedS3::error("500 Internal Server Error", "InternalError"), "", kStored});
  EXPECT_EQ(run(put({"hello"})).etag, "\"e1\"");
  ASSERT_EQ(server_->seen().size(), 4U);
  for (const ScriptedS3::Seen& seen : server_->seen()) {
    EXPECT_EQ(seen.body, "hello");
  }
}

// The server closes a connection on which no byte of the body has come for a while.
TEST_F(S3, request_is_repeated_whose_body_came_too_slowly) {
  respond({ScriptedS3::error("400 Bad Request", "RequestTimeout"), kStored,
           ScriptedS3::error("400 Bad Request", "InvalidRequest")});
  EXPECT_EQ(run(put({"hello"})).etag, "\"e1\"");
  ASSERT_EQ(server_->seen().size(), 2U);
  EXPECT_EQ(server_->seen()[1].body, "hello");
  EXPECT_EQ(error_of(put({"hello"})).status(), 502);
  EXPECT_EQ(server_->seen().size(), 3U);
}

TEST_F(S3, lasting_failures_are_reported) {
  const std::string busy = ScriptedS3::error("503 Slow Down", "SlowDown");
  respond(std::vector<std::string>(5, busy));
  const Error error = error_of(put({"hello"}));
  EXPECT_EQ(error.status(), 503);
  EXPECT_EQ(error.cause(),
            "S3 PUT notes/app/a failed with status 503 SlowDown: As the test wants.");
  EXPECT_EQ(server_->seen().size(), 5U);
}

TEST_F(S3, server_that_is_not_there_is_502) {
  respond({});
  backend_.emplace(read_bucket(s3_options("http://127.0.0.1:1")));
  const Error error = error_of(backend_->head("a"));
  EXPECT_EQ(error.status(), 502);
  EXPECT_TRUE(error.cause().starts_with("S3 HEAD a: ")) << error.cause();
}

TEST_F(S3, mistakes_in_the_settings_are_explained) {
  respond({ScriptedS3::error("403 Forbidden", "SignatureDoesNotMatch"),
           ScriptedS3::error("404 Not Found", "NoSuchBucket"),
           ScriptedS3::error("403 Forbidden", "AccessDenied")});
  EXPECT_TRUE(error_of(put({"x"})).cause().contains("Check the secret key"));
  EXPECT_TRUE(error_of(put({"x"})).cause().contains("Create the bucket"));
  const Error denied = error_of(put({"x"}));
  EXPECT_TRUE(denied.cause().contains("Allow s3:GetObject"));
  EXPECT_EQ(denied.status(), 502);
  EXPECT_EQ(denied.detail(), "The file storage failed.") << "clients learn no more";
}

TEST_F(S3, clock_that_is_wrong_is_explained) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const DateText late = format_date(now.count() + 3600);
  respond({ScriptedS3::error("403 Forbidden", "RequestTimeTooSkewed",
                             "Date: " + std::string(late.data(), late.size()) + "\r\n")});
  const std::string cause = error_of(put({"x"})).cause();
  EXPECT_TRUE(cause.contains(" s slow: synchronize it (NTP).")) << cause;
}

TEST_F(S3, large_object_is_uploaded_in_parts) {
  respond({kBegun, kStored, ScriptedS3::response("200 OK", "ETag: \"<2>\"\r\n", ""), kCompleted},
          5);
  const StoredObject stored = run(put({"0123456", "78"}, {.content_type = "image/png"}));
  EXPECT_EQ(stored.bytes, 9U);
  EXPECT_EQ(stored.etag, "\"e-2\"");
  EXPECT_EQ(
      asked(),
      (std::vector<std::string>{
          "POST /notes/app/a?uploads=", "PUT /notes/app/a?partNumber=1&uploadId=u%2B1",
          "PUT /notes/app/a?partNumber=2&uploadId=u%2B1", "POST /notes/app/a?uploadId=u%2B1"}));
  EXPECT_TRUE(server_->seen()[0].has("Content-Type: image/png"));
  EXPECT_EQ(server_->seen()[1].body, "01234");
  EXPECT_EQ(server_->seen()[2].body, "5678");
  EXPECT_EQ(server_->seen()[3].body,
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"e1\"</ETag></Part>"
            "<Part><PartNumber>2</PartNumber><ETag>\"&lt;2&gt;\"</ETag></Part>"
            "</CompleteMultipartUpload>");
}

TEST_F(S3, upload_that_fails_is_aborted) {
  respond({kBegun, kStored, kStored, kAborted}, 5);
  ContentSource source = [count = 0]() mutable -> Task<std::string> {
    if (++count == 2) {
      throw Failure(Error::bad_request("cut off"));
    }
    co_return std::string("0123456789");
  };
  EXPECT_EQ(error_of(backend_->put("a", source, std::nullopt, {})).status(), 400);
  await_requests(4);
  EXPECT_EQ(asked().back(), "DELETE /notes/app/a?uploadId=u%2B1");
}

TEST_F(S3, upload_that_is_too_large_is_aborted) {
  respond({kBegun, kStored, kAborted}, 5);
  EXPECT_EQ(error_of(put({"01234", "5678", "9abc"}, {.bytes_max = 12})).status(), 413);
  await_requests(3);
  EXPECT_EQ(asked().back(), "DELETE /notes/app/a?uploadId=u%2B1");
}

TEST_F(S3, upload_that_is_cancelled_is_aborted) {
  respond({kBegun, kStored, kAborted}, 5);
  run([](const S3Backend& backend, const ScriptedS3& server) -> Task<> {
    AsyncEvent never;
    ContentSource source = [&never, count = 0]() mutable -> Task<std::string> {
      if (++count == 2) {
        co_await never.wait();
      }
      co_return std::string("01234");
    };
    Task<StoredObject> putting = backend.put("a", source, std::nullopt, {});
    putting.start();
    while (server.seen().size() < 2) {
      co_await sleep_for(5ms);
    }
    co_await sleep_for(50ms);
    putting = {};
  }(*backend_, *server_));
  await_requests(3);
  EXPECT_EQ(asked().back(), "DELETE /notes/app/a?uploadId=u%2B1");
}

TEST_F(S3, completion_is_repeated_and_its_lost_response_is_found) {
  // The ETags are no MD5s: the size and the date decide.
  const std::string date = "Fri, 24 May 2013 00:00:00 GMT\r\n";
  respond({begun("Date: " + date), kStored, kStored, ScriptedS3::error("200 OK", "InternalError"),
           "", ScriptedS3::error("404 Not Found", "NoSuchUpload"),
           head_of("ETag: \"e-2\"\r\nLast-Modified: " + date, 10)},
          5);
  EXPECT_EQ(run(put({"0123456789"})).etag, "\"e-2\"");
  EXPECT_EQ(asked().back(), "HEAD /notes/app/a");
}

TEST_F(S3, object_of_another_upload_is_not_taken_for_this_one) {
  const std::string no_upload = ScriptedS3::error("404 Not Found", "NoSuchUpload");
  const std::vector<std::string> parts = {etag_of_content("01234"), etag_of_content("56789")};
  EXPECT_EQ(etag_of_content("hello"), "\"5d41402abc4b2a76b9719d911017c592\"");
  // An upload that fails is aborted by the last request.
  const auto status_and_abort = [&](Task<StoredObject> putting) {
    const int status = error_of(std::move(putting)).status();
    await_requests(status == 599 ? 5 : 6);
    return status;
  };
  const TempDirectory temporary;
  const std::string path = temporary.path() / "file";
  const auto upload = [&](const std::string& headers) {
    std::ofstream(path) << "0123456789";
    respond({kBegun, stored_as(parts[0]), stored_as(parts[1]), no_upload, head_of(headers, 10),
             kAborted},
            5);
    return status_and_abort(backend_->put_file("a", {.path = path, .bytes = 10}, {}));
  };
  EXPECT_EQ(upload("ETag: \"0123456789abcdef0123456789abcdef-2\"\r\n"), 502);
  EXPECT_TRUE(std::filesystem::exists(path)) << "the only copy of the content";
  EXPECT_EQ(upload("ETag: " + *etag_of_parts(parts) + "\r\n"), 599) << "none";
  EXPECT_FALSE(std::filesystem::exists(path));
  // Without MD5s: another size, an older date, no date.
  const std::string date = "Date: Fri, 24 May 2013 00:00:10 GMT\r\n";
  const auto without_md5 = [&](const std::string& begin, const std::string& headers,
                               std::size_t bytes) {
    respond({begun(begin), kStored, kStored, no_upload, head_of(headers, bytes), kAborted}, 5);
    return status_and_abort(put({"0123456789"}));
  };
  const std::string etag = "ETag: \"e-2\"\r\n";
  const std::string later = etag + "Last-Modified: Fri, 24 May 2013 00:00:10 GMT\r\n";
  EXPECT_EQ(without_md5(date, later, 9), 502);
  EXPECT_EQ(without_md5(date, etag + "Last-Modified: Fri, 24 May 2013 00:00:09 GMT\r\n", 10), 502);
  EXPECT_EQ(without_md5("", later, 10), 502);
  EXPECT_EQ(without_md5(date, later, 10), 599);
}

TEST_F(S3, condition_that_fails_after_a_lost_response_is_compared) {
  const std::string there = ScriptedS3::error("412 Precondition Failed", "PreconditionFailed");
  respond({"", there, head_of("ETag: " + etag_of_content("x") + "\r\n", 1), "", there,
           head_of("ETag: " + etag_of_content("y") + "\r\n", 1)});
  EXPECT_EQ(run(put({"x"}, {.overwrites = false})).etag, etag_of_content("x"));
  EXPECT_EQ(error_of(put({"x"}, {.overwrites = false})).status(), 409);
  const std::vector<std::string> parts = {etag_of_content("01234"), etag_of_content("56789")};
  respond({kBegun, stored_as(parts[0]), stored_as(parts[1]), "", there,
           head_of("ETag: " + *etag_of_parts(parts) + "\r\n", 10)},
          5);
  EXPECT_EQ(run(put({"0123456789"}, {.overwrites = false})).etag, *etag_of_parts(parts));
}

TEST_F(S3, downloads_that_are_not_read_do_not_block_other_requests) {
  const auto reply = [](const ScriptedS3::Seen& seen) {
    return seen.head.starts_with("GET ")
               ? std::string(
                     "HTTP/1.1 200 OK\r\nETag: \"e1\"\r\nContent-Length: 1000000\r\n\r\n0123")
               : kStored;
  };
  respond({}, 1000, reply, ScriptedS3::After::stays_open);
  run([](const S3Backend& backend) -> Task<> {
    std::vector<storage::OpenedObject> unread;
    for (int count = 0; count < 40; ++count) {
      auto opened = co_await backend.get("a", {}, {});
      unread.push_back(std::move(*opened));
    }
    const auto found = co_await backend.head("a");
    EXPECT_TRUE(found.has_value());
    const StoredObject stored = co_await backend.put("a", pieces_of({"x"}), std::nullopt, {});
    EXPECT_EQ(stored.etag, "\"e1\"");
  }(*backend_));
}

TEST_F(S3, too_many_downloads_get_503) {
  respond({"HTTP/1.1 200 OK\r\nETag: \"e1\"\r\nContent-Length: 1000000\r\n\r\n0123"}, 1000, nullptr,
          ScriptedS3::After::stays_open);
  backend_.emplace(read_bucket(s3_options(server_->url())), S3Limits{.downloads_max = 1});
  const Error error = error_of([](const S3Backend& backend) -> Task<> {
    const auto unread = co_await backend.get("a", {}, {});
    (void)co_await backend.get("a", {}, {});
  }(*backend_));
  EXPECT_EQ(error.status(), 503);
  EXPECT_TRUE(error.cause().contains("All connections to ")) << error.cause();
  EXPECT_EQ(server_->seen().size(), 1U);
}

TEST_F(S3, memory_for_parts_is_limited) {
  respond({kBegun, kStored}, 8, [](const ScriptedS3::Seen&) { return kStored; });
  backend_.emplace(read_bucket(s3_options(server_->url())),
                   S3Limits{.part_bytes = 8, .memory_max = 12});
  run([](const S3Backend& backend, const ScriptedS3& server) -> Task<> {
    AsyncEvent never;
    ContentSource source = [&never, count = 0]() mutable -> Task<std::string> {
      if (++count == 2) {
        co_await never.wait();
      }
      co_return std::string("01234567");
    };
    Task<StoredObject> slow = backend.put("a", source, std::nullopt, {});
    slow.start();
    while (server.seen().size() < 2) {
      co_await sleep_for(5ms);
    }
    int status = 0;
    try {
      (void)co_await backend.put("b", pieces_of({"01234567"}), std::nullopt, {});
    } catch (const Failure& failure) {
      status = failure.error().status();
    }
    EXPECT_EQ(status, 503);
    (void)co_await backend.put("b", pieces_of({"0123"}), std::nullopt, {});
    slow = {};
    (void)co_await backend.put("b", pieces_of({"0123", "456"}), std::nullopt, {});
  }(*backend_, *server_));
  await_requests(5);
}

TEST_F(S3, large_content_is_sent_again_without_a_copy) {
  const std::string content = std::string(200'000, 'a') + "end";
  respond({"", kStored}, 1'000'000);
  EXPECT_EQ(run(put({content})).etag, "\"e1\"");
  ASSERT_EQ(server_->seen().size(), 2U);
  EXPECT_TRUE(server_->seen()[1].body == content);
  EXPECT_TRUE(server_->seen()[1].has("Content-Length: 200003\r\n"));
}

TEST_F(S3, loop_may_end_while_an_upload_is_aborted) {
  std::promise<void> ended;
  std::atomic<bool> is_aborting = false;
  respond({head_of("ETag: \"e1\"\r\n", 1), kBegun, kStored}, 5,
          [&is_aborting, ending = ended.get_future().share()](const ScriptedS3::Seen&) {
            is_aborting = true;
            ending.wait();
            return kAborted;
          });
  {
    TestLoop loop;
    loop.run([](const S3Backend& backend, const ScriptedS3& server,
                const std::atomic<bool>& is_deleted) -> Task<> {
      (void)co_await backend.head("a");
      AsyncEvent never;
      bool is_waiting = false;
      ContentSource source = [&never, &is_waiting, count = 0]() mutable -> Task<std::string> {
        if (++count == 2) {
          is_waiting = true;
          co_await never.wait();
        }
        co_return std::string("01234");
      };
      Task<StoredObject> putting = backend.put("a", source, std::nullopt, {});
      putting.start();
      while (server.seen().size() < 3 || !is_waiting) {
        co_await sleep_for(5ms);
      }
      putting = {};
      while (!is_deleted) {
        co_await sleep_for(5ms);
      }
    }(*backend_, *server_, is_aborting));
  }
  ended.set_value();
  await_requests(4);
  EXPECT_TRUE(asked().back().starts_with("DELETE "));
}

TEST_F(S3, bucket_that_does_not_exist_is_an_error) {
  const std::string no_bucket = ScriptedS3::error("404 Not Found", "NoSuchBucket");
  respond({no_bucket, no_bucket});
  const Error error = error_of(backend_->get("a", {}, {}));
  EXPECT_EQ(error.status(), 502);
  EXPECT_TRUE(error.cause().contains("Create the bucket")) << error.cause();
  EXPECT_EQ(error_of(backend_->remove("a")).status(), 502);
}

TEST_F(S3, object_without_a_size_is_an_error) {
  const std::string without = "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: \"e1\"\r\n\r\n";
  respond({without, without});
  EXPECT_EQ(error_of(backend_->head("a")).status(), 502);
  EXPECT_EQ(error_of(backend_->get("a", {}, {})).status(), 502);
}

TEST_F(S3, object_without_an_etag_is_an_error) {
  const std::string without = ScriptedS3::response("200 OK", "", "x");
  respond({without, without});
  const Error error = error_of(backend_->head("a"));
  EXPECT_EQ(error.status(), 502);
  EXPECT_TRUE(error.cause().contains("ETag")) << error.cause();
  EXPECT_EQ(error_of(backend_->get("a", {}, {})).status(), 502);
}

/// Otherwise only a later download would fail.
TEST_F(S3, put_without_an_etag_in_the_response_is_an_error) {
  const std::string without = ScriptedS3::response("200 OK", "", "");
  const std::string completed = ScriptedS3::response(
      "200 OK", "", "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>");
  const std::vector<std::vector<std::string>> cases = {
      {without}, {kBegun, without, kAborted}, {kBegun, kStored, kStored, completed}};
  for (const std::vector<std::string>& responses : cases) {
    respond(responses, responses.size() == 1 ? 1000 : 5);
    const Error error = error_of(put({"0123456789"}));
    EXPECT_EQ(error.status(), 502);
    EXPECT_EQ(error.cause(), "S3 a: the response has no ETag. Use an S3 server that sends ETags.");
    await_requests(responses.size());  // the server would wait for the request that aborts
  }
}

TEST_F(S3, list_continues_after_a_page_without_keys) {
  const std::string empty =
      "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t+1"
      "</NextContinuationToken></ListBucketResult>";
  respond(
      {ScriptedS3::response("200 OK", "", empty),
       ScriptedS3::response(
           "200 OK", "",
           "<ListBucketResult><Contents><Key>app/a</Key></Contents></ListBucketResult>"),
       ScriptedS3::response(
           "200 OK", "", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")});
  const ObjectPage page = run(backend_->list("", {}));
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0].key, "a");
  EXPECT_TRUE(asked()[1].contains("&continuation-token=t%2B1") ||
              asked()[1].contains("continuation-token=t%2B1&"))
      << asked()[1];
  EXPECT_EQ(error_of(backend_->list("", {})).status(), 502);
}

TEST_F(S3, object_that_exists_is_409_without_overwriting) {
  respond({ScriptedS3::error("412 Precondition Failed", "PreconditionFailed")});
  EXPECT_THROW(run(put({"x"}, {.overwrites = false})), ObjectExists);
  EXPECT_TRUE(server_->seen()[0].has("if-none-match: *\r\n"));
  respond({kBegun, stored_as("\"p1\""), stored_as("\"p2\""),
           ScriptedS3::error("412 Precondition Failed", "PreconditionFailed")},
          5);
  EXPECT_THROW(run(put({"0123456789"}, {.overwrites = false})), ObjectExists);
}

TEST_F(S3, conflict_with_another_request_does_not_mean_that_the_object_exists) {
  const std::string conflict = ScriptedS3::error("409 Conflict", "ConditionalRequestConflict");
  respond({conflict, conflict, stored_as("\"e1\"")});
  EXPECT_EQ(run(put({"x"}, {.overwrites = false})).etag, "\"e1\"");
  respond({conflict, conflict, conflict});
  EXPECT_EQ(error_of(put({"x"}, {.overwrites = false})).status(), 503);
  EXPECT_EQ(server_->seen().size(), 3U);
  respond({kBegun, stored_as("\"p1\""), stored_as("\"p2\""), conflict}, 5);
  EXPECT_EQ(error_of(put({"0123456789"}, {.overwrites = false})).status(), 503);
}

TEST_F(S3, properties_are_read_from_the_headers) {
  respond({ScriptedS3::response("200 OK",
                                "ETag: \"e1\"\r\nContent-Type: image/png\r\nx-amz-meta-Filename: "
                                "%C3%BC.png\r\nx-amz-meta-x: 100%\r\n"
                                "Last-Modified: Fri, 24 May 2013 00:00:00 GMT\r\n",
                                "hello"),
           ScriptedS3::error("404 Not Found", "NoSuchKey")});
  const auto found = run(backend_->get("a", {}, {}));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->about.bytes, 5U);
  EXPECT_EQ(found->about.etag, "\"e1\"");
  EXPECT_EQ(found->about.content_type, "image/png");
  EXPECT_EQ(found->about.filename, "ü.png");
  EXPECT_EQ(found->about.metadata, (StorageMetadata{{"x", "100%"}}));
  EXPECT_EQ(found->about.modified_seconds, 1369353600);
  EXPECT_FALSE(run(backend_->get("a", {}, {})).has_value());
}

TEST_F(S3, read_that_is_cut_off_is_continued) {
  // The client may lose bytes that arrive right before the connection ends, also all of them: then
  // it repeats the first request. On a busy machine, that can happen at each attempt.
  const std::string begin = "HTTP/1.1 200 OK\r\nETag: \"e1\"\r\nContent-Length: 10\r\n\r\n0123";
  respond({begin}, 1000, [begin, count = 0, lost = 0](const ScriptedS3::Seen& seen) mutable {
    const std::size_t at = seen.head.find("range: bytes=");
    if (at == std::string::npos) {
      return ++lost < 2 ? begin : begin + "456789";
    }
    const std::size_t first = std::stoul(seen.head.substr(at + 13));
    const std::string rest = std::string("0123456789").substr(first);
    const bool is_cut = ++count < 3;
    return "HTTP/1.1 206 Partial Content\r\nConnection: close\r\nContent-Range: bytes " +
           std::to_string(first) + "-9/10\r\nContent-Length: " + std::to_string(rest.size()) +
           "\r\n\r\n" + (is_cut ? rest.substr(0, rest.size() / 2) : rest);
  });
  EXPECT_EQ(read(), "0123456789");
  const auto seen = server_->seen();
  ASSERT_GE(seen.size(), 3U);
  for (std::size_t index = 1; index < seen.size(); ++index) {
    EXPECT_EQ(seen[index].has("if-match: \"e1\"\r\n"), seen[index].has("range: bytes="));
  }
}

TEST_F(S3, continuation_of_a_read_must_be_the_rest) {
  respond({"HTTP/1.1 200 OK\r\nETag: \"e1\"\r\nContent-Length: 10\r\n\r\n0123"}, 1000,
          [](const ScriptedS3::Seen&) {
            return ScriptedS3::response("206 Partial Content", "Content-Range: bytes 9-9/10\r\n",
                                        "9");
          });
  EXPECT_THROW(read(), Failure);
}

TEST_F(S3, read_of_an_object_that_has_changed_meanwhile_fails) {
  respond({"HTTP/1.1 200 OK\r\nETag: \"e1\"\r\nContent-Length: 10\r\n\r\n0123",
           ScriptedS3::error("412 Precondition Failed", "PreconditionFailed")});
  EXPECT_THROW(read(), Failure);
}

TEST_F(S3, part_is_what_was_requested) {
  respond({ScriptedS3::response("206 Partial Content",
                                "ETag: \"e1\"\r\nContent-Range: bytes 2-4/10\r\n", "234"),
           ScriptedS3::response("200 OK", "ETag: \"e1\"\r\n", "0123456789"),
           ScriptedS3::response("206 Partial Content",
                                "ETag: \"e1\"\r\nContent-Range: bytes 0-2/10\r\n", "012"),
           ScriptedS3::error("416 Range Not Satisfiable", "InvalidRange"),
           "HTTP/1.1 200 OK\r\nETag: \"e1\"\r\nContent-Length: 10\r\n\r\n"});
  EXPECT_EQ(read({.first = 2, .bytes = 3}), "234");
  EXPECT_TRUE(server_->seen()[0].has("range: bytes=2-4\r\n"));
  EXPECT_THROW(read({.first = 2, .bytes = 3}), Failure);
  EXPECT_THROW(read({.first = 2, .bytes = 3}), Failure);
  EXPECT_EQ(read({.first = 20}), "");
}

TEST_F(S3, pages_are_read) {
  respond({ScriptedS3::response(
               "200 OK", "",
               "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>app/a&amp;b</Key>"
               "<LastModified>2009-10-12T17:50:30.000Z</LastModified><ETag>&quot;e&quot;</ETag>"
               "<Size>7</Size></Contents><Contents><Key>app/x//y</Key></Contents>"
               "<Contents><Key>other</Key></Contents><Contents><Key>app/z&#x1;</Key></Contents>"
               "</ListBucketResult>"),
           ScriptedS3::response("200 OK", "", "<ListBucketResult><Contents>"),
           ScriptedS3::response("200 OK", "", "")});
  const ObjectPage page = run(backend_->list("a", {.after = "a b", .count_max = 5}));
  EXPECT_EQ(asked()[0], "GET /notes?list-type=2&max-keys=5&prefix=app%2Fa&start-after=app%2Fa%20b");
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0].key, "a&b");
  EXPECT_EQ(page.objects[0].bytes, 7U);
  EXPECT_EQ(page.objects[0].etag, "\"e\"");
  EXPECT_EQ(page.objects[0].modified_seconds, 1255369830);
  EXPECT_EQ(page.next, "z\x01") << "the next page begins after keys that cannot be used, too";
  EXPECT_EQ(error_of(backend_->list("", {})).status(), 502);
  EXPECT_EQ(error_of(backend_->list("", {})).status(), 502);
}

TEST_F(S3, urls_are_signed_without_a_request) {
  respond({});
  const std::int64_t now = 1369353600;
  const std::string download =
      backend_->sign_url({.key = "a b", .now_seconds = now, .within_seconds = 60, .filename = "ü"})
          ->url;
  EXPECT_TRUE(download.starts_with(server_->url() + "/notes/app/a%20b?X-Amz-Algorithm="));
  EXPECT_TRUE(download.contains("&X-Amz-Expires=60&X-Amz-SignedHeaders=host&"));
  EXPECT_TRUE(download.contains("response-content-disposition=attachment%3B%20filename"));
  const std::string unnamed =
      backend_->sign_url({.key = "a/b.html", .now_seconds = now, .within_seconds = 60})->url;
  EXPECT_TRUE(unnamed.contains("response-content-disposition=attachment%3B%20filename%3D%22b.html"))
      << unnamed;
  const std::string put_url = backend_
                                  ->sign_url({.allows = UrlTerms::Allows::put,
                                              .key = "a",
                                              .now_seconds = now,
                                              .within_seconds = 60,
                                              .content_type = "image/png",
                                              .bytes = 5})
                                  ->url;
  EXPECT_TRUE(put_url.contains("X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&"));
  const auto form = backend_->sign_url({.allows = UrlTerms::Allows::form,
                                        .key = "a",
                                        .now_seconds = now,
                                        .within_seconds = 60,
                                        .content_type = "image/*",
                                        .bytes_max = 100});
  EXPECT_EQ(form->url, server_->url() + "/notes");
  std::string policy;
  for (const auto& field : form->fields) {
    policy = field.name == "policy" ? from_base64(field.value).value_or("") : policy;
  }
  EXPECT_EQ(policy, R"({"expiration":"2013-05-24T00:01:00.000Z","conditions":[{"bucket":"notes"},)"
                    R"({"key":"app/a"},{"x-amz-algorithm":"AWS4-HMAC-SHA256"},)"
                    R"({"x-amz-credential":"KEY/20130524/eu-test-1/s3/aws4_request"},)"
                    R"({"x-amz-date":"20130524T000000Z"},["content-length-range",0,100],)"
                    R"(["starts-with","$Content-Type","image/"]]})");
}

// Amazon rejects a form without a field that its policy names.
TEST_F(S3, has_the_fields_of_each_form_that_its_policy_names) {
  respond({});
  const std::pair<std::string, std::optional<std::string>> kTypes[] = {
      {"", "application/octet-stream"}, {"image/png", "image/png"}, {"image/*", std::nullopt}};
  for (const auto& [type, expected] : kTypes) {
    const auto form = backend_->sign_url({.allows = UrlTerms::Allows::form,
                                          .key = "a",
                                          .now_seconds = 1369353600,
                                          .within_seconds = 60,
                                          .content_type = type,
                                          .bytes_max = 100});
    std::optional<std::string> field;
    for (const auto& one : form->fields) {
      field = one.name == "Content-Type" ? std::optional(one.value) : field;
    }
    EXPECT_EQ(field, expected) << type;
  }
}

TEST(S3Bucket, is_in_the_host_name_for_amazon_and_in_the_path_for_others) {
  StorageOptions options = s3_options("");
  EXPECT_EQ(read_bucket(options).host, "notes.s3.eu-test-1.amazonaws.com");
  EXPECT_EQ(read_bucket(options).path, "/");
  options.s3_bucket = "notes.example.org";
  EXPECT_EQ(read_bucket(options).host, "s3.eu-test-1.amazonaws.com");
  EXPECT_EQ(read_bucket(options).path, "/notes.example.org/");
  options = s3_options("http://localhost:9000");
  EXPECT_EQ(read_bucket(options).host, "localhost:9000");
  EXPECT_EQ(read_bucket(options).path, "/notes/");
  options.s3_addressing = S3Addressing::host;
  EXPECT_EQ(read_bucket(options).origin, "http://notes.localhost:9000");
}

}  // namespace
}  // namespace eider::detail::s3
