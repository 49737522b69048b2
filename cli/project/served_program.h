// Runs a program that serves on a given socket while a load is measured.
// Layering: must not know the load.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/process/child_process.h"
#include "cli/project/project.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider {

/// words        the program and its options
/// directory    where it runs
/// environment  beside ours, and beside what tells it where to listen
struct ServedCall {
  std::vector<std::string> words;
  std::string directory;
  std::vector<std::pair<std::string, std::string>> environment{};
};

/// What it says is read all the time, so that it never waits for somebody to read, and told where
/// it fails.
class ServedProgram {
 public:
  /// Waits until it says that it is ready (sd_notify). It listens on 127.0.0.1 alone, at a port
  /// that is free.
  ///
  /// errors   it cannot be started, ends, or is not ready in time: with the last it has said
  [[nodiscard]] StepEnd start(ServedCall call);
  /// Lets it end by SIGTERM, in time, and with 0.
  [[nodiscard]] StepEnd stop();
  ServedProgram() = default;
  ServedProgram(const ServedProgram&) = delete;
  ServedProgram& operator=(const ServedProgram&) = delete;
  /// What still runs is killed.
  ~ServedProgram() = default;

  /// "http://127.0.0.1:40001/"
  [[nodiscard]] const std::string& url() const noexcept { return url_; }
  /// Of the processor, used by it so far. Pre: it runs
  [[nodiscard]] std::chrono::nanoseconds processor_time() const noexcept;

 private:
  StepEnd wait_until_ready(const Descriptor& notices);
  StepEnd ended(const Ending& how, std::string_view when);
  void read_all(const std::stop_token& stop);
  [[nodiscard]] std::string last_said();

  std::string name_;
  std::string url_;
  ChildProcess child_;
  std::string said_;     // the reader's, until that has ended
  std::jthread reader_;  // ends ahead of what it reads
};

}  // namespace eider
