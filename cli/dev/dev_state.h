// State shared by the front and the supervisor: whether the program can be reached, and its errors.
// Layering: must not act by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cli/dev/diagnostics.h"

namespace eider::dev {

/// Why there is no program to be asked.
struct Fault {
  /// "The build has failed".
  std::string title;
  std::vector<Diagnostic> diagnostics = {};
  /// All that was said; of a program its last lines.
  std::string output = {};
};

enum class Phase : std::uint8_t {
  /// A build, or a start, is under way: requests wait.
  busy,
  serving,
  broken,
};

/// From any thread.
class DevState {
 public:
  /// Told to the browsers' scripts: "page 17" or "style 17". Pre: nobody else uses this yet
  void tell_by(std::function<void(const std::string& news)> tell) { tell_ = std::move(tell); }

  void set_busy();
  /// As it was, with nothing new to see.
  void set_serving();
  /// The pages that are open are not what the program shows now.
  void set_changed();
  /// Style sheets alone have changed.
  void set_restyled();
  void set_broken(Fault fault);

  [[nodiscard]] Phase phase() const;
  /// Null unless broken.
  [[nodiscard]] std::shared_ptr<const Fault> fault() const;
  /// Grows whenever open pages have to be loaded again, also from one run to the next.
  [[nodiscard]] std::uint64_t version() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  Phase phase_ = Phase::busy;
  std::shared_ptr<const Fault> fault_;
  std::uint64_t version_ = static_cast<std::uint64_t>(
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1));
  std::function<void(const std::string& news)> tell_;
};

}  // namespace eider::dev
