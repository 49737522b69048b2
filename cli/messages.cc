#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/cpp_texts.h"
#include "cli/files.h"
#include "cli/project/words.h"
#include "eider/core/base/result.h"
#include "eider/web/languages/po.h"
#include "eider/web/views/names.h"
#include "eider/web/views/parser.h"

namespace eider {

namespace {

namespace fs = std::filesystem;
using detail::languages::Catalogue;

constexpr std::string_view kMessagesHelp = R"(eider messages [option …] [PATH …]

Collects the texts that a program translates: tr("…") and its like in C++ sources, and | tr in
templates. The output is a template for catalogs, which gettext's msginit and msgmerge read.

PATH               File or directory to read (default: the current directory)
--out FILE         Write to FILE (default: the standard output)
--check DIRECTORY  Report the texts that the catalogs in DIRECTORY lack, instead
--keyword NAME     Also collect the first argument of calls of NAME; may be repeated

  eider messages src pages --out languages/messages.pot
  eider messages --check languages

Exit codes: 0 success, 1 failure, 2 invalid usage, 3 texts are missing in a catalog
)";

struct MessagesWanted {
  std::string out;
  std::string check;
  std::vector<std::string> keywords;
  std::vector<std::string> paths;
};

Result<MessagesWanted, std::string> messages_wanted(std::span<const std::string_view> arguments) {
  CommandWords words(arguments);
  MessagesWanted wanted;
  wanted.out = words.value("--out", "FILE").value_or("-");
  wanted.check = words.value("--check", "DIRECTORY").value_or("");
  wanted.keywords = words.values("--keyword", "NAME");
  auto paths = words.rest("PATH …", arguments.size());
  if (!paths) {
    return fail(paths.error());
  }
  wanted.paths = std::move(*paths);
  if (wanted.paths.empty()) {
    wanted.paths.emplace_back(".");
  }
  return wanted;
}

/// Collects the quoted texts that are filtered with `tr` in a template, in order.
class TemplateTextFinder {
 public:
  void nodes(const std::vector<views::Node>& nodes) {
    for (const views::Node& node : nodes) {
      if (node.value) {
        expression(*node.value);
      }
      bindings(node.binds);
      for (const views::Arm& arm : node.arms) {
        if (arm.condition) {
          expression(*arm.condition);
        }
        bindings(arm.binds);
        this->nodes(arm.nodes);
      }
    }
  }
  [[nodiscard]] std::vector<SourceText> take() && { return std::move(found_); }

 private:
  void bindings(const std::vector<views::Binding>& binds) {
    for (const views::Binding& bind : binds) {
      if (bind.value) {
        expression(*bind.value);
      }
    }
  }

  void expression(const views::Expression& here) {
    for (const views::Expression& part : here.parts) {
      expression(part);
    }
    if (!is_translation(here)) {
      return;
    }
    const views::Expression call = translation_of(here);
    const bool is_plural = call.is_plural();
    const views::Expression& text = call.parts[is_plural ? 1 : 0];
    if (text.kind == views::Expression::Kind::text) {
      found_.push_back({call.text, text.text, is_plural ? call.parts[2].text : std::string(),
                        views::line_of(text.place)});
    }
  }

  std::vector<SourceText> found_;
};

/// errors  not a template, or a `tr` with invalid arguments
views::ViewResult<std::vector<SourceText>> texts_of_template(views::Source source) {
  auto file = views::parse_template(std::move(source));
  if (!file) {
    return fail(std::move(file.error()));
  }
  try {
    TemplateTextFinder finder;
    finder.nodes((*file)->nodes);
    return std::move(finder).take();
  } catch (views::Refused& refused) {
    return fail(std::move(refused.error));
  }
}

/// Messages without duplicates, by context and text, with their places.
struct Message {
  std::string many;
  std::vector<std::string> places;
};
using Messages = std::map<std::pair<std::string, std::string>, Message>;

class MessageFinder {
 public:
  explicit MessageFinder(std::span<const std::string> keywords) : keywords_(keywords) {}

  Result<void, std::string> read(const std::string& path) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      return read_file(path);
    }
    std::vector<std::string> names;
    for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end;
         at.increment(failed)) {
      const std::string name = at->path().filename().string();
      if (at->is_directory() && (name.starts_with('.') || name == "build")) {
        at.disable_recursion_pending();
      } else if (at->is_regular_file() && is_read(at->path())) {
        names.push_back(at->path().lexically_normal().string());
      }
    }
    if (failed) {
      return fail("cannot read " + path + ": " + failed.message());
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (auto read = read_file(name); !read) {
        return read;
      }
    }
    return {};
  }
  [[nodiscard]] const Messages& all() const noexcept { return all_; }

 private:
  static bool is_read(const fs::path& path) {
    constexpr std::array<std::string_view, 8> kSources = {".cc",  ".cpp", ".cxx", ".h",
                                                          ".hpp", ".hh",  ".ipp", ".html"};
    return std::ranges::find(kSources, path.extension().string()) != kSources.end();
  }

  Result<void, std::string> read_file(const std::string& name) {
    auto text = read_text_file(name);
    if (!text) {
      return fail(text.error());
    }
    auto texts = texts_in(name, std::move(*text));
    if (!texts) {
      return fail(views::to_text(texts.error()));
    }
    for (SourceText& found : *texts) {
      Message& message = all_[{std::move(found.context), std::move(found.text)}];
      message.places.push_back(fmt::format("{}:{}", name, found.line));
      message.many = message.many.empty() ? std::move(found.many) : std::move(message.many);
    }
    return {};
  }

  [[nodiscard]] views::ViewResult<std::vector<SourceText>> texts_in(const std::string& name,
                                                                    std::string text) const {
    return name.ends_with(".html") ? texts_of_template({name, std::move(text)})
                                   : texts_of_cpp(text, keywords_);
  }

  std::span<const std::string> keywords_;
  Messages all_;
};

std::string po_text(std::string_view text) {
  std::string made = "\"";
  for (const char byte : text) {
    made += byte == '\n'                  ? "\\n"
            : byte == '\t'                ? "\\t"
            : byte == '"' || byte == '\\' ? std::string{'\\', byte}
                                          : std::string(1, byte);
  }
  return made + "\"";
}

/// Returns a file without a date, so that it changes only if a text does.
std::string pot_of(const Messages& messages) {
  std::string pot =
      "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
      "\"Content-Transfer-Encoding: 8bit\\n\"\n";
  for (const auto& [key, message] : messages) {
    const auto& [context, text] = key;
    pot += "\n";
    for (const std::string& place : message.places) {
      pot += "#: " + place + "\n";
    }
    pot += context.empty() ? "" : "msgctxt " + po_text(context) + "\n";
    pot += "msgid " + po_text(text) + "\n";
    pot += message.many.empty()
               ? "msgstr \"\"\n"
               : "msgid_plural " + po_text(message.many) + "\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
  }
  return pot;
}

Result<std::map<std::string, Catalogue>, std::string> catalogues_in(const std::string& directory) {
  std::map<std::string, Catalogue> all;
  std::error_code failed;
  for (fs::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->path().extension() != ".po") {
      continue;
    }
    const std::string name = at->path().string();
    auto text = read_text_file(name);
    if (!text) {
      return fail(text.error());
    }
    auto catalogue = detail::languages::read_po(*text);
    if (!catalogue) {
      return fail(name + ":" + catalogue.error());
    }
    all.emplace(name, std::move(*catalogue));
  }
  if (failed) {
    return fail("cannot read " + directory + ": " + failed.message());
  }
  return all;
}

/// Returns whether the language has the text, or the language without its region: de.po for
/// de_AT.po.
bool has_text(const std::map<std::string, Catalogue>& all, std::string name,
              const std::pair<std::string, std::string>& key) {
  while (true) {
    const auto found = all.find(name);
    if (found != all.end() && found->second.find({key.first, key.second}) != nullptr) {
      return true;
    }
    const std::size_t file = name.rfind('/') + 1;
    const std::size_t region = name.find_last_of("-_");
    if (region == name.npos || region < file) {
      return false;
    }
    name = name.substr(0, region) + ".po";
  }
}

int report_missing(const std::map<std::string, Catalogue>& all, const Messages& messages) {
  std::size_t count = 0;
  for (const auto& [name, catalogue] : all) {
    for (const auto& [key, message] : messages) {
      if (!has_text(all, name, key)) {
        ++count;
        fmt::print("{}: no text for {}{} ({})\n", name, po_text(key.second),
                   key.first.empty() ? "" : " in the context " + po_text(key.first),
                   message.places.front());
      }
    }
  }
  return count == 0 ? kCommandDone : kCommandFound;
}

}  // namespace

int messages_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kMessagesHelp)) {
    return kCommandDone;
  }
  const auto wanted = messages_wanted(arguments);
  if (!wanted) {
    return command_misused("messages", wanted.error());
  }
  MessageFinder finder(wanted->keywords);
  for (const std::string& path : wanted->paths) {
    if (const auto read = finder.read(path); !read) {
      return command_fault("messages", read.error());
    }
  }
  if (!wanted->check.empty()) {
    const auto all = catalogues_in(wanted->check);
    return all ? report_missing(*all, finder.all()) : command_fault("messages", all.error());
  }
  const auto written = write_text_file(wanted->out, pot_of(finder.all()));
  return written ? kCommandDone : command_fault("messages", written.error());
}

}  // namespace eider
