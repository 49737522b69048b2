// The layout of the application around pages that the library serves, such as API keys.
// Layering: must not know these pages, or templates.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/respond.h"

namespace eider {

/// The content of a page that the library serves.
///
/// html      HTML for the body, without the title: `Markup(content.html)` in a template
/// language  of the texts: for `lang`
struct PageContent {
  std::string title;
  std::string html;
  std::string language = "en";
};

namespace detail::middleware {

/// Renders a page of the library in the layout, for one request.
class LaidOut {
 public:
  static constexpr bool kIsInjectable = true;

  explicit LaidOut(std::function<Response(const PageContent&)> make) : make_(std::move(make)) {}

  [[nodiscard]] Response operator()(const PageContent& content) const { return make_(content); }

 private:
  std::function<Response(const PageContent&)> make_;
};

/// A provider with the parameters of the application's function, except the content.
template <class F>
struct LayoutMaker {
  template <class... A>
  struct ResponseOf;
  template <class Content, class... A>
  struct ResponseOf<Content, A...> {
    static_assert(std::is_same_v<std::remove_cvref_t<Content>, PageContent>,
                  "eider: the first parameter of a layout is `const PageContent&`");
    /// References to the request stay references; other arguments are copied.
    template <class P>
    using Kept = std::conditional_t<std::is_reference_v<P>, P, std::remove_cvref_t<P>>;

    F function;

    LaidOut operator()(A... arguments) const {
      return LaidOut([function = function, kept = std::tuple<Kept<A>...>(std::forward<A>(
                                               arguments)...)](const PageContent& content) {
        auto page =
            std::apply([&](const auto&... each) { return function(content, each...); }, kept);
        Response response;
        Render<decltype(page)>::into(response, std::move(page));
        return response;
      });
    }
  };
};

}  // namespace detail::middleware

/// Puts pages that the library serves into the layout of the application. Default: a plain page
/// that follows the light or dark mode of the browser.
///
///     serve_api_keys(app, "/api-keys",
///                    {.layout = [](const PageContent& content, const FramedViews<Frame>& views) {
///                      return views.page(PlainPage{content.title, Markup(content.html)});
///                    }});
///
/// The function has a `const PageContent&`, and then the parameters of a guard (providers, states,
/// headers, `const Request&`). It returns a page, such as an HtmlPage, and must not be a
/// coroutine.
class PageLayout {
 public:
  PageLayout() = default;
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, PageLayout>)
  // NOLINTNEXTLINE(google-explicit-constructor): a function is to convert by itself
  PageLayout(F function)
      : add_([function = std::move(function)](Routes& at) {
          using S = detail::app::Signature<F>;
          static_assert(!S::kIsTask,
                        "eider: a layout must not be a coroutine: provide asynchronous "
                        "values with app.provide(...), and add a parameter for them");
          using Maker =
              typename S::template Of<detail::middleware::LayoutMaker<F>::template ResponseOf>;
          at.provide(Maker{function});
        }) {}

  /// For pages of the library: provides the function to the routes of the group.
  void add_to(Routes& at) const;

 private:
  std::function<void(Routes&)> add_;
};

}  // namespace eider
