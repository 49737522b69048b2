// A temporary directory of files that a test serves, with old modification times.
// Layering: must not be linked into an application.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "eider/web/files/file_server.h"

namespace eider {

inline constexpr const char* kModified = "Sun, 06 Nov 1994 08:49:37 GMT";
inline constexpr std::time_t kModifiedSeconds = 784111777;

class ServedDirectory : public ::testing::Test {
 protected:
  using Headers = std::vector<TestHeader>;

  ServedDirectory() { std::filesystem::create_directory(base_ / "root"); }

  void write(const std::string& path, const std::string& text,
             std::time_t seconds = kModifiedSeconds) const {
    std::filesystem::create_directories((base_ / path).parent_path());
    std::ofstream(base_ / path) << text;
    date(path, seconds);
  }
  void date(const std::string& path, std::time_t seconds) const {
    const timespec times[] = {{seconds, 0}, {seconds, 999}};
    utimensat(AT_FDCWD, (base_ / path).c_str(), times, 0);
  }
  /// Serves root/ with these options.
  void serve(FilesOptions options, const std::string& prefix = "/") {
    serve_files(app_, prefix, (base_ / "root").string(), std::move(options));
  }
  [[nodiscard]] TestResponse get(const std::string& target, Headers headers = {}) const {
    TestClient client(app_);
    return client.send({.target = target, .headers = headers});
  }
  [[nodiscard]] TestResponse head(const std::string& target, Headers headers = {}) const {
    TestClient client(app_);
    return client.send({.method = Method::head, .target = target, .headers = headers});
  }

  const TempDirectory temporary_;
  const std::filesystem::path base_ = temporary_.path();
  App app_;
};

}  // namespace eider
