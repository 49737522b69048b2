#include "cli/project/in_project.h"

#include <utility>

namespace eider {

Result<InProject, int> in_project(std::string_view command, CommandWords& words,
                                  std::string_view takes, std::size_t count_max) {
  const auto folder = words.value("--project", "DIR");
  auto rest = words.rest(takes, count_max);
  if (!rest) {
    return fail(command_misused(command, rest.error()));
  }
  auto project = find_project(folder.value_or("."));
  if (!project) {
    return fail(command_fault(command, project.error()));
  }
  return InProject{std::move(*project), std::move(*rest)};
}

int told_end(std::string_view command, const StepEnd& step) {
  return step.why.empty() ? step.status : command_fault(command, step.why, step.status);
}

}  // namespace eider
