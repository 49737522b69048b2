// A local directory as a storage.
#include "eider/web/storage/storage.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "eider/web/storage/local_backend.h"
#include "eider/web/storage/object_file.h"
#include "eider/web/storage/test_storage.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using LocalStorage = testing::StorageTest;
using Names = std::vector<std::string>;
namespace fs = std::filesystem;

TEST_F(LocalStorage, object_is_read_as_it_was_stored) {
  const std::string bytes("a\0b\r\n\xff", 6);
  const StoredObject stored = run(storage_.put("photos/ä/1.png", bytes,
                                               {.content_type = "image/png",
                                                .filename = "../Urlaub \"1\".png",
                                                .metadata = {{"owner", "ann ☃"}}}));
  EXPECT_EQ(stored.bytes, 6U);
  EXPECT_EQ(read("photos/ä/1.png"), bytes);
  const auto found = run(storage_.head("photos/ä/1.png"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->bytes, 6U);
  EXPECT_EQ(found->content_type, "image/png");
  EXPECT_EQ(found->filename, "Urlaub _1_.png");
  EXPECT_EQ(found->metadata, (StorageMetadata{{"owner", "ann ☃"}}));
  EXPECT_EQ(found->etag, stored.etag);
  EXPECT_EQ(found->etag.size(), 34U);
  EXPECT_EQ(found->modified_seconds, stored.modified_seconds);
}

TEST_F(LocalStorage, absent_object_is_nothing) {
  EXPECT_FALSE(run(storage_.head("a/b")).has_value());
  EXPECT_EQ(read("a"), "absent");
  run(storage_.remove("a/b"));
}

TEST_F(LocalStorage, empty_and_large_objects_are_whole) {
  run(storage_.put("empty", ""));
  EXPECT_EQ(read("empty"), "");
  const std::string large(3'000'001, 'x');
  run(storage_.put("large", large));
  EXPECT_EQ(read("large"), large);
  EXPECT_EQ(run(storage_.read("large", large.size())), large);
  EXPECT_EQ(status_of(storage_.read("large", large.size() - 1)), 413);
}

TEST_F(LocalStorage, part_is_within_the_object) {
  run(storage_.put("a", "0123456789"));
  EXPECT_EQ(read("a", {.first = 3}), "3456789");
  EXPECT_EQ(read("a", {.first = 3, .bytes = 4}), "3456");
  EXPECT_EQ(read("a", {.first = 8, .bytes = 100}), "89");
  EXPECT_EQ(read("a", {.first = 10}), "");
  EXPECT_EQ(read("a", {.first = 11, .bytes = 1}), "");
  EXPECT_EQ(read("a", {.first = 0, .bytes = 0}), "");
}

TEST_F(LocalStorage, type_is_by_the_name_if_none_is_set) {
  EXPECT_EQ(run(storage_.put("a.png", "")).content_type, "image/png");
  EXPECT_EQ(run(storage_.put("b", "", {.filename = "c.jpg"})).content_type, "image/jpeg");
  EXPECT_EQ(run(storage_.put("d", "")).content_type, "application/octet-stream");
  EXPECT_EQ(status_of(storage_.put("e", "", {.content_type = "a\r\nb: c"})), 400);
}

TEST_F(LocalStorage, put_replaces_the_object_and_its_etag) {
  const std::string first = run(storage_.put("a", "1", {.metadata = {{"x", "1"}}})).etag;
  auto opened = run(storage_.get("a"));
  const std::string second = run(storage_.put("a", "two")).etag;
  EXPECT_NE(first, second);
  EXPECT_EQ(read("a"), "two");
  EXPECT_TRUE(run(storage_.head("a"))->metadata.empty());
  EXPECT_EQ(run(opened->next()), "1") << "an open object is the one that was opened";
  EXPECT_EQ(files("tmp"), Names());
}

TEST_F(LocalStorage, put_without_overwriting_keeps_the_first) {
  run(storage_.put("a", "1", {.overwrites = false}));
  EXPECT_EQ(status_of(storage_.put("a", "2", {.overwrites = false})), 409);
  EXPECT_THROW(run(storage_.put("a", "2", {.overwrites = false})), ObjectExists);
  EXPECT_EQ(read("a"), "1");
  EXPECT_EQ(files("tmp"), Names());
}

TEST_F(LocalStorage, two_puts_at_once_leave_one_whole_object) {
  // Each piece of one is read between two of the other.
  AsyncEvent turn;
  const auto source = [&turn](char byte) {
    return [&turn, byte, count = 0]() mutable -> Task<std::string> {
      if (byte == 'a') {
        co_await turn.wait();
      }
      co_return ++count > 3 ? std::string() : std::string(300'000, byte);
    };
  };
  auto slow = storage_.put("k", detail::storage::ContentSource(source('a')));
  loop_.call([&] { slow.start(); });
  run(storage_.put("k", detail::storage::ContentSource(source('b'))));
  EXPECT_EQ(read("k"), std::string(900'000, 'b'));
  loop_.call([&] { turn.set(); });
  (void)slow.take();
  EXPECT_EQ(read("k"), std::string(900'000, 'a'));
}

TEST_F(LocalStorage, put_that_fails_stores_nothing) {
  EXPECT_EQ(status_of(storage_.put("a", std::string(101, 'x'), {.bytes_max = 100})), 413);
  int calls = 0;
  detail::storage::ContentSource source = [&calls]() -> Task<std::string> {
    if (++calls == 3) {
      throw Failure(Error::bad_request("cut off"));
    }
    co_return std::string(1'000'000, 'x');
  };
  EXPECT_EQ(status_of(storage_.put("a", source)), 400);
  EXPECT_EQ(read("a"), "absent");
  EXPECT_EQ(files(""), (Names{"objects", "signing.key", "tmp"}));
}

TEST_F(LocalStorage, put_that_is_cancelled_stores_nothing) {
  AsyncEvent never;
  int calls = 0;
  detail::storage::ContentSource source = [&]() -> Task<std::string> {
    if (++calls == 2) {
      co_await never.wait();
    }
    co_return std::string(1'000'000, 'x');
  };
  {
    auto putting = storage_.put("a", source);
    loop_.call([&] { putting.start(); });
    EXPECT_EQ(calls, 2);
    loop_.call([&] { putting = {}; });
  }
  EXPECT_EQ(files(""), (Names{"objects", "signing.key", "tmp"}));
}

/// While it exists, this process cannot write files larger than that.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit before_{};
  void (*old_handler_)(int) = nullptr;
};

TEST_F(LocalStorage, disk_that_cannot_be_written_leaves_the_old_object) {
  run(storage_.put("a", "old"));
  {
    const FileSizeLimit limit(100'000);
    EXPECT_EQ(status_of(storage_.put("a", std::string(1'000'000, 'x'))), 500);
  }
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(files("tmp"), Names());
  EXPECT_EQ(detail::storage::disk_error(ENOSPC, "write").status(), 507);
  EXPECT_EQ(detail::storage::disk_error(EDQUOT, "write").status(), 507);
  EXPECT_EQ(detail::storage::disk_error(EIO, "write").status(), 500);
}

TEST_F(LocalStorage, hostile_keys_reach_nothing) {
  std::ofstream(temporary_.path() / "secret") << "secret";
  for (const std::string& key :
       std::vector<std::string>{"../secret", "../../secret", "/etc/passwd", "a/../../secret", "..",
                                ".", "", "a//b", "a/", "..\\secret", "a\nb", "%00/../secret\xff"}) {
    EXPECT_EQ(status_of(storage_.get(key)), 400) << key;
    EXPECT_EQ(status_of(storage_.put(key, "x")), 400) << key;
    EXPECT_EQ(status_of(storage_.remove(key)), 400) << key;
    EXPECT_EQ(status_of(storage_.head(key)), 400) << key;
  }
  EXPECT_EQ(status_of(storage_.get(std::string("a\0b", 3))), 400);
  EXPECT_EQ(status_of(storage_.list("../")), 400);
  EXPECT_EQ(keys(), "end");
  // Percent signs are bytes of a key, and not decoded again.
  run(storage_.put("%2e%2e/x", "y"));
  EXPECT_EQ(files("objects"), (Names{"%2e%2e", "%2e%2e/x"}));
}

TEST_F(LocalStorage, links_are_not_followed) {
  fs::create_directory(temporary_.path() / "outside");
  std::ofstream(temporary_.path() / "outside/a") << "secret";
  fs::create_symlink(temporary_.path() / "outside", path("objects/link"));
  fs::create_symlink(temporary_.path() / "outside/a", path("objects/file"));
  EXPECT_EQ(read("link/a"), "absent");
  EXPECT_EQ(read("file"), "absent");
  EXPECT_EQ(keys(), "end");
  EXPECT_EQ(status_of(storage_.put("link/b", "x")), 409);
  run(storage_.remove("link/a"));
  EXPECT_TRUE(fs::exists(temporary_.path() / "outside/a"));
  EXPECT_FALSE(fs::exists(temporary_.path() / "outside/b"));
  run(storage_.put("file", "new"));
  EXPECT_EQ(read("file"), "new");
}

TEST_F(LocalStorage, special_files_are_absent) {
  ASSERT_EQ(::mkfifo(path("objects/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read("pipe"), "absent");
  run(storage_.put("d/x", ""));
  EXPECT_EQ(read("d"), "absent");
  EXPECT_EQ(keys(), "d/x end");
}

TEST_F(LocalStorage, key_is_an_object_or_a_directory) {
  run(storage_.put("a", "1"));
  EXPECT_EQ(status_of(storage_.put("a/b", "2")), 409);
  EXPECT_EQ(detail_,
            "The key \"a/b\" cannot be stored: an object's key cannot also be the directory of "
            "other keys. Use another key.");
  run(storage_.put("c/d", "3"));
  EXPECT_EQ(status_of(storage_.put("c", "4")), 409);
  EXPECT_EQ(read("c/d"), "3");
  EXPECT_EQ(files("tmp"), Names());
  run(storage_.remove("a"));
  run(storage_.put("a/b", "2"));
  EXPECT_EQ(read("a/b"), "2");
}

TEST_F(LocalStorage, directory_goes_with_its_last_object) {
  run(storage_.put("a/b/c", ""));
  run(storage_.put("a/d", ""));
  run(storage_.remove("a/b/c"));
  EXPECT_EQ(files("objects"), (Names{"a", "a/d"}));
  run(storage_.remove("a/d"));
  EXPECT_EQ(files("objects"), Names());
}

TEST_F(LocalStorage, list_is_in_the_order_of_bytes) {
  for (const char* const key : {"b", "a/b", "a.txt", "a-b", "a/a/z", "ä", "a0", "B"}) {
    run(storage_.put(key, "x"));
  }
  EXPECT_EQ(keys(), "B a-b a.txt a/a/z a/b a0 b ä end");
  EXPECT_EQ(keys("a"), "a-b a.txt a/a/z a/b a0 end");
  EXPECT_EQ(keys("a/"), "a/a/z a/b end");
  EXPECT_EQ(keys("a/b"), "a/b end");
  EXPECT_EQ(keys("a/a"), "a/a/z end");
  EXPECT_EQ(keys("c"), "end");
  EXPECT_EQ(keys("c/d/"), "end");
  EXPECT_EQ(keys("b/"), "end");
}

TEST_F(LocalStorage, pages_have_each_object_once) {
  for (const char* const key : {"a/1", "a/2", "a/b/3", "a0", "b/4", "c"}) {
    run(storage_.put(key, "x"));
  }
  for (std::size_t count = 1; count <= 7; ++count) {
    std::string all;
    ListOptions options{.count_max = count};
    while (true) {
      const ObjectPage page = run(storage_.list("", options));
      EXPECT_LE(page.objects.size(), count);
      for (const StoredObject& object : page.objects) {
        all += object.key + " ";
      }
      if (!page.next) {
        break;
      }
      options.after = *page.next;
    }
    EXPECT_EQ(all, "a/1 a/2 a/b/3 a0 b/4 c ") << count;
  }
  EXPECT_EQ(keys("a/", {.after = "a/1", .count_max = 1}), "a/2 next a/2");
  // A page of a bucket may end at a key that this library could not store.
  EXPECT_EQ(keys("b", {.after = "a//\x01"}), "b/4 end");
  EXPECT_EQ(status_of(storage_.list("", {.after = std::string(1025, 'a')})), 400);
}

TEST_F(LocalStorage, list_has_sizes_and_etags) {
  const std::string etag = run(storage_.put("a", "1234")).etag;
  const ObjectPage page = run(storage_.list());
  ASSERT_EQ(page.objects.size(), 1U);
  EXPECT_EQ(page.objects[0].bytes, 4U);
  EXPECT_EQ(page.objects[0].etag, etag);
}

TEST_F(LocalStorage, file_that_was_put_there_by_hand_is_an_object) {
  std::ofstream(path("objects/a.png")) << "bytes";
  const auto found = run(storage_.head("a.png"));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->bytes, 5U);
  EXPECT_EQ(found->content_type, "image/png");
  EXPECT_EQ(read("a.png"), "bytes");
  // Content that only looks like properties.
  for (const char* const end : {"\nEIDEROBJ", "00000002\nEIDEROBJ", "ffffffff\nEIDEROBJ",
                                "{}00000002\nEIDEROBJ", "xxxxxxxx\nEIDEROBJ"}) {
    std::ofstream(path("objects/b")) << end;
    EXPECT_EQ(read("b"), end);
  }
}

TEST_F(LocalStorage, content_that_looks_like_properties_is_content) {
  const std::string trick =
      detail::storage::write_footer({.key = "a", .content_type = "text/html", .etag = "\"x\""});
  run(storage_.put("a", trick, {.content_type = "image/png"}));
  EXPECT_EQ(read("a"), trick);
  EXPECT_EQ(run(storage_.head("a"))->content_type, "image/png");
}

TEST_F(LocalStorage, metadata_is_limited) {
  EXPECT_EQ(status_of(storage_.put("a", "", {.metadata = {{"A", "x"}}})), 400);
  EXPECT_EQ(status_of(storage_.put("a", "", {.metadata = {{"filename", "x"}}})), 400);
  EXPECT_EQ(status_of(storage_.put("a", "", {.metadata = {{"a", "x\ny"}}})), 400);
  EXPECT_EQ(status_of(storage_.put("a", "", {.metadata = {{"a", std::string(2000, 'x')}}})), 400);
  run(storage_.put("a", "", {.metadata = {{"a", std::string(1999, 'x')}}}));
  EXPECT_EQ(run(storage_.head("a"))->metadata["a"].size(), 1999U);
  // Percent-encoded in S3, and in one limit with the filename.
  EXPECT_EQ(status_of(storage_.put("a", "", {.metadata = {{"a", std::string(700, ' ')}}})), 400);
  EXPECT_EQ(status_of(storage_.put(
                "a", "", {.filename = "a.txt", .metadata = {{"a", std::string(1999, 'x')}}})),
            400);
}

TEST_F(LocalStorage, restart_keeps_objects_and_the_key_and_removes_files_of_killed_processes) {
  run(storage_.put("a", "1"));
  std::ifstream key_file(path("signing.key"));
  const std::string key(std::istreambuf_iterator<char>(key_file), {});
  EXPECT_EQ(key.size(), 64U);
  struct stat status{};
  ASSERT_EQ(::stat(path("signing.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  std::ofstream(path("tmp/old")) << "x";
  std::ofstream(path("tmp/young")) << "x";
  fs::last_write_time(path("tmp/old"), fs::file_time_type::clock::now() - 25h);
  storage_ = Storage({.directory = path("")});
  EXPECT_EQ(read("a"), "1");
  EXPECT_EQ(files("tmp"), Names{"young"});
  std::ifstream again(path("signing.key"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(again), {}), key);
}

TEST(StorageSettings, mistakes_are_named_at_startup) {
  const auto reason = [](const StorageOptions& options) {
    try {
      const Storage storage(options);
      return std::string();
    } catch (const Failure& failure) {
      return failure.error().cause();
    }
  };
  EXPECT_EQ(
      reason({.directory = "/nowhere/storage"}),
      "Cannot create the storage directory /nowhere/storage: No such file or directory. Create "
      "its parent, or pass another directory.");
  EXPECT_EQ(reason({.s3_endpoint = "https://s3.example.org"}),
            "Storage: s3_endpoint and s3_access_key have no effect without s3_bucket. Set the "
            "bucket, or remove them.");
  EXPECT_EQ(reason({.s3_bucket = "b", .s3_access_key = "k"}),
            "Storage: s3_bucket needs s3_access_key and s3_secret_key. Set both.");
  EXPECT_EQ(reason({.s3_bucket = "b",
                    .s3_endpoint = "s3.example.org",
                    .s3_access_key = "k",
                    .s3_secret_key = Secret("s")})
                .substr(0, 60),
            "Storage: s3_endpoint \"s3.example.org\" is not a URL without a");
  EXPECT_NE(reason({.s3_bucket = "a b", .s3_access_key = "k", .s3_secret_key = Secret("s")}), "");
}

}  // namespace
}  // namespace eider
