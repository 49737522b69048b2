// For tests: a storage in a temporary directory, on a loop of its own.
// Layering: must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/temp_directory.h"
#include "eider/web/storage/storage.h"

namespace eider::testing {

class StorageTest : public ::testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    loop_.call([&] { task.start(); });
    return task.take();
  }
  /// The status of the Failure that the task throws; 0 if it throws none.
  template <class T>
  int status_of(Task<T> task) {
    try {
      (void)run(std::move(task));
      return 0;
    } catch (const Failure& failure) {
      detail_ = failure.error().detail();
      return failure.error().status();
    }
  }
  /// All of an object, or of a part of it; "absent" if it does not exist.
  std::string read(const std::string& key, ObjectRange range = {}) {
    auto opened = run(storage_.get(key, range));
    if (!opened) {
      return "absent";
    }
    std::string all;
    while (true) {
      const std::string piece = run(opened->next());
      if (piece.empty()) {
        EXPECT_EQ(all.size(), opened->bytes());
        return all;
      }
      all += piece;
    }
  }
  std::string keys(const std::string& prefix = {}, ListOptions options = {}) {
    std::string all;
    const ObjectPage page = run(storage_.list(prefix, std::move(options)));
    for (const StoredObject& object : page.objects) {
      all += object.key + " ";
    }
    return all + (page.next ? "next " + *page.next : "end");
  }
  std::vector<std::string> files(const std::string& directory) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path(directory))) {
      names.push_back(std::filesystem::relative(entry.path(), path(directory)));
    }
    std::ranges::sort(names);
    return names;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (temporary_.path() / "storage" / name).string();
  }

  TempDirectory temporary_;
  SimKernel kernel_;
  SimLoop loop_{kernel_};
  std::string detail_;
  Storage storage_{StorageOptions{.directory = temporary_.path() / "storage"}};
};

}  // namespace eider::testing
