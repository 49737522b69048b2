#include "eider/web/files/file_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/multipart.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Moves file times before the simulated time, because each check reads younger files again.
constexpr std::chrono::hours kYears = 24h * 3650;

struct Names {
  std::vector<std::string> names;
};

Task<std::string> upload(Multipart form, State<FileStore> kept) {
  auto part = co_await form.next();
  TempFile file = co_await part->save(kept->directory());
  // The client chooses the name, to test invalid ones.
  const std::string name = part->filename == "new" ? FileStore::new_name() : *part->filename;
  co_await kept->keep(std::move(file), name);
  co_return name;
}

class KeptFilesTest : public ::testing::Test {
 protected:
  KeptFilesTest() {
    app_.log_to(nullptr);
    app_.state<FileStore>(directory_);
    app_.post("/files", upload);
    app_.get("/files/{name}", [](std::string name, const Request& request, State<FileStore> kept) {
      return kept->download(std::move(name), "<b>.html", request);
    });
    app_.post("/remove", [](Json<Names> all, State<FileStore> kept) {
      return kept->remove(std::move(all->names));
    });
    app_.post("/remove_all_but", [](Json<Names> all, State<FileStore> kept) {
      return kept->remove_all_but(std::move(all->names));
    });
  }
  ~KeptFilesTest() override = default;

  TestResponse send(const std::string& name, const std::string& bytes = "<script>") {
    MultipartForm form;
    form.add_file("file", name, "text/html", bytes);
    return client().post_form("/files", form);
  }
  /// Creates the client on first use, when the app is complete.
  TestClient& client() {
    if (!client_) {
      client_.emplace(app_);
    }
    return *client_;
  }
  void date_back(const std::string& name, std::chrono::hours age) const {
    fs::last_write_time(fs::path(directory_) / name, fs::file_time_type::clock::now() - age);
  }
  void put(const std::string& name, std::chrono::hours age) const {
    std::ofstream(fs::path(directory_) / name) << "x";
    date_back(name, age);
  }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return fs::exists(fs::path(directory_) / name);
  }

  const TempDirectory temporary_;
  const std::string directory_ = temporary_.path();
  App app_;
  std::optional<TestClient> client_;
};

TEST_F(KeptFilesTest, gives_back_what_it_keeps_for_browsers_to_save_and_never_to_show) {
  const std::string name = send("new").body;
  EXPECT_EQ(name.size(), 32U);
  EXPECT_NE(name, send("new").body);
  const TestResponse reply = client().get("/files/" + name);
  EXPECT_EQ(reply.body, "<script>");
  EXPECT_EQ(reply.header("Content-Type"), "application/octet-stream");
  EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(std::ranges::count(reply.headers, "X-Content-Type-Options",
                               &std::pair<std::string, std::string>::first),
            1);
  EXPECT_EQ(reply.header("Cache-Control"), "private, no-cache");
  EXPECT_EQ(reply.header("Content-Disposition"),
            "attachment; filename=\"<b>.html\"; filename*=UTF-8''%3Cb%3E.html");
  const TestResponse part =
      client().send({.target = "/files/" + name, .headers = {{"Range", "bytes=1-6"}}});
  EXPECT_EQ(part.body, "script");
}

TEST_F(KeptFilesTest, takes_no_name_that_it_has_not_made_and_none_twice) {
  const std::string name = send("new", "first").body;
  for (const std::string& wrong :
       {std::string("../escaped"), std::string("a"), std::string(32, 'A'), std::string(32, 'g'),
        std::string(33, 'a'), std::string(".") + std::string(31, 'a'), name}) {
    EXPECT_EQ(send(wrong, "second").status, 500) << wrong;
  }
  EXPECT_EQ(client().get("/files/" + name).body, "first");
  EXPECT_FALSE(is_there("../escaped"));
  put("of somebody else", 0h);
  EXPECT_EQ(client().get("/files/of%20somebody%20else").status, 404);
  EXPECT_EQ(client().get("/files/..%2fx").status, 404);
}

TEST_F(KeptFilesTest, removes_what_it_is_told_and_nothing_beside) {
  const std::string name = send("new").body;
  put("of somebody else", 0h);
  client().post("/remove", Names{{name, "of somebody else", std::string(32, 'b'), "", ".."}});
  EXPECT_FALSE(is_there(name));
  EXPECT_TRUE(is_there("of somebody else"));
  EXPECT_EQ(client().get("/files/" + name).status, 404);
}

/// Returns the number of open files of the directory that were deleted.
std::size_t held_of(const std::string& directory) {
  std::size_t held = 0;
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // for the descriptor that reads this directory
    const std::string leads_to = fs::read_symlink(each, gone).string();
    held += leads_to.starts_with(directory) && leads_to.ends_with(" (deleted)") ? 1 : 0;
  }
  return held;
}

TEST_F(KeptFilesTest, holds_nothing_of_what_is_removed) {
  const std::string small = send("new", "x").body;
  const std::string large = send("new", std::string(100'000, 'x')).body;
  for (const std::string& name : {small, large}) {
    date_back(name, kYears);
    EXPECT_EQ(client().get("/files/" + name).status, 200);
  }
  client().post("/remove", Names{{small, large}});
  EXPECT_EQ(held_of(directory_), 0U) << "its room on the disk is not free";
  EXPECT_EQ(client().get("/files/" + small).status, 404);
  EXPECT_EQ(client().get("/files/" + large).status, 404);
}

TEST_F(KeptFilesTest, removes_what_no_row_has_once_no_row_can_be_on_its_way) {
  const std::string known(32, 'a');
  const std::string lost(32, 'b');
  const std::string young(32, 'c');
  const std::string folder(32, 'd');
  put(known, 2h);
  put(lost, 2h);
  put(young, 0h);
  put("of somebody else", 2h);
  fs::create_directory(fs::path(directory_) / folder);
  client().post("/remove_all_but", Names{{known}});
  EXPECT_FALSE(is_there(lost));
  for (const std::string& name : {known, young, folder, std::string("of somebody else")}) {
    EXPECT_TRUE(is_there(name)) << name;
  }
}

TEST(FileStore, make_their_directory_but_not_its_parents) {
  const TempDirectory temp;
  const fs::path directory = temp.path() / "uploads";
  const FileStore kept(directory.string());
  ASSERT_TRUE(fs::is_directory(directory));
  EXPECT_EQ(fs::status(directory).permissions(), fs::perms::owner_all);
  const FileStore again(directory.string());
  EXPECT_THROW(FileStore((temp.path() / "misspelled" / "uploads").string()), Failure);
  EXPECT_FALSE(fs::exists(temp.path() / "misspelled"));
}

TEST(FileStore, are_not_kept_where_there_is_no_directory) {
  EXPECT_THROW(FileStore("/nowhere/at/all"), Failure);
}

}  // namespace
}  // namespace eider
