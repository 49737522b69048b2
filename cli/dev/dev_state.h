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

/// The reason why no program can respond.
struct Fault {
  /// "The build has failed".
  std::string title;
  std::vector<Diagnostic> diagnostics = {};
  /// The whole output of the build, or the last lines of the program.
  std::string output = {};
};

enum class Phase : std::uint8_t {
  /// A build or a start is running: requests wait.
  busy,
  serving,
  broken,
};

/// Thread-safe.
class DevState {
 public:
  /// Sets the function that notifies the browsers' scripts: "page 17" or "style 17". Pre: no other
  /// thread uses this object yet.
  void tell_by(std::function<void(const std::string& news)> tell) { tell_ = std::move(tell); }

  void set_busy();
  /// The program serves without visible changes.
  void set_serving();
  /// The program serves, and open pages are outdated.
  void set_changed();
  /// Only style sheets have changed.
  void set_restyled();
  void set_broken(Fault fault);

  [[nodiscard]] Phase phase() const;
  /// Null unless broken.
  [[nodiscard]] std::shared_ptr<const Fault> fault() const;
  /// Returns a number that increases whenever open pages must be reloaded, also from one run to the
  /// next.
  [[nodiscard]] std::uint64_t version() const;

 private:
  mutable std::mutex mutex_;  // guards the following members
  Phase phase_ = Phase::busy;
  std::shared_ptr<const Fault> fault_;
  std::uint64_t version_ = static_cast<std::uint64_t>(
      std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1));
  std::function<void(const std::string& news)> tell_;
};

}  // namespace eider::dev
