// Template pages as results of handlers: compiled, or read from the current files during
// development.
// Layering: must not read template files in production.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/web/views/filter_set.h"
#include "eider/web/views/rendering.h"

namespace eider {

/// A page that is rendered, as text/html.
class HtmlPage {
 public:
  explicit HtmlPage(std::string text, int status = 200) : text_(std::move(text)), status_(status) {}
  [[nodiscard]] std::string& text() noexcept { return text_; }
  [[nodiscard]] int status() const noexcept { return status_; }

 private:
  std::string text_;
  int status_;
};

/// Thrown during development for a template with an error: its lines are logged, and shown to
/// clients on this machine.
struct WrongTemplate : Failure {
  using Failure::Failure;
};

template <>
struct Render<HtmlPage> {
  static constexpr bool kIsBuffered = true;
  static void into(Response& response, HtmlPage page) {
    if (page.status() != 200) {
      response.set_status(page.status());
    }
    response.set_static_type(kTextHtml).set_body(std::move(page.text()));
  }
  static void describe(Operation& operation) { detail::app::describe_text(operation, kTextHtml); }
};

/// directory    of the template sources that eider_views was called with: "pages"
/// development  reads templates from there at each request, and reloads the browser when one is
///              saved; set it with a custom option, as for development_page: never in production
/// filters      custom filters, for development: generated code calls them directly
struct ViewsOptions {
  std::string directory = {};
  bool development = false;
  views::FilterSet filters = {};
};

/// Shows structs by their templates. A state of the app: see add_views.
class Views {
 public:
  explicit Views(ViewsOptions options = {});
  Views(Views&&) noexcept;
  Views& operator=(Views&&) noexcept;
  ~Views();

  /// Returns the page of a P; include its header ("notes/note.html.h") in the calling file.
  ///
  /// errors  throws exceptions of filters; during development also a WrongTemplate
  template <Viewed P>
  [[nodiscard]] HtmlPage page(const P& shown) const {
    if (is_development()) {
      return as_it_is_now(View<P>::kName, {}, views::ref(shown));
    }
    std::string text;
    View<P>::write(text, shown);
    return HtmlPage(std::move(text));
  }

  /// Returns the page of a P within a layout with a frame. Handlers use FramedViews instead
  /// (views/app/framed_views.h).
  template <FramedView P>
  [[nodiscard]] HtmlPage page(const P& shown, const typename View<P>::Frame& frame) const {
    if (is_development()) {
      return as_it_is_now(View<P>::kName, {}, views::ref(shown), views::ref(frame));
    }
    std::string text;
    View<P>::write(text, shown, frame);
    return HtmlPage(std::move(text));
  }
  template <FramedView P>
  [[nodiscard]] HtmlPage page(const P& /*shown*/) const {
    static_assert(sizeof(P) == 0,
                  "eider: the layout of this page needs a frame: use the parameter `const "
                  "FramedViews<Frame>& views` instead of `State<Views> views`, or pass the frame: "
                  "page(shown, frame)");
    return HtmlPage({});
  }

  /// Returns only `{% fragment rows %}` of that page: for htmx and Turbo, which insert it into an
  /// existing page.
  ///
  /// errors  throws a Failure if the page has no such fragment
  template <Viewed P>
  [[nodiscard]] HtmlPage fragment(const P& shown, std::string_view name) const {
    if (is_development()) {
      return as_it_is_now(View<P>::kName, name, views::ref(shown));
    }
    std::string text;
    if (!View<P>::write_fragment(text, name, shown)) {
      refuse_fragment(View<P>::kName, name);
    }
    return HtmlPage(std::move(text));
  }

  template <FramedView P>
  [[nodiscard]] HtmlPage fragment(const P& shown, std::string_view name,
                                  const typename View<P>::Frame& frame) const {
    if (is_development()) {
      return as_it_is_now(View<P>::kName, name, views::ref(shown), views::ref(frame));
    }
    std::string text;
    if (!View<P>::write_fragment(text, name, shown, frame)) {
      refuse_fragment(View<P>::kName, name);
    }
    return HtmlPage(std::move(text));
  }

  [[nodiscard]] bool is_development() const noexcept;
  /// Returns a text that is different after any file in the directory was changed, added or
  /// removed, and in another process.
  [[nodiscard]] std::string version() const;

 private:
  [[nodiscard]] HtmlPage as_it_is_now(std::string_view name, std::string_view fragment,
                                      views::Ref shown,
                                      views::Ref frame = {nullptr, nullptr}) const;
  [[noreturn]] static void refuse_fragment(std::string_view page, std::string_view name);

  std::unique_ptr<const ViewsOptions> options_;
};

/// Provides State<Views> to handlers. During development, it also serves /_eider/reload and the
/// script that reloads pages when a template is saved; the script is inserted into each page. If a
/// template has an error, the 500 shows the error to clients on this machine (as development_page
/// does).
///
///     add_views(app, {.directory = "pages", .development = own.development});
///     app.get("/notes/{id}", [](std::int64_t id, State<Views> views) {
///       return views->page(NotePage{…});
///     });
void add_views(App& app, ViewsOptions options = {});

}  // namespace eider
