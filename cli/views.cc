#include "cli/commands.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/files.h"
#include "cli/project/words.h"
#include "cli/views/generate.h"
#include "eider/core/base/result.h"
#include "eider/web/views/assemble.h"
#include "eider/web/views/parser.h"

namespace eider {

namespace {

constexpr std::string_view kViewsHelp = R"(eider views --out DIRECTORY [--root DIRECTORY] TEMPLATE …

Compiles HTML templates to C++: a header and a source for each, DIRECTORY/NAME.h and
DIRECTORY/NAME.cc, with a function for each page. CMake calls it: eider_views(target DIRECTORY
pages).

TEMPLATE          Name of a template, relative to the root
--out DIRECTORY   Output directory; unchanged files are not written again
--root DIRECTORY  Root directory of the templates (default: the current directory)

  eider views --out build/pages about.html
  eider views --out build/pages --root pages notes/list.html layout.html

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

struct ViewsWanted {
  std::string out;
  std::string root = ".";
  std::vector<std::string> names;
};

Result<ViewsWanted, std::string> views_wanted(std::span<const std::string_view> arguments) {
  CommandWords words(arguments);
  ViewsWanted wanted;
  wanted.out = words.value("--out", "DIRECTORY").value_or("");
  wanted.root = words.value("--root", "DIRECTORY").value_or(wanted.root);
  auto names = words.rest("TEMPLATE …", arguments.size());
  if (!names) {
    return fail(names.error());
  }
  for (const std::string& name : *names) {
    if (!views::is_template_name(name)) {
      return fail(fmt::format("{} must be relative to the root, such as notes/list.html", name));
    }
  }
  wanted.names = std::move(*names);
  if (wanted.out.empty() || wanted.names.empty()) {
    return fail(std::string(wanted.out.empty() ? "no output directory given: use --out DIRECTORY"
                                               : "no templates given; see eider views --help"));
  }
  return wanted;
}

/// Prefixes an error that is not at a place in a template.
std::string named(const std::string& fault) {
  return "eider views: " + fault;
}

class ViewsMaker {
 public:
  explicit ViewsMaker(const ViewsWanted& wanted) : wanted_(wanted) {}

  Result<void, std::string> make(const std::string& name) {
    const std::string target = wanted_.out + "/" + name;
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(target).parent_path(), failed);
    const auto made = generated(name);
    if (!made) {
      return fail(made.error());
    }
    auto written = write_if_new(target + ".h", made->header);
    if (written) {
      written = write_if_new(target + ".cc", made->source);
    }
    return written ? written : fail(named(written.error()));
  }

 private:
  Result<views::Generated, std::string> generated(const std::string& name) {
    const auto read = [this](std::string_view file) {
      return read_text_file(wanted_.root + "/" + std::string(file));
    };
    auto text = read(name);
    if (!text) {
      return fail(named(text.error() + "; template names are relative to --root"));
    }
    const auto file = views::parse_template({name, std::move(*text)});
    if (!file) {
      return fail(told(file.error()));
    }
    if ((*file)->page.empty()) {
      const std::string note = "// " + name + " is a part of other templates.\n";
      return views::Generated{note + "#pragma once\n", note};
    }
    const auto tree = views::assemble_page(name, read);
    if (!tree) {
      return fail(told(tree.error()));
    }
    const auto [known, is_new] = pages_.emplace(tree->page, name);
    if (!is_new) {
      return fail(
          told(views::error_at(tree->page_place, tree->page + " is shown by " + known->second +
                                                     " already: a struct has one template")));
    }
    return views::generate(*tree, wanted_.root, name + ".h");
  }

  /// Formats the error with a path that an editor finds.
  [[nodiscard]] std::string told(views::ViewError error) const {
    if (wanted_.root != ".") {
      error.file = wanted_.root + "/" + error.file;
    }
    return views::to_text(error);
  }

  const ViewsWanted& wanted_;
  std::map<std::string, std::string> pages_;
};

}  // namespace

int views_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kViewsHelp)) {
    return kCommandDone;
  }
  const auto wanted = views_wanted(arguments);
  if (!wanted) {
    return command_fault("views", wanted.error(), kCommandMisused);
  }
  ViewsMaker maker(*wanted);
  int status = kCommandDone;
  for (const std::string& name : wanted->names) {
    if (const auto made = maker.make(name); !made) {
      print_error("{}\n", made.error());
      status = kCommandFailed;
    }
  }
  return status;
}

}  // namespace eider
