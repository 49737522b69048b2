// What commands within a project begin with: its folder found, the words read, the end told.
// Must not know any of these commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/project/project.h"
#include "cli/project/words.h"
#include "eider/core/base/result.h"

namespace eider {

struct InProject {
  Project project{};
  /// The words that are left.
  std::vector<std::string> rest{};
};

/// The project of --project DIR, or of the current folder. Options of the command are asked for
/// before.
///
/// takes    what the words that are left are: "TARGET"
/// errors   the exit code; why is told
[[nodiscard]] Result<InProject, int> in_project(std::string_view command, CommandWords& words,
                                                std::string_view takes, std::size_t count_max);

/// Tells why where that is not shown yet; the exit code.
int told_end(std::string_view command, const StepEnd& step);

}  // namespace eider
