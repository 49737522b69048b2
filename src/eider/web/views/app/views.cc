#include "eider/web/views/app/views.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/failure_note.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/this_machine.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/html.h"
#include "eider/core/base/program_files.h"
#include "eider/core/base/read_file.h"
#include "eider/core/base/sha256.h"
#include "eider/protocols/http/status.h"
#include "eider/web/languages/languages.h"
#include "eider/web/views/assemble.h"
#include "eider/web/views/check.h"
#include "eider/web/views/form_view.h"
#include "eider/web/views/page_nav.h"
#include "eider/web/views/walk.h"

namespace eider {

namespace {

constexpr std::string_view kReloadTopic = "_eider/reload";
constexpr Duration kLookEvery = std::chrono::milliseconds(100);
/// Each page contains the version that it was rendered from, so that no change is missed while it
/// loads.
constexpr std::string_view kReloadScript =
    R"js(const shown = document.currentScript.dataset.version;
new EventSource("/_eider/reload").onmessage = event => {
  if (shown !== event.data) location.reload();
};
)js";

std::string reload_tag(std::string_view version) {
  return "<script src=\"/_eider/reload.js\" data-version=\"" + std::string(version) +
         "\"></script>";
}

constexpr std::string_view kErrorStyle =
    ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;"
    "max-width:60rem;padding:2rem 1.25rem}pre{font:1rem/1.5 ui-monospace,monospace;white-space:"
    "pre-wrap;border:1px solid;border-radius:6px;padding:.75rem 1rem}";

Result<std::string, std::string> read_template(const std::string& directory,
                                               std::string_view name) {
  const std::string path = (std::filesystem::path(directory) / name).string();
  auto text = detail::base::read_file(path);
  return text ? Result<std::string, std::string>(*std::move(text)) : fail(path + " cannot be read");
}

/// Allows the inline style and the reload script of the page, instead of the policy of the
/// application.
const std::string& error_policy() {
  static const std::string kPolicy =
      "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
      "style-src 'sha256-" +
      to_base64(to_view(sha256(kErrorStyle))) +
      "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return kPolicy;
}

std::string error_page(std::string_view what, std::string_view version) {
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>";
  page += escape_html(what.substr(0, what.find(':'))) + "</title><style>" +
          std::string(kErrorStyle) + "</style></head><body><h1>A template has an error</h1><pre>" +
          escape_html(what) + "</pre>" + reload_tag(version) + "</body></html>\n";
  return page;
}

[[noreturn]] void throw_wrong(const views::ViewError& error) {
  throw WrongTemplate(Error::internal("A template has an error.").because(views::to_text(error)));
}

void put_reload(std::string& page, std::string_view version) {
  const std::size_t end = page.rfind("</body>");
  page.insert(end == page.npos ? page.size() : end, reload_tag(version));
}

/// Identifies this run of the program: browsers also reload after a new build.
std::uint64_t run_number() {
  static const auto kBegin = std::chrono::system_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(kBegin);
}

/// Returns a text that is different after any file in the directory was changed, added or removed,
/// and in another process.
std::string version_of(const std::string& directory) {
  std::error_code failed;
  std::uint64_t mixed = run_number();
  for (std::filesystem::recursive_directory_iterator at(directory, failed), end;
       !failed && at != end; at.increment(failed)) {
    std::error_code absent;
    const auto when = at->last_write_time(absent).time_since_epoch().count();
    const std::uint64_t name = std::hash<std::string>()(at->path().native());
    // A sum, because it does not depend on the order of the files.
    mixed += (name ^ static_cast<std::uint64_t>(when)) * 0x9E3779B97F4A7C15U;
  }
  return std::to_string(mixed);
}

/// The version at the start of a request, before any file was read, so that later changes are
/// noticed.
struct MadeOf {
  std::string version;
};

void show_wrong_template(const Request& request, Response& response) {
  const auto* const note = request.find<FailureNote>();
  const auto* const made_of = request.find<MadeOf>();
  if (note == nullptr || made_of == nullptr || response.status() != kInternalServerError) {
    return;
  }
  const auto& thrown = note->failure().thrown;
  const auto wrong = std::ranges::find(thrown, "eider::WrongTemplate", &Thrown::type);
  if (wrong != thrown.end()) {
    response.replace_header("Cache-Control", "no-store");
    response.replace_header("Content-Security-Policy", error_policy());
    response.set_body(error_page(wrong->text, made_of->version)).set_static_type(kTextHtml);
  }
}

ClientHook wrong_template_page(const std::string& directory) {
  return {[directory](const ProxyTrust& trust) {
    return Hook{.on_request =
                    [directory, &trust](Request& request, Response& /*response*/) {
                      if (is_of_this_machine(request, trust)) {
                        request.set(FailureNote());
                        request.set(MadeOf{version_of(directory)});
                      }
                      return true;
                    },
                .on_response = show_wrong_template,
                .name = "wrong_template_page"};
  }};
}

void serve_reload(App& app) {
  app.get("/_eider/reload.js", [] {
    Response response;
    response.set_static_type("text/javascript").set_static_body(kReloadScript);
    response.add_header("Cache-Control", "no-cache");
    return response;
  });
  app.get("/_eider/reload",
          [](EventStream events, State<Views> views, State<Topics> topics) -> Task<> {
            TopicSubscription news(*topics);
            news.listen(std::string(kReloadTopic));
            const std::string version = views->version();
            co_await events.send({.data = version});
            co_await events.subscribe(news);
          });
  const auto told = std::make_shared<std::string>();  // used by the first event loop only
  app.every("templates", kLookEvery, [told](State<Views> views, State<Topics> topics) {
    std::string version = views->version();
    if (version != *told) {
      topics->publish(kReloadTopic, version);
      *told = std::move(version);
    }
  });
}

}  // namespace

Views::Views(ViewsOptions options)
    : options_(std::make_unique<const ViewsOptions>(std::move(options))) {}
Views::Views(Views&&) noexcept = default;
Views& Views::operator=(Views&&) noexcept = default;
Views::~Views() = default;

bool Views::is_development() const noexcept {
  return options_->development;
}

std::string Views::version() const {
  return version_of(options_->directory);
}

HtmlPage Views::as_it_is_now(std::string_view name, std::string_view fragment, views::Ref shown,
                             views::Ref frame) const {
  const std::string now = version();  // before files are read, so that later changes are noticed
  const auto tree = views::assemble_page(
      name, [this](std::string_view file) { return read_template(options_->directory, file); });
  if (!tree) {
    throw_wrong(tree.error());
  }
  if (const auto wrong = views::check_types(*tree, *shown.type, options_->filters, frame.type)) {
    throw_wrong(*wrong);
  }
  const views::ShownPage page{shown, frame};
  const views::Node* const part =
      fragment.empty() ? nullptr : views::find_fragment(tree->nodes, fragment);
  if (!fragment.empty() && part == nullptr) {
    refuse_fragment(name, fragment);
  }
  std::string text;
  const auto failed = part == nullptr
                          ? views::walk(*tree, page, options_->filters, text)
                          : views::walk_fragment(*tree, *part, page, options_->filters, text);
  if (failed) {
    throw_wrong(*failed);
  }
  if (part == nullptr) {
    put_reload(text, now);
  }
  return HtmlPage(std::move(text));
}

void Views::refuse_fragment(std::string_view page, std::string_view name) {
  throw Failure(Error::internal(std::string(page) + " has no fragment named " + std::string(name)));
}

void add_views(App& app, ViewsOptions options) {
  views::add_form_filters(options.filters);
  views::add_page_filters(options.filters);
  options.directory = program_path(options.directory);
  options.filters.translate_by<Translator>();
  if (options.development) {
    app.allow_path(options.directory);
    app.use(wrong_template_page(options.directory));
    serve_reload(app);
  }
  app.state(Views(std::move(options)));
}

}  // namespace eider
