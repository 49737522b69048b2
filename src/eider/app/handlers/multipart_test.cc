#include "eider/app/handlers/multipart.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/app/handlers/test_inbox.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/temp_directory.h"
#include "tests/conformance/multipart_cases.h"

namespace eider {
namespace {

constexpr std::size_t kPlenty = 1 << 20;

class MultipartTest : public ::testing::Test {
 protected:
  /// Runs a handler with a form whose boundary is "xyz".
  template <class Handler>
  auto run(Handler handler, std::string_view content, std::size_t piece_bytes = kPlenty) {
    detail::app::TestInbox inbox;
    inbox.give(content, piece_bytes);
    auto task = handler(Multipart(BodyStream(inbox), std::string(kCaseBoundary)));
    loop.call([&] { task.start(); });
    EXPECT_TRUE(task.is_done());
    return task.take();
  }
  /// Returns the status of the response to the handler's failure.
  template <class Handler>
  int status(Handler handler, std::string_view content) {
    try {
      (void)run(handler, content);
    } catch (const Failure& failure) {
      return failure.error().status();
    }
    return 200;
  }
  bool is_directory_empty() const { return std::filesystem::is_empty(directory); }

  SimKernel kernel;
  SimLoop loop{kernel};
  const TempDirectory temporary;
  const std::string directory = temporary.path();
};

Task<std::string> list(Multipart form) {
  std::string found;
  while (true) {
    auto part = co_await form.next();
    if (!part) {
      co_return found + ".";
    }
    found += "(" + part->name + (part->filename ? "|" + *part->filename : "") + ")";
    found += co_await part->text(100);
  }
}

std::string two_parts() {
  const std::string form = form_of("; name=a; filename=b", "12345");
  return form.substr(0, form.size() - 4) + form_around("6").substr(5);
}

TEST_F(MultipartTest, gives_parts_and_their_text_however_they_arrive) {
  for (std::size_t piece_bytes = 1; piece_bytes < 100; ++piece_bytes) {
    EXPECT_EQ(run(list, two_parts(), piece_bytes), "(a|b)12345(a)6.");
  }
  EXPECT_EQ(run(list, "--xyz--"), ".");
}

TEST_F(MultipartTest, skips_files_that_are_not_chosen) {
  const std::string form = form_of("; name=photo; filename=\"\"", "");
  const std::string all = form.substr(0, form.size() - 4) + form_around("6").substr(5);
  for (std::size_t piece_bytes = 1; piece_bytes < 100; ++piece_bytes) {
    EXPECT_EQ(run(list, form, piece_bytes), ".");
    EXPECT_EQ(run(list, all, piece_bytes), "(a)6.");
    EXPECT_EQ(run(list, form_of("; name=photo; filename=\"\"", "12345"), piece_bytes),
              "(photo|)12345.")
        << "it has content, and so is a file without a name";
    EXPECT_EQ(run(list, form_of("; name=photo; filename=a", ""), piece_bytes), "(photo|a).");
    EXPECT_EQ(run(list, form_of("; name=photo", ""), piece_bytes), "(photo).");
  }
}

TEST_F(MultipartTest, passes_over_what_is_not_read_of_a_part) {
  const auto names = [](Multipart form) -> Task<std::string> {
    std::string found;
    while (true) {
      auto part = co_await form.next();
      if (!part) {
        co_return found;
      }
      found += part->name + part->content_type + ";";
    }
  };
  for (const std::size_t piece_bytes : {1UL, 3UL, 1000UL}) {
    EXPECT_EQ(run(names, two_parts(), piece_bytes), "atext/plain;atext/plain;");
  }
}

TEST_F(MultipartTest, stays_at_its_end) {
  const auto ask_again = [](Multipart form) -> Task<bool> {
    auto part = co_await form.next();
    auto none = co_await form.next();
    auto still_none = co_await form.next();
    co_return part && !none && !still_none;
  };
  EXPECT_TRUE(run(ask_again, form_around("1")));
}

TEST_F(MultipartTest, answers_what_is_wrong_with_its_status) {
  for (const MultipartCase& one : bad_multipart_headers()) {
    EXPECT_EQ(status(list, one.bytes), refusal_info(one.refusal).status) << one.what;
  }
  for (const MultipartCase& one : bad_multipart_frames()) {
    EXPECT_EQ(status(list, one.bytes), refusal_info(one.refusal).status) << one.what;
  }
}

TEST_F(MultipartTest, takes_no_more_text_than_it_is_told_and_only_utf8) {
  EXPECT_EQ(status(list, form_around(std::string(100, 'a'))), 200);
  EXPECT_EQ(status(list, form_around(std::string(101, 'a'))), 413);
  EXPECT_EQ(status(list, form_around("\xE9")), 400);
}

TEST_F(MultipartTest, has_limits_that_a_handler_may_change) {
  const auto strict = [](Multipart form) -> Task<std::string> {
    form.limits().parts_max = 1;
    co_return co_await list(std::move(form));
  };
  EXPECT_EQ(status(strict, form_around("1")), 200);
  EXPECT_EQ(status(strict, two_parts()), 413);
}

TEST_F(MultipartTest, reads_what_stands_behind_the_last_part_up_to_its_limit) {
  EXPECT_EQ(status(list, form_around("1") + std::string(100, 'a')), 200);
  EXPECT_EQ(status(list, form_around("1") + std::string(5000, 'a')), 413);
}

TEST_F(MultipartTest, gives_bytes_before_the_rest_has_come) {
  detail::app::TestInbox inbox;
  std::string found;
  const auto handler = [&](Multipart form) -> Task<> {
    auto part = co_await form.next();
    while (true) {
      const auto bytes = co_await part->next_bytes();
      if (!bytes) {
        break;
      }
      found += *bytes;
    }
    found += ".";
  };
  auto task = handler(Multipart(BodyStream(inbox), "xyz"));
  loop.call([&] { task.start(); });
  loop.call([&] { inbox.push("--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n12"); });
  EXPECT_EQ(found, "12");
  loop.call([&] { inbox.push("34\r\n-"); });
  EXPECT_EQ(found, "1234");
  loop.call([&] { inbox.push("-xyz--"); });
  EXPECT_EQ(found, "1234.");
  EXPECT_TRUE(task.is_done());
}

TEST_F(MultipartTest, forbids_reading_a_part_that_was_left) {
  const auto too_late = [](Multipart form) -> Task<> {
    auto part = co_await form.next();
    auto other = co_await form.next();
    (void)co_await part->next_bytes();
  };
  EXPECT_THROW(run(too_late, two_parts()), std::logic_error);
}

Task<TempFile> save_first(Multipart form, std::string directory) {
  auto part = co_await form.next();
  co_return co_await part->save(std::move(directory));
}

TEST_F(MultipartTest, saves_a_file_that_is_gone_unless_it_is_kept) {
  std::string content;
  for (int count = 0; count < 100'000; ++count) {
    content += "line " + std::to_string(count) + "\r\n";
  }
  const auto save = [&](Multipart form) { return save_first(std::move(form), directory); };
  {
    TempFile file = run(save, form_around(content), 10'007);
    EXPECT_EQ(file.size(), content.size());
    auto reading = file.read(0, kPlenty * 4);
    loop.call([&] { reading.start(); });
    EXPECT_EQ(reading.take(), content);
  }
  EXPECT_TRUE(is_directory_empty());
}

TEST_F(MultipartTest, leaves_nothing_of_a_file_whose_form_breaks_off) {
  const auto save = [&](Multipart form) { return save_first(std::move(form), directory); };
  std::string form = form_around(std::string(300'000, 'a'));
  form.resize(form.size() - 10);
  EXPECT_EQ(status(save, form), 400);
  EXPECT_TRUE(is_directory_empty());
}

TEST_F(MultipartTest, leaves_nothing_of_a_file_whose_client_leaves) {
  detail::app::TestInbox inbox;
  auto task = save_first(Multipart(BodyStream(inbox), "xyz"), directory);
  loop.call([&] { task.start(); });
  std::string form = form_around(std::string(300'000, 'a'));
  form.resize(form.size() - 10);
  loop.call([&] { inbox.push(form); });
  EXPECT_FALSE(task.is_done());
  loop.call([&] { task = {}; });
  EXPECT_TRUE(is_directory_empty());
}

TEST_F(MultipartTest, tells_a_directory_that_is_none_as_a_failure_of_ours) {
  const auto save = [&](Multipart form) {
    return save_first(std::move(form), directory + "/missing");
  };
  EXPECT_EQ(status(save, form_around("1")), 500);
}

}  // namespace
}  // namespace eider
