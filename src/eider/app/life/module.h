// A part of an application as one class: settings, startup, shutdown and background work.
// Layering: must not run modules; see lifetime.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/life/lifecycle.h"
#include "eider/app/settings/option_set.h"

namespace eider::detail::app {

template <class M>
[[nodiscard]] constexpr Duration stop_within_of() noexcept {
  if constexpr (requires { M::kStopWithin; }) {
    return M::kStopWithin;
  } else {
    return kStopWithin;
  }
}

/// Returns the part with those of `start`, `stop`, `run`, `check`, `reload` and `settings` that the
/// module has.
template <class M>
[[nodiscard]] Part part_of(const std::shared_ptr<M>& its) {
  static_assert(
      requires { std::string_view(M::kName); },
      "a module needs a name: static constexpr std::string_view kName = \"search\";");
  Part part{.name = std::string(M::kName), .stop_within = stop_within_of<M>()};
  if constexpr (requires { its->start(); }) {
    part.start = make_life_call([its] { return its->start(); });
  }
  if constexpr (requires { its->stop(); }) {
    part.stop = make_life_call([its] { return its->stop(); });
  }
  if constexpr (requires { its->run(); }) {
    part.background = make_life_call([its] { return its->run(); });
  }
  if constexpr (requires { its->check(); }) {
    part.check = make_life_call([its] { return its->check(); });
  }
  if constexpr (requires { its->reload(); }) {
    part.reload = make_life_call([its] { return its->reload(); });
  }
  if constexpr (requires { its->settings; }) {
    part.add_settings = [its](OptionSet& options) { options.add(its->settings, M::kName); };
  }
  return part;
}

/// Returns the part that runs `run_on_loop` on each event loop, if the module has it.
template <class M>
[[nodiscard]] Part part_on_loops_of(const std::shared_ptr<M>& its) {
  Part part{.name = std::string(M::kName)};
  if constexpr (requires { its->run_on_loop(); }) {
    part.background = make_life_call([its] { return its->run_on_loop(); });
    part.background_options.runs_on = RunsOn::each_loop;
  }
  return part;
}

}  // namespace eider::detail::app
