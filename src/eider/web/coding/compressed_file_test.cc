// Files that are compressed while they are sent, instead of being sent by the kernel.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/compress/decompressor.h"
#include "eider/server/content.h"
#include "eider/web/coding/compressed_response.h"
#include "tests/support/served_directory.h"

namespace eider {
namespace {

constexpr const char* kAcceptEncoding = "Accept-Encoding";

/// Returns text that is long enough for several pieces, which all differ.
std::string lines(int count) {
  std::string text;
  for (int line = 0; line < count; ++line) {
    text += "line " + std::to_string(line) + "\n";
  }
  return text;
}

std::string decoded(const TestResponse& reply) {
  const auto coding = coding_named(reply.header("Content-Encoding").value_or("identity"));
  if (!coding) {
    return reply.body;
  }
  Buffer out;
  const auto outcome =
      decompress(*coding, reply.body, out, {.bytes_max = 1U << 26U, .ratio_max = 0});
  return outcome ? std::string(out.view()) : std::string(to_text(outcome.error()));
}

/// Returns a response with parts of a file, as a handler creates it.
Response file_response(const std::string& path, std::vector<FileContent::Piece> pieces,
                       std::string tail = {}) {
  auto file = std::make_shared<const Descriptor>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Response response;
  response.set_static_type(kTextPlain);
  response.set_content(
      std::make_unique<FileContent>(std::move(file), std::move(pieces), std::move(tail)));
  return response;
}

class CompressedFile : public ServedDirectory {
 protected:
  CompressedFile() { write("root/large.txt", text); }

  void serve_compressed(CompressionOptions options = {}) {
    app_.use(compression(std::move(options)));
    serve({});
  }

  const std::string text = lines(6'000);
};

TEST_F(CompressedFile, is_given_to_each_client_in_the_coding_it_takes) {
  serve_compressed();
  for (const char* coding : {"gzip", "br", "zstd"}) {
    const TestResponse reply = get("/large.txt", {{kAcceptEncoding, coding}});
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("Content-Encoding"), coding);
    EXPECT_EQ(reply.header("Vary"), kAcceptEncoding);
    EXPECT_EQ(reply.header("Accept-Ranges"), "none");
    EXPECT_EQ(reply.header("Content-Length"), std::nullopt);
    EXPECT_TRUE(reply.header("ETag").value_or("").starts_with("W/\""));
    EXPECT_LT(reply.body.size(), text.size() / 2);
    EXPECT_EQ(decoded(reply), text);
  }
}

TEST_F(CompressedFile, is_sent_as_it_is_to_who_takes_no_coding) {
  serve_compressed();
  const TestResponse reply = get("/large.txt");
  EXPECT_EQ(reply.header("Content-Encoding"), std::nullopt);
  EXPECT_EQ(reply.header("Vary"), kAcceptEncoding);
  EXPECT_EQ(reply.header("Accept-Ranges"), "bytes");
  EXPECT_EQ(reply.header("Content-Length"), std::to_string(text.size()));
  EXPECT_TRUE(reply.header("ETag").value_or("").starts_with("\""));
  EXPECT_EQ(reply.body, text);
}

TEST_F(CompressedFile, has_the_same_fields_for_head) {
  serve_compressed();
  const TestResponse got = get("/large.txt", {{kAcceptEncoding, "gzip"}});
  const TestResponse asked = head("/large.txt", {{kAcceptEncoding, "gzip"}});
  EXPECT_EQ(asked.body, "");
  EXPECT_EQ(asked.headers, got.headers);
}

TEST_F(CompressedFile, has_ranges_of_its_own_bytes_only) {
  serve_compressed();
  const TestResponse part = get("/large.txt", {{kAcceptEncoding, "gzip"}, {"Range", "bytes=5-9"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.header("Content-Encoding"), std::nullopt);
  EXPECT_EQ(part.body, text.substr(5, 5));
  const TestResponse parts =
      get("/large.txt", {{kAcceptEncoding, "gzip"}, {"Range", "bytes=0-1,5-9"}});
  EXPECT_EQ(parts.status, 206);
  EXPECT_EQ(parts.header("Content-Encoding"), std::nullopt);
}

TEST_F(CompressedFile, is_still_known_by_its_weak_tag) {
  serve_compressed();
  const TestResponse reply = get("/large.txt", {{kAcceptEncoding, "gzip"}});
  const std::string tag(reply.header("ETag").value());
  EXPECT_EQ(get("/large.txt", {{kAcceptEncoding, "gzip"}, {"If-None-Match", tag}}).status, 304);
  const TestResponse whole =
      get("/large.txt", {{kAcceptEncoding, "gzip"}, {"Range", "bytes=5-9"}, {"If-Range", tag}});
  EXPECT_EQ(whole.status, 200) << "a weak tag is good for no range";
  EXPECT_EQ(decoded(whole), text);
}

TEST_F(CompressedFile, is_left_alone_beyond_the_bound_below_the_least_and_of_other_types) {
  serve_compressed({.bytes_min = 20'000, .file_bytes_max = text.size()});
  write("root/larger.txt", text + "x");
  write("root/small.txt", text.substr(0, 19'999));
  write("root/large.png", text);
  EXPECT_EQ(get("/large.txt", {{kAcceptEncoding, "gzip"}}).header("Content-Encoding"), "gzip");
  for (const char* target : {"/larger.txt", "/small.txt", "/large.png"}) {
    const TestResponse reply = get(target, {{kAcceptEncoding, "gzip"}});
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("Content-Encoding"), std::nullopt) << target;
    EXPECT_EQ(reply.header("Content-Length"), std::to_string(reply.body.size())) << target;
  }
}

TEST_F(CompressedFile, gives_way_to_its_compressed_sibling) {
  serve_compressed();
  write("root/large.txt.gz", std::string(20'000, 'g'));
  const TestResponse reply = get("/large.txt", {{kAcceptEncoding, "gzip"}});
  EXPECT_EQ(reply.header("Content-Encoding"), "gzip");
  EXPECT_EQ(reply.body, std::string(20'000, 'g'));
}

TEST_F(CompressedFile, may_have_text_around_its_pieces) {
  app_.use(compression({.bytes_min = 1}));
  const std::string path = (base_ / "root/large.txt").string();
  app_.get("/pieces", [path] {
    return file_response(
        path, {{.before = "<", .offset = 0, .bytes = 6}, {.before = "|", .offset = 5, .bytes = 1}},
        ">");
  });
  EXPECT_EQ(decoded(get("/pieces", {{kAcceptEncoding, "gzip"}})), "<line 0|0>");
}

// The kernel cannot read files in /proc without waiting, like a file on a disk.
TEST_F(CompressedFile, is_read_on_the_blocking_pool_where_reading_waits) {
  std::ostringstream report;
  report << std::ifstream("/proc/version").rdbuf();
  const std::uint64_t bytes = report.str().size();
  ASSERT_GT(bytes, 10U);
  app_.use(compression({.bytes_min = 1}));
  app_.get("/report", [bytes] { return file_response("/proc/version", {{.bytes = bytes}}); });
  EXPECT_EQ(decoded(get("/report", {{kAcceptEncoding, "gzip"}})), report.str());
}

TEST_F(CompressedFile, that_ends_too_soon_does_not_pass_for_whole) {
  app_.use(compression());
  const std::string path = (base_ / "root/large.txt").string();
  const std::uint64_t bytes = text.size();
  app_.get("/cut", [path, bytes] {
    return file_response(path, {{.bytes = bytes}, {.bytes = bytes}, {.bytes = bytes + 1}});
  });
  app_.get("/none",
           [path, bytes] { return file_response(path, {{.offset = bytes, .bytes = 5000}}); });
  EXPECT_THROW((void)get("/cut", {{kAcceptEncoding, "gzip"}}), Failure) << "some of it has left";
  EXPECT_EQ(get("/none", {{kAcceptEncoding, "gzip"}}).status, 500);
}

}  // namespace
}  // namespace eider
