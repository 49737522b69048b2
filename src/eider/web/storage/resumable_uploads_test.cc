// Resumable uploads by tus 1.0. tests/integration/storage_test.py has a real client and kill -9.
#include "eider/web/storage/resumable_uploads.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/sha1.h"
#include "eider/core/base/sha256.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/storage/serve_storage.h"
#include "eider/web/storage/tus_headers.h"
#include "eider/web/storage/upload_directory.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Headers = std::vector<TestHeader>;

std::string offset_of(const TestResponse& reply) {
  return std::string(reply.header("Upload-Offset").value_or("none"));
}

class ResumableUploads : public ::testing::Test {
 protected:
  ResumableUploads() {
    options_.on_stored = [this](StoredObject object) -> Task<> {
      if (fails_) {
        throw Failure(Error::unavailable("not now"));
      }
      stored_.push_back(object.key);
      co_return;
    };
  }
  TestClient& client() {
    if (!client_) {
      App app;
      app.log_to(log_);
      const Storage storage({.directory = path("")});
      serve_storage(app, "/all", storage, {.access = StorageAccess::all});
      serve_resumable_uploads(app, "/uploads", storage, options_);
      client_.emplace(app);
    }
    return *client_;
  }
  /// Ends the server; the next request starts it again.
  void restart() { client_.reset(); }

  TestResponse send(Method method, const std::string& target, Headers headers = {},
                    std::string body = {}) {
    headers.emplace_back("Tus-Resumable", "1.0.0");
    return client().send({.method = method,
                          .target = target,
                          .headers = std::move(headers),
                          .body = std::move(body)});
  }
  TestResponse create(const std::string& bytes, Headers headers = {}, std::string body = {}) {
    headers.emplace_back("Upload-Length", bytes);
    return send(Method::post, "/uploads", std::move(headers), std::move(body));
  }
  std::string location(const std::string& bytes) {
    const TestResponse reply = create(bytes);
    EXPECT_EQ(reply.status, 201) << reply.body;
    return std::string(reply.header("Location").value_or("none"));
  }
  TestResponse patch(const std::string& target, const std::string& offset, std::string body,
                     Headers headers = {}) {
    headers.emplace_back("Upload-Offset", offset);
    headers.emplace_back("Content-Type", "application/offset+octet-stream");
    return send(Method::patch, target, std::move(headers), std::move(body));
  }
  TestResponse head(const std::string& target) { return send(Method::head, target); }
  std::string stored(const std::string& target) {
    return client().get("/all/" + key_of(target)).body;
  }
  /// The key of its object, by its record.
  [[nodiscard]] std::string key_of(const std::string& target) const {
    std::ifstream info(file(target, "json"));
    const std::string text(std::istreambuf_iterator<char>(info), {});
    const std::size_t at = text.find("\"key\":\"") + 7;
    return text.substr(at, text.find('"', at) - at);
  }
  static std::string id_of(const std::string& target) {
    return target.substr(target.rfind('/') + 1);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (temporary_.path() / "storage" / name).string();
  }
  [[nodiscard]] std::string file(const std::string& target, const std::string& ending) const {
    return path("uploads/" + id_of(target) + "." + ending);
  }
  [[nodiscard]] std::size_t count_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path("uploads")), {}));
  }

  TempDirectory temporary_;
  ResumableUploadOptions options_;
  std::optional<TestClient> client_;
  std::vector<std::string> stored_;
  bool fails_ = false;
  std::shared_ptr<LogLines> log_;
};

TEST_F(ResumableUploads, server_describes_itself) {
  const TestResponse reply = client().send({.method = Method::options, .target = "/uploads"});
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.header("Tus-Resumable"), "1.0.0");
  EXPECT_EQ(reply.header("Tus-Version"), "1.0.0");
  EXPECT_EQ(reply.header("Tus-Max-Size"), "5368709120");
  EXPECT_EQ(reply.header("Tus-Extension"),
            "creation,creation-with-upload,termination,expiration,checksum");
  EXPECT_EQ(reply.header("Tus-Checksum-Algorithm"), "sha1,sha256");
}

TEST_F(ResumableUploads, file_in_parts_becomes_an_object) {
  const TestResponse created =
      create("11", {{"Upload-Metadata", "filename " + to_base64("grüße.txt") + ",filetype " +
                                            to_base64("text/plain") + ", relativePath,isTrue " +
                                            to_base64("yes")}});
  ASSERT_EQ(created.status, 201);
  EXPECT_EQ(created.header("Tus-Resumable"), "1.0.0");
  EXPECT_EQ(offset_of(created), "0");
  EXPECT_TRUE(created.header("Upload-Expires").has_value());
  const std::string target(created.header("Location").value_or(""));
  EXPECT_TRUE(target.starts_with("/uploads/")) << target;
  EXPECT_EQ(id_of(target).size(), 32U);
  const TestResponse first = patch(target, "0", "hello");
  EXPECT_EQ(first.status, 204);
  EXPECT_EQ(offset_of(first), "5");
  const TestResponse between = head(target);
  EXPECT_EQ(between.status, 200);
  EXPECT_EQ(offset_of(between), "5");
  EXPECT_EQ(between.header("Upload-Length"), "11");
  EXPECT_EQ(between.header("Cache-Control"), "no-store");
  EXPECT_TRUE(between.header("Upload-Metadata")->starts_with("filename "));
  EXPECT_EQ(stored_.size(), 0U);
  EXPECT_EQ(offset_of(patch(target, "5", " world")), "11");
  EXPECT_EQ(stored(target), "hello world");
  EXPECT_EQ(stored_, std::vector<std::string>{key_of(target)});
  const TestResponse object = client().get("/all/" + key_of(target));
  EXPECT_EQ(object.header("Content-Type"), "text/plain");
  // A client that has lost the last response asks again.
  EXPECT_EQ(offset_of(head(target)), "11");
  EXPECT_EQ(patch(target, "11", "").status, 204);
  EXPECT_EQ(stored_.size(), 1U);
}

TEST_F(ResumableUploads, creation_may_bring_content) {
  const TestResponse begun =
      create("5", {{"Content-Type", "application/offset+octet-stream"}}, "abc");
  EXPECT_EQ(begun.status, 201);
  EXPECT_EQ(offset_of(begun), "3");
  const TestResponse whole =
      create("5", {{"Content-Type", "application/offset+octet-stream"}}, "abcde");
  EXPECT_EQ(offset_of(whole), "5");
  EXPECT_EQ(stored(std::string(*whole.header("Location"))), "abcde");
  const TestResponse empty = create("0");
  EXPECT_EQ(empty.status, 201);
  EXPECT_EQ(stored_.size(), 2U) << "a file without bytes is complete at once";
}

TEST_F(ResumableUploads, upload_survives_a_restart) {
  const std::string target = location("6");
  patch(target, "0", "abc");
  restart();
  EXPECT_EQ(offset_of(head(target)), "3");
  EXPECT_EQ(patch(target, "3", "def").status, 204);
  EXPECT_EQ(stored(target), "abcdef");
  restart();
  EXPECT_EQ(offset_of(head(target)), "6");
}

TEST_F(ResumableUploads, requests_that_break_the_protocol_are_rejected) {
  const std::string target = location("6");
  patch(target, "0", "abc");
  EXPECT_EQ(patch(target, "0", "abc").status, 409);
  EXPECT_EQ(patch(target, "4", "x").status, 409);
  EXPECT_EQ(patch(target, "-1", "x").status, 400);
  EXPECT_EQ(patch(target, "3x", "x").status, 400);
  EXPECT_EQ(patch(target, "99999999999999999999", "x").status, 400);
  EXPECT_EQ(patch(target, "3", "defg").status, 413);
  EXPECT_EQ(send(Method::patch, target, {{"Upload-Offset", "3"}}, "x").status, 415);
  EXPECT_EQ(send(Method::patch, target, {{"Content-Type", "application/offset+octet-stream"}}, "x")
                .status,
            400);
  const TestResponse other = client().send(
      {.method = Method::patch, .target = target, .headers = {{"Tus-Resumable", "0.2.2"}}});
  EXPECT_EQ(other.status, 412);
  EXPECT_EQ(other.header("Tus-Version"), "1.0.0");
  EXPECT_EQ(create("-1").status, 400);
  EXPECT_EQ(send(Method::post, "/uploads").status, 400);
  EXPECT_EQ(create("1", {{"Upload-Metadata", "a !"}}).status, 400);
  EXPECT_EQ(create("1", {{"Upload-Metadata", "a " + to_base64("x\ny")}}).status, 400);
  EXPECT_EQ(create("1", {{"Upload-Metadata", "a " + to_base64(std::string(3000, 'x'))}}).status,
            400);
  EXPECT_EQ(create("1", {{"Upload-Metadata", std::string(5000, 'x')}}).status, 400);
  EXPECT_EQ(create("1", {{"Upload-Metadata", "a\xff"}}).status, 400);
  EXPECT_EQ(offset_of(head(target)), "3");
}

TEST_F(ResumableUploads, part_that_is_too_long_without_length_is_rejected) {
  const std::string target = location("3");
  const std::string reply = client().raw(
      "PATCH " + target +
      " HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nConnection: close\r\n"
      "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4\r\nabcd\r\n0\r\n\r\n");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 413 ")) << reply;
  EXPECT_EQ(offset_of(head(target)), "0");
}

TEST_F(ResumableUploads, unknown_uploads_are_404) {
  for (const std::string& id : {std::string(32, '0'), std::string("x"), std::string("%2e%2e"),
                                std::string("..%2fobjects"), std::string(32, 'G')}) {
    EXPECT_EQ(head("/uploads/" + id).status, 404) << id;
    EXPECT_EQ(patch("/uploads/" + id, "0", "x").status, 404) << id;
    EXPECT_EQ(send(Method::delete_, "/uploads/" + id).status, 404) << id;
  }
}

TEST_F(ResumableUploads, checksum_is_verified_before_the_offset_grows) {
  const std::string target = location("6");
  const auto digest = sha1("abc");
  const std::string sha1_of_abc = "sha1 " + to_base64({digest.data(), digest.size()});
  const std::string sha256_of_def = "sha256 " + to_base64(to_view(sha256("def")));
  const TestResponse wrong = patch(target, "0", "abd", {{"Upload-Checksum", sha1_of_abc}});
  EXPECT_EQ(wrong.status, 460);
  EXPECT_EQ(offset_of(head(target)), "0");
  EXPECT_EQ(patch(target, "0", "abc", {{"Upload-Checksum", sha1_of_abc}}).status, 204);
  for (const std::string& invalid :
       std::vector<std::string>{"md5 AAAA", "sha1", "sha1 !", "sha256 AAAA"}) {
    EXPECT_EQ(patch(target, "3", "def", {{"Upload-Checksum", invalid}}).status, 400) << invalid;
  }
  EXPECT_EQ(patch(target, "3", "def", {{"Upload-Checksum", sha256_of_def}}).status, 204);
  EXPECT_EQ(stored(target), "abcdef");
}

TEST_F(ResumableUploads, part_that_was_not_verified_is_cut_off_after_a_crash) {
  const std::string target = location("6");
  patch(target, "0", "abc");
  restart();
  // As a process leaves it that is killed while a part with a checksum arrives.
  std::ofstream(file(target, "check")) << "3";
  std::ofstream(file(target, "data"), std::ios::app) << "xy";
  EXPECT_EQ(offset_of(head(target)), "3");
  EXPECT_EQ(patch(target, "3", "def").status, 204);
  EXPECT_EQ(stored(target), "abcdef");
}

TEST_F(ResumableUploads, complete_file_is_stored_after_a_crash) {
  const std::string by_head = location("3");
  const std::string by_sweep = location("3");
  restart();
  // All bytes are there, and the process was killed before it stored them.
  for (const std::string& target : {by_head, by_sweep}) {
    std::ofstream(file(target, "data")) << "abc";
  }
  EXPECT_EQ(offset_of(head(by_head)), "3");
  client().advance(11min);
  EXPECT_EQ(stored(by_head), "abc");
  EXPECT_EQ(stored(by_sweep), "abc");
  EXPECT_EQ(stored_.size(), 2U);
  // Killed after the object was stored, and before that was noted.
  const std::string noted = location("3");
  patch(noted, "0", "abc");
  restart();
  std::ifstream info(file(noted, "json"));
  std::string text(std::istreambuf_iterator<char>(info), {});
  text.replace(text.find("\"is_done\":true"), 14, "\"is_done\":false");
  std::ofstream(file(noted, "json")) << text;
  EXPECT_EQ(offset_of(head(noted)), "3");
  EXPECT_EQ(stored(noted), "abc");
  EXPECT_EQ(stored_.back(), key_of(noted));
  EXPECT_EQ(stored_.size(), 4U) << "the function is called at least once";
}

TEST_F(ResumableUploads, file_with_properties_of_a_crash_is_stored_without_them) {
  const std::string target = location("3");
  restart();
  std::ofstream(file(target, "data")) << "abc{\"content_type\":";
  EXPECT_EQ(offset_of(head(target)), "3");
  EXPECT_EQ(stored(target), "abc");
}

TEST_F(ResumableUploads, function_that_fails_is_called_again) {
  const std::string target = location("3");
  fails_ = true;
  EXPECT_EQ(patch(target, "0", "abc").status, 503);
  fails_ = false;
  EXPECT_EQ(offset_of(head(target)), "3");
  EXPECT_EQ(stored_.size(), 1U);
  EXPECT_EQ(stored(target), "abc");
}

TEST_F(ResumableUploads, complete_file_is_stored_although_the_client_disconnects) {
  int begun = 0;
  options_.on_stored = [this, &begun](StoredObject object) -> Task<> {
    ++begun;
    co_await sleep_for(5s);
    stored_.push_back(object.key);
  };
  const std::string target = location("3");
  const std::string reply = client().raw(
      "PATCH " + target +
      " HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Length: 3\r\n"
      "Content-Type: application/offset+octet-stream\r\n\r\nabc");
  EXPECT_EQ(reply, "") << "the connection is closed before the response";
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(patch(target, "3", "").status, 423);
  client().advance(6s);
  EXPECT_EQ(stored_.size(), 1U);
  EXPECT_EQ(offset_of(head(target)), "3");
  EXPECT_EQ(stored(target), "abc");
  EXPECT_EQ(begun, 1);
}

TEST_F(ResumableUploads, upload_is_locked_while_another_process_writes) {
  const std::string target = location("3");
  const Descriptor other(::open(file(target, "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(other.get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(patch(target, "0", "abc").status, 423);
  EXPECT_EQ(send(Method::delete_, target).status, 423);
  EXPECT_EQ(offset_of(head(target)), "0") << "the offset can be read";
  ASSERT_EQ(::flock(other.get(), LOCK_UN), 0);
  EXPECT_EQ(patch(target, "0", "abc").status, 204);
}

TEST_F(ResumableUploads, terminated_upload_is_gone) {
  const std::string target = location("3");
  patch(target, "0", "a");
  EXPECT_EQ(send(Method::delete_, target).status, 204);
  EXPECT_EQ(head(target).status, 404);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ResumableUploads, other_methods_can_be_sent_with_post) {
  const std::string target = location("3");
  const Headers part = {{"X-HTTP-Method-Override", "PATCH"},
                        {"Upload-Offset", "0"},
                        {"Content-Type", "application/offset+octet-stream"}};
  EXPECT_EQ(send(Method::post, target, part, "ab").status, 204);
  EXPECT_EQ(send(Method::post, target).status, 405);
  EXPECT_EQ(send(Method::post, target, {{"X-HTTP-Method-Override", "DELETE"}}).status, 204);
  EXPECT_EQ(head(target).status, 404);
}

TEST_F(ResumableUploads, expired_upload_is_gone) {
  options_.expires_in = 1h;
  const std::string target = location("3");
  patch(target, "0", "a");
  client().advance(59min);
  EXPECT_EQ(head(target).status, 200);
  client().advance(2min);
  EXPECT_EQ(head(target).status, 404);
  EXPECT_EQ(patch(target, "1", "b").status, 404);
  client().advance(11min);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ResumableUploads, size_and_number_are_limited) {
  options_.bytes_max = 10;
  options_.count_max = 2;
  const TestResponse large = create("11");
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(large.header("Tus-Max-Size"), "10");
  const std::string first = location("10");
  location("10");
  EXPECT_EQ(create("10").status, 503);
  patch(first, "0", "0123456789");
  EXPECT_EQ(create("10").status, 201) << "a complete one does not count";
}

TEST_F(ResumableUploads, sum_of_declared_bytes_is_limited) {
  options_.bytes_max = 10;
  options_.total_bytes_max = 15;
  const std::string first = location("10");
  EXPECT_EQ(create("6").status, 503);
  EXPECT_EQ(create("5").status, 201);
  EXPECT_EQ(create("1").status, 503);
  patch(first, "0", "0123456789");
  EXPECT_EQ(create("10").status, 201) << "a complete one does not count";
}

TEST_F(ResumableUploads, idle_upload_is_deleted_for_a_new_one) {
  options_.count_max = 3;
  const std::string older = location("3");
  const std::string old = location("3");
  const std::string complete = location("3");
  const auto hours_ago = [this](const std::string& target, int hours) {
    fs::last_write_time(file(target, "data"),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const std::string& target : {older, old}) {
    patch(target, "0", "a");
  }
  fails_ = true;
  std::ofstream(file(complete, "data")) << "abc";
  EXPECT_EQ(create("3").status, 503) << "each of them had a byte within the hour";
  hours_ago(complete, 4);
  hours_ago(older, 3);
  hours_ago(old, 2);
  {
    const Descriptor lock(::open(file(older, "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(create("3").status, 201);
  }
  EXPECT_EQ(head(old).status, 404) << "the oldest one that no request uses";
  EXPECT_EQ(head(older).status, 200);
  EXPECT_EQ(create("3").status, 201);
  EXPECT_EQ(head(older).status, 404);
  EXPECT_EQ(create("3").status, 503);
  EXPECT_TRUE(fs::exists(file(complete, "data")));
}

TEST_F(ResumableUploads, idle_upload_stays_if_the_new_one_is_rejected_nevertheless) {
  options_.bytes_max = 15;
  options_.total_bytes_max = 15;
  const std::string idle = location("2");
  patch(idle, "0", "a");
  location("10");
  fs::last_write_time(file(idle, "data"), fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(create("10").status, 503);
  EXPECT_EQ(offset_of(head(idle)), "1");
  EXPECT_EQ(create("4").status, 201);
  EXPECT_EQ(head(idle).status, 404);
}

TEST_F(ResumableUploads, bytes_that_were_not_verified_do_not_complete_an_idle_upload) {
  options_.count_max = 1;
  const std::string idle = location("2");
  patch(idle, "0", "a");
  std::ofstream(file(idle, "data"), std::ios::app) << "b";
  std::ofstream(file(idle, "check")) << "1";
  fs::last_write_time(file(idle, "data"), fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(create("2").status, 201);
  EXPECT_EQ(head(idle).status, 404);
}

TEST_F(ResumableUploads, record_that_cannot_be_read_stops_no_creation_and_is_deleted_after_a_day) {
  const std::string target = location("6");
  fs::remove(file(target, "json"));
  fs::create_directory(file(target, "json"));
  EXPECT_EQ(create("6").status, 201);
  fs::last_write_time(file(target, "json"),
                      fs::file_time_type::clock::now() - std::chrono::hours(25));
  client().advance(std::chrono::minutes(11));
  EXPECT_FALSE(fs::exists(file(target, "json")));
  EXPECT_FALSE(fs::exists(file(target, "data")));
}

TEST(UploadDirectory, limits_apply_to_creations_at_the_same_time) {
  using detail::storage::UploadDirectory;
  constexpr std::size_t kCountMax = 4;
  const TempDirectory temporary;
  const UploadDirectory uploads(temporary.path() / "uploads", "/uploads");
  std::atomic<std::size_t> created = 0;
  std::latch all(8);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&] {
        all.arrive_and_wait();
        for (int tries = 0; tries < 4; ++tries) {
          const std::string id = to_hex(secret_bytes(16));
          created += uploads.create(id, {.bytes = 1}, {.count_max = kCountMax, .bytes_max = 100})
                         ? 1U
                         : 0U;
        }
      });
    }
  }
  EXPECT_EQ(created, kCountMax);
}

TEST_F(ResumableUploads, failed_creation_takes_no_place) {
  options_.count_max = 2;
  const Headers part = {{"Content-Type", "application/offset+octet-stream"}};
  const auto digest = sha1("abc");
  Headers wrong = part;
  wrong.emplace_back("Upload-Checksum", "sha1 " + to_base64({digest.data(), digest.size()}));
  Headers invalid = part;
  invalid.emplace_back("Upload-Checksum", "md5 AAAA");
  EXPECT_EQ(create("3", part, "abcd").status, 413);
  EXPECT_EQ(create("3", invalid, "abc").status, 400);
  EXPECT_EQ(create("6", wrong, "abd").status, 460);
  const std::string chunked = client().raw(
      "POST /uploads HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 3\r\n"
      "Connection: close\r\nContent-Type: application/offset+octet-stream\r\n"
      "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.starts_with("HTTP/1.1 413 ")) << chunked;
  EXPECT_EQ(count_files(), 0U);
  EXPECT_EQ(create("3").status, 201);
}

TEST_F(ResumableUploads, rejected_creation_of_an_empty_file_is_not_stored) {
  const Headers part = {{"Content-Type", "application/offset+octet-stream"}};
  EXPECT_EQ(create("0", {{"Upload-Checksum", "md5 AAAA"}}).status, 400);
  EXPECT_EQ(create("0", part, "a").status, 413);
  EXPECT_EQ(create("0", {{"Content-Type", "text/plain"}}, "a").status, 413);
  const std::string chunked = client().raw(
      "POST /uploads HTTP/1.1\r\nHost: a\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 0\r\n"
      "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n");
  EXPECT_TRUE(chunked.starts_with("HTTP/1.1 413 ")) << chunked;
  EXPECT_EQ(count_files(), 0U);
  client().advance(11min);
  EXPECT_EQ(stored_.size(), 0U);
}

TEST_F(ResumableUploads, complete_creation_that_cannot_be_stored_is_tried_again) {
  fails_ = true;
  const Headers part = {{"Content-Type", "application/offset+octet-stream"}};
  EXPECT_EQ(create("3", part, "abc").status, 503);
  fails_ = false;
  client().advance(11min);
  EXPECT_EQ(stored_.size(), 1U);
}

TEST_F(ResumableUploads, upload_without_a_byte_is_deleted_after_an_hour) {
  const std::string empty = location("3");
  const std::string begun = location("3");
  EXPECT_NE(head(empty).header("Upload-Expires"), std::nullopt);
  patch(begun, "0", "a");
  EXPECT_LT(head(empty).header("Upload-Expires"), head(begun).header("Upload-Expires"));
  client().advance(59min);
  EXPECT_EQ(head(empty).status, 200);
  client().advance(12min);
  EXPECT_EQ(head(empty).status, 404);
  EXPECT_EQ(head(begun).status, 200);
}

TEST_F(ResumableUploads, finished_upload_has_only_its_record) {
  const std::string target = location("3");
  patch(target, "0", "abc");
  EXPECT_EQ(count_files(), 1U);
  EXPECT_EQ(patch(target, "3", "").status, 204);
  EXPECT_EQ(count_files(), 1U);
  EXPECT_EQ(send(Method::delete_, target).status, 204);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ResumableUploads, record_of_a_finished_upload_is_deleted_after_minutes) {
  const std::string target = location("0");
  client().advance(14min);
  EXPECT_EQ(head(target).status, 200);
  client().advance(12min);
  EXPECT_EQ(head(target).status, 404);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ResumableUploads, upload_of_another_group_does_not_exist) {
  App app;
  app.log_to(nullptr);
  const Storage storage({.directory = path("")});
  std::vector<std::string> called;
  const auto note_as = [&called](const std::string& group) {
    return [&called, group](const StoredObject&) -> Task<> {
      called.push_back(group);
      co_return;
    };
  };
  serve_resumable_uploads(app, "/pictures", storage, {.on_stored = note_as("pictures")})
      .guard([](Header<"X-User", std::optional<std::string>> user) -> Result<void> {
        return *user ? Result<void>() : fail(Error::unauthorized("Log in."));
      });
  serve_resumable_uploads(app, "/uploads", storage, {.on_stored = note_as("uploads")});
  client_.emplace(app);
  const TestResponse created =
      send(Method::post, "/pictures", {{"X-User", "ann"}, {"Upload-Length", "3"}});
  ASSERT_EQ(created.status, 201) << created.body;
  const std::string its(created.header("Location").value_or(""));
  const std::string other = "/uploads/" + id_of(its);
  EXPECT_EQ(head(other).status, 404);
  EXPECT_EQ(patch(other, "0", "abc").status, 404);
  EXPECT_EQ(send(Method::delete_, other).status, 404);
  std::ofstream(file(its, "data")) << "abc";
  client().advance(11min);
  EXPECT_EQ(called, std::vector<std::string>{"pictures"}) << "the sweep of its own group";
  // A record of a version without groups.
  const std::string old = location("3");
  std::ifstream info(file(old, "json"));
  std::string text(std::istreambuf_iterator<char>(info), {});
  const std::size_t added = text.find(",\"group\":\"/uploads\",\"created_seconds\":");
  ASSERT_NE(added, std::string::npos) << text;
  std::ofstream(file(old, "json")) << text.substr(0, added) << "}";
  EXPECT_EQ(head(old).status, 200);
  client_.reset();
}

TEST_F(ResumableUploads, upload_of_a_group_that_no_longer_exists_is_deleted) {
  const std::string target = location("3");
  restart();
  App app;
  app.log_to(nullptr);
  serve_resumable_uploads(app, "/renamed", Storage({.directory = path("")}));
  client_.emplace(app);
  client_->advance(36h);
  EXPECT_TRUE(fs::exists(file(target, "json"))) << "its own group may still delete it";
  client_->advance(13h);
  EXPECT_EQ(count_files(), 0U);
  client_.reset();
}

TEST_F(ResumableUploads, record_that_is_not_valid_is_an_error_and_deleted_after_a_day) {
  log_ = std::make_shared<LogLines>();
  const std::string target = location("3");
  std::ofstream(file(target, "json")) << "{\"bytes\":";
  EXPECT_EQ(head(target).status, 500);
  EXPECT_TRUE(std::ranges::any_of(log_->lines, [&target](const std::string& line) {
    return line.contains("not valid JSON") && line.contains(id_of(target));
  }));
  client().advance(11min);
  EXPECT_TRUE(fs::exists(file(target, "json")));
  fs::last_write_time(file(target, "json"), fs::file_time_type::clock::now() - 25h);
  client().advance(10min);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ResumableUploads, file_that_cannot_be_read_is_not_absent) {
  const std::string target = location("6");
  patch(target, "0", "abc");
  fs::create_directory(file(target, "check"));
  EXPECT_EQ(head(target).status, 500);
  EXPECT_EQ(patch(target, "3", "def").status, 500);
  fs::remove(file(target, "check"));
  EXPECT_EQ(offset_of(head(target)), "3");
  fs::rename(file(target, "json"), file(target, "kept"));
  fs::create_directory(file(target, "json"));
  EXPECT_EQ(head(target).status, 500);
  EXPECT_EQ(patch(target, "3", "def").status, 500);
  fs::remove(file(target, "json"));
  fs::rename(file(target, "kept"), file(target, "json"));
  EXPECT_EQ(patch(target, "3", "def").status, 204);
  EXPECT_EQ(stored(target), "abcdef");
}

TEST_F(ResumableUploads, sweep_continues_after_an_upload_that_fails_and_logs_it) {
  log_ = std::make_shared<LogLines>();
  std::vector<std::string> targets = {location("3"), location("3"), location("3")};
  std::ranges::sort(targets);
  restart();
  for (const std::string& target : targets) {
    std::ofstream(file(target, "data")) << "abc";
  }
  // One whose record is a directory, in each place of the order.
  const std::string broken = targets[1];
  fs::remove(file(broken, "json"));
  fs::create_directory(file(broken, "json"));
  client().advance(1min);
  EXPECT_EQ(stored_.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(log_->lines, [&broken](const std::string& line) {
    return line.contains("Upload " + id_of(broken) + ": ");
  })) << (log_->lines.empty() ? "no line" : log_->lines.back());
}

TEST_F(ResumableUploads, complete_upload_is_tried_a_last_time_before_it_is_deleted) {
  log_ = std::make_shared<LogLines>();
  options_.expires_in = 1h;
  const std::string first = location("3");
  fails_ = true;
  EXPECT_EQ(patch(first, "0", "abc").status, 503);
  client().advance(30min);
  EXPECT_EQ(stored_.size(), 0U);
  client().advance(41min);
  EXPECT_EQ(count_files(), 0U);
  EXPECT_TRUE(std::ranges::any_of(log_->lines, [](const std::string& line) {
    return line.contains("was deleted") && line.contains("not now");
  }));
  const std::string second = location("3");
  EXPECT_EQ(patch(second, "0", "abc").status, 503);
  restart();
  fails_ = false;
  // The server was down when it expired.
  std::ifstream info(file(second, "json"));
  std::string text(std::istreambuf_iterator<char>(info), {});
  const std::size_t at = text.find("\"expires_seconds\":") + 18;
  text.replace(at, text.find_first_of(",}", at) - at, "1");
  std::ofstream(file(second, "json")) << text;
  client().advance(1min);
  EXPECT_EQ(stored_.size(), 1U);
  EXPECT_EQ(count_files(), 0U);
}

TEST_F(ResumableUploads, directory_on_another_file_system_is_rejected_at_startup) {
  struct stat here{};
  struct stat memory{};
  if (::stat(temporary_.path().c_str(), &here) != 0 || ::stat("/dev/shm", &memory) != 0 ||
      here.st_dev == memory.st_dev) {
    GTEST_SKIP() << "needs /dev/shm on a file system of its own";
  }
  options_.directory = "/dev/shm/eider_test_" + to_hex(secret_bytes(8));
  try {
    (void)client();
    ADD_FAILURE() << "the directory was accepted";
  } catch (const Failure& failure) {
    EXPECT_TRUE(failure.error().cause().contains("different file systems"))
        << failure.error().cause();
  }
  fs::remove(options_.directory);
}

TEST_F(ResumableUploads, type_that_is_not_one_media_type_is_not_stored) {
  for (const std::string& type : std::vector<std::string>{
           "video/x,text/html", "image/png;,text/html", "text/plain;x,text/html", "image/png; a"}) {
    const TestResponse created = create("3",
                                        {{"Upload-Metadata", "filetype " + to_base64(type)},
                                         {"Content-Type", "application/offset+octet-stream"}},
                                        "abc");
    ASSERT_EQ(created.status, 201);
    const TestResponse read =
        client().get("/all/" + key_of(std::string(*created.header("Location"))));
    EXPECT_EQ(read.header("Content-Type"), "application/octet-stream") << type;
    EXPECT_TRUE(read.header("Content-Disposition")->starts_with("attachment")) << type;
  }
}

TEST_F(ResumableUploads, metadata_that_cannot_be_stored_is_rejected_at_the_creation) {
  std::string filename;
  for (int count = 0; count < 100; ++count) {
    filename += "ü";
  }
  const std::string metadata = "a " + to_base64(std::string(1500, 'x'));
  EXPECT_EQ(create("3", {{"Upload-Metadata", metadata}}).status, 201);
  EXPECT_EQ(
      create("3", {{"Upload-Metadata", metadata + ",filename " + to_base64(filename)}}).status,
      400);
}

TEST_F(ResumableUploads, key_does_not_contain_the_secret_of_the_upload) {
  const std::string target = location("0");
  EXPECT_TRUE(key_of(target).starts_with("uploads/")) << key_of(target);
  EXPECT_FALSE(key_of(target).contains(id_of(target)));
}

TEST_F(ResumableUploads, application_chooses_the_key_or_rejects) {
  options_.key = [](const Request& request, const ResumableUpload& upload) -> Result<std::string> {
    if (upload.content_type != "image/png") {
      return fail(Error(415, "Only PNG."));
    }
    return "pictures/" + std::string(request.header("X-User").value_or("none")) + "/" +
           upload.filename;
  };
  const std::string metadata =
      "filename " + to_base64("a.png") + ",filetype " + to_base64("image/png");
  EXPECT_EQ(create("3").status, 415);
  EXPECT_EQ(create("3", {{"Upload-Metadata", metadata}, {"X-User", ".."}}).status, 400);
  const TestResponse created = create("3",
                                      {{"Upload-Metadata", metadata},
                                       {"X-User", "ann"},
                                       {"Content-Type", "application/offset+octet-stream"}},
                                      "png");
  EXPECT_EQ(created.status, 201) << created.body;
  const TestResponse picture = client().get("/all/pictures/ann/a.png");
  EXPECT_EQ(picture.body, "png");
  EXPECT_EQ(picture.header("Content-Type"), "image/png");
}

}  // namespace
}  // namespace eider
