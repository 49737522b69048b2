#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "eider/web/files/document.h"
#include "tests/support/served_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class FilesCacheTest : public ServedDirectory {
 protected:
  FilesCacheTest() {
    write("root/a.txt", "one");
    write("root/large.bin", std::string(100, '1'));
    serve({.recheck = 100ms, .small_file_bytes_max = 10});
  }
};

TEST_F(FilesCacheTest, a_change_is_seen_when_the_file_is_looked_at_again) {
  TestClient client(app_);
  for (const char* path : {"a.txt", "large.bin"}) {
    const std::string target = std::string("/") + path;
    const TestResponse before = client.get(target);
    write("root/" + std::string(path) + ".new", std::string(before.body.size(), '2'));
    fs::rename(base_ / "root" / (std::string(path) + ".new"), base_ / "root" / path);
    EXPECT_EQ(client.get(target).body, before.body);
    client.advance(99ms);
    EXPECT_EQ(client.get(target).body, before.body);
    client.advance(1ms);
    const TestResponse after = client.get(target);
    EXPECT_EQ(after.body, std::string(before.body.size(), '2'));
    EXPECT_NE(after.header("ETag"), before.header("ETag"));
  }
}

TEST_F(FilesCacheTest, a_file_that_is_gone_is_gone_after_that_time) {
  TestClient client(app_);
  EXPECT_EQ(client.get("/a.txt").status, 200);
  fs::remove(base_ / "root/a.txt");
  client.advance(100ms);
  EXPECT_EQ(client.get("/a.txt").status, 404);
  write("root/a.txt", "again");
  EXPECT_EQ(client.get("/a.txt").body, "again");
}

TEST_F(FilesCacheTest, a_file_written_over_with_its_date_kept_is_seen_too) {
  TestClient client(app_);
  EXPECT_EQ(client.get("/a.txt").body, "one");
  write("root/a.txt", "two");
  client.advance(100ms);
  EXPECT_EQ(client.get("/a.txt").body, "two");
}

TEST_F(FilesCacheTest, a_sibling_that_comes_or_goes_is_seen) {
  TestClient client(app_);
  const auto coding = [&client] {
    client.advance(100ms);
    const TestResponse reply =
        client.send({.target = "/a.txt", .headers = {{"Accept-Encoding", "gzip"}}});
    return std::string(reply.header("Content-Encoding").value_or("none"));
  };
  EXPECT_EQ(coding(), "none");
  write("root/a.txt.gz", "zipped");
  EXPECT_EQ(coding(), "gzip");
  fs::remove(base_ / "root/a.txt.gz");
  EXPECT_EQ(coding(), "none");
}

TEST_F(FilesCacheTest, a_file_that_may_be_changing_is_cached_for_that_time_and_read_again) {
  constexpr std::time_t kFarOff = 4'000'000'000;
  TestClient client(app_);
  write("root/young.txt", "one", kFarOff);
  EXPECT_EQ(client.get("/young.txt").body, "one");
  write("root/young.txt", "two", kFarOff);
  EXPECT_EQ(client.get("/young.txt").body, "one");
  client.advance(100ms);
  EXPECT_EQ(client.get("/young.txt").body, "two");
  write("root/young.txt", "six", kFarOff);
  client.advance(100ms);
  EXPECT_EQ(client.get("/young.txt").body, "six");
}

TEST_F(FilesCacheTest, without_a_time_each_request_looks) {
  App app;
  serve_files(app, "/", (base_ / "root").string(), {.recheck = Duration::zero()});
  TestClient client(app);
  EXPECT_EQ(client.get("/a.txt").body, "one");
  write("root/a.txt", "two");
  EXPECT_EQ(client.get("/a.txt").body, "two");
}

TEST_F(FilesCacheTest, a_link_that_leads_out_since_is_not_followed_after_that_time) {
  TestClient client(app_);
  write("secret", "secret");
  fs::create_symlink("a.txt", base_ / "root/link");
  EXPECT_EQ(client.get("/link").body, "one");
  fs::remove(base_ / "root/link");
  fs::create_symlink("../secret", base_ / "root/link");
  client.advance(100ms);
  EXPECT_EQ(client.get("/link").status, 404);
}

std::shared_ptr<const detail::files::Document> document_of(std::size_t bytes) {
  auto file = std::make_shared<detail::files::StoredFile>();
  file->bytes.assign(bytes, 'x');
  auto document = std::make_shared<detail::files::Document>();
  document->plain.file = std::move(file);
  return document;
}

std::shared_ptr<const detail::files::Document> open_document() {
  auto file = std::make_shared<detail::files::StoredFile>();
  file->file = std::make_shared<const Descriptor>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto document = std::make_shared<detail::files::Document>();
  document->plain.file = std::move(file);
  return document;
}

TEST(DocumentCache, holds_no_more_memory_than_it_may) {
  detail::files::DocumentCache cache({.memory_bytes_max = 30'000, .open_files_max = 10});
  cache.put("a", document_of(8'000));
  cache.put("b", document_of(8'000));
  EXPECT_NE(cache.find("a"), nullptr);  // so that "b" is the least recently used
  cache.put("c", document_of(8'000));
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("c"), nullptr);
  EXPECT_LE(cache.held().memory_bytes, 30'000U);
  cache.put("huge", document_of(40'000));
  EXPECT_EQ(cache.held().documents, 0U);
  EXPECT_EQ(cache.held().memory_bytes, 0U);
}

TEST(DocumentCache, holds_no_more_files_open_than_it_may) {
  detail::files::DocumentCache cache({.memory_bytes_max = 1'000'000, .open_files_max = 2});
  for (const char* path : {"a", "b", "c"}) {
    cache.put(path, open_document());
  }
  EXPECT_EQ(cache.held().open_files, 2U);
  EXPECT_EQ(cache.find("a"), nullptr);
}

TEST(DocumentCache, keeps_one_document_for_a_path) {
  detail::files::DocumentCache cache({.memory_bytes_max = 1'000'000, .open_files_max = 2});
  const auto first = document_of(10);
  const auto second = document_of(20);
  cache.put("a", first);
  cache.put("a", second);
  EXPECT_EQ(cache.find("a"), second);
  EXPECT_EQ(cache.held().documents, 1U);
  EXPECT_EQ(cache.held().memory_bytes, second->memory_bytes());
  cache.remove("a");
  cache.remove("a");
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_EQ(cache.held().memory_bytes, 0U);
  EXPECT_EQ(first->plain.file->bytes.size(), 10U);
}

TEST(DocumentCache, serves_several_threads_at_once) {
  constexpr int kRounds = 2000;
  detail::files::DocumentCache cache({.memory_bytes_max = 10'000, .open_files_max = 2});
  const auto work = [&cache](std::size_t first) {
    for (std::size_t i = 0; i < kRounds; ++i) {
      const std::string path(1, static_cast<char>('a' + (first + i) % 7));
      if (const auto known = cache.find(path)) {
        EXPECT_EQ(known->plain.file->bytes.size(), 10U);
      }
      cache.put(path, document_of(10));
      if (i % 5 == 0) {
        cache.remove(path);
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 4; ++i) {
    threads.emplace_back(work, i);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(cache.held().memory_bytes, 10'000U);
  for (const char* path : {"a", "b", "c", "d", "e", "f", "g"}) {
    cache.remove(path);
  }
  EXPECT_EQ(cache.held().documents, 0U);
  EXPECT_EQ(cache.held().memory_bytes, 0U);
}

}  // namespace
}  // namespace eider
