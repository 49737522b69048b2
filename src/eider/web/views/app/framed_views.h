// The frame of pages: data that a layout shows on each page, such as the user and messages.
// Layering: must not know the data; a function of the application creates it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/web/views/app/views.h"

namespace eider {

/// A parameter of handlers: renders pages whose layout has a frame of type F. See add_frame.
///
///     app.get("/notes", [](State<Notes> notes, const FramedViews<Frame>& views) {
///       return views.page(NotesPage{notes->all()});
///     });
template <class F>
class FramedViews {
 public:
  static constexpr bool kIsInjectable = true;

  FramedViews(const Views& views, std::function<F()> make)
      : views_(&views), make_(std::make_shared<const std::function<F()>>(std::move(make))) {}

  /// Returns the page. The frame is created now, so messages (Flashes) are consumed by the page
  /// that shows them, and stay after a redirect.
  ///
  /// status  422 for a form with validation errors
  template <class P>
  [[nodiscard]] HtmlPage page(const P& shown, int status = 200) const {
    if constexpr (FramedView<P>) {
      expect_frame<P>();
      return HtmlPage(std::move(views_->page(shown, frame()).text()), status);
    } else {
      return HtmlPage(std::move(views_->page(shown).text()), status);
    }
  }
  /// Returns only `{% fragment rows %}` of that page.
  ///
  /// errors  throws a Failure if the page has no such fragment
  template <class P>
  [[nodiscard]] HtmlPage fragment(const P& shown, std::string_view name) const {
    if constexpr (FramedView<P>) {
      expect_frame<P>();
      return views_->fragment(shown, name, frame());
    } else {
      return views_->fragment(shown, name);
    }
  }
  /// Calls the application's function.
  [[nodiscard]] F frame() const { return (*make_)(); }

 private:
  template <class P>
  static consteval void expect_frame() {
    static_assert(
        std::is_same_v<typename View<P>::Frame, F>,
        "eider: the layout of this page needs a frame of a different type than FramedViews has");
  }

  const Views* views_;
  std::shared_ptr<const std::function<F()>> make_;
};

namespace detail::app {

/// References to the request stay references; other arguments are copied.
template <class A>
using FrameArgument = std::conditional_t<std::is_reference_v<A>, A, std::remove_cvref_t<A>>;

/// Creates a FramedViews; has the parameters of the application's function.
template <class G, class F>
struct FrameMaker {
  template <class... A>
  struct ResponseOf {
    G function;

    FramedViews<F> operator()(State<Views> views, A... arguments) const {
      return FramedViews<F>(*views, [function = function, kept = std::tuple<FrameArgument<A>...>(
                                                              std::forward<A>(arguments)...)] {
        return std::apply(function, kept);
      });
    }
  };
};

}  // namespace detail::app

/// Registers the function that creates the frame of pages, once for all handlers. A layout names
/// the frame's struct and uses its members:
///
///     {# frame shop::Frame #}
///     {% for message in frame.messages %}<p>{{ message.text }}</p>{% endfor %}
///
///     add_frame(app, [](const Translator& tr, std::optional<User> user, Flashes flashes) {
///       return Frame{tr, user, flashes.take()};
///     });
///
/// function  has the parameters of a guard (providers, states, headers, `const Request&`), which
///           are read before the handler runs; it runs when the page is rendered, and must not be a
///           coroutine
template <class G>
Routes& add_frame(Routes& app, G function) {
  using S = detail::app::Signature<G>;
  static_assert(!S::kIsTask,
                "eider: the function of add_frame must not be a coroutine: provide asynchronous "
                "values with app.provide(...), and add a parameter for them");
  using F = std::remove_cvref_t<typename S::Returned>;
  using Maker = typename S::template Of<detail::app::FrameMaker<G, F>::template ResponseOf>;
  return app.provide(Maker{std::move(function)});
}

}  // namespace eider
