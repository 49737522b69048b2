#include "cli/commands.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

class Adding : public ::testing::Test {
 protected:
  Adding() {
    fs::create_directory(root_ / "src");
    std::ofstream(root_ / "CMakeLists.txt")
        << "project(shop)\nfind_package(eider REQUIRED COMPONENTS core)\n"
           "target_link_libraries(shop eider::core)\n";
    std::ofstream(root_ / "src/app.cc") << "  // `eider add` puts its lines above this one.\n";
  }

  [[nodiscard]] std::string project() const {
    return text_of("CMakeLists.txt") + text_of("src/app.cc");
  }
  /// Returns the exit code.
  [[nodiscard]] int add(std::vector<std::string_view> words) const {
    const std::string place = root_.string();
    words.insert(words.end(), {"--project", place});
    return add_command(words);
  }

 private:
  [[nodiscard]] std::string text_of(const char* name) const {
    std::ifstream file(root_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDirectory directory_;
  const fs::path root_ = directory_.path();
};

TEST_F(Adding, a_route_and_a_component_go_into_the_project) {
  EXPECT_EQ(add({"route", "GET", "/x/{id}/{klass}"}), kCommandDone);
  EXPECT_TRUE(project().contains(
      "app.get(\"/x/{id}/{klass}\", [](const std::string& id, const std::string& klass) { "
      "return id + klass; });"));
  EXPECT_EQ(add({"route", "GET", "/files/{path...}"}), kCommandDone);
  EXPECT_TRUE(project().contains(
      "app.get(\"/files/{path...}\", [](const std::string& path) { return path; });"));
  EXPECT_EQ(add({"component", "sqlite"}), kCommandDone);
  EXPECT_TRUE(project().contains("COMPONENTS core sqlite)"));
}

TEST_F(Adding, a_route_is_there_once) {
  EXPECT_EQ(add({"route", "GET", "/x/{id}"}), kCommandDone);
  EXPECT_EQ(add({"route", "POST", "/x/{id}"}), kCommandDone);
  EXPECT_EQ(add({"route", "GET", "/x/id"}), kCommandDone);
  const std::string before = project();
  EXPECT_EQ(add({"route", "get", "/x/{id}"}), kCommandFailed);
  EXPECT_EQ(add({"route", "GET", "/x/{name}"}), kCommandFailed);
  EXPECT_EQ(project(), before);
}

TEST_F(Adding, what_would_not_compile_or_start_is_refused_and_changes_nothing) {
  const std::string before = project();
  for (const std::string_view path :
       {"/x/{class}", "/x/{errno}", "/x/{a__b}", "/x/{x-y}", "/{x...}/y", "/{id}/b/{id}", "/a{b}c",
        "/a//b", "/a/../b", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}"}) {
    EXPECT_EQ(add({"route", "GET", path}), kCommandMisused) << path;
  }
  for (const std::string_view name : {"x(", "x)", "[", "Sqlite", "", "a b"}) {
    EXPECT_EQ(add({"component", name}), kCommandMisused) << name;
  }
  for (const std::string_view name : {"time", "math", "errno", "signal", "string", "limits"}) {
    EXPECT_EQ(add({"module", name}), kCommandMisused) << name;
    EXPECT_EQ(add({"page", name}), kCommandMisused) << name;
  }
  EXPECT_EQ(project(), before);
}

TEST_F(Adding, a_test_may_have_the_name_of_a_system_header) {
  EXPECT_EQ(add({"test", "time"}), kCommandDone);
}

}  // namespace
}  // namespace eider
