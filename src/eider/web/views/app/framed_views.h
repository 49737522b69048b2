// The frame of pages: what a layout shows around each of them, such as the user and messages.
// Must not know what is in it: the application's function makes it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/web/views/app/views.h"

namespace eider {

/// A parameter of handlers: shows pages whose layout has a frame of type F. See use_frame.
///
///     app.get("/notes", [](State<Notes> notes, const FramedViews<Frame>& views) {
///       return views.page(NotesPage{notes->all()});
///     });
template <class F>
class FramedViews {
 public:
  static constexpr bool kIsProvided = true;

  FramedViews(const Views& views, std::function<F()> make)
      : views_(&views), make_(std::make_shared<const std::function<F()>>(std::move(make))) {}

  /// Returns the page. The frame is made now, so messages (Flashes) are taken by the page that
  /// shows them, and a handler that redirects leaves them.
  ///
  /// status  422 for a form that is shown again with its errors
  template <class P>
  [[nodiscard]] Page page(const P& shown, int status = 200) const {
    if constexpr (FramedView<P>) {
      expect_frame<P>();
      return Page(std::move(views_->page(shown, frame()).text()), status);
    } else {
      return Page(std::move(views_->page(shown).text()), status);
    }
  }
  /// `{% fragment rows %}` of that page alone.
  ///
  /// errors  throws a Failure if the page has no such fragment
  template <class P>
  [[nodiscard]] Page fragment(const P& shown, std::string_view name) const {
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
    static_assert(std::is_same_v<typename View<P>::Frame, F>,
                  "eider: the layout of this page shows another frame than FramedViews has");
  }

  const Views* views_;
  std::shared_ptr<const std::function<F()>> make_;
};

namespace detail::app {

/// A reference to the request stays one; all else is kept as a value.
template <class A>
using FrameArgument = std::conditional_t<std::is_reference_v<A>, A, std::remove_cvref_t<A>>;

/// What makes a FramedViews: takes what the application's function takes.
template <class G, class F>
struct FrameMaker {
  template <class... A>
  struct With {
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

/// Registers what makes the frame of pages, once for all handlers. A layout names the frame's
/// struct and shows its members:
///
///     {# frame shop::Frame #}
///     {% for message in frame.messages %}<p>{{ message.text }}</p>{% endfor %}
///
///     use_frame(app, [](const Translator& tr, std::optional<User> user, Flashes flashes) {
///       return Frame{tr, user, flashes.take()};
///     });
///
/// function  takes what a guard takes (providers, states, headers, `const Request&`), which is
/// there
///           before the handler runs; it runs when the page is made, and does not wait
template <class G>
Routes& use_frame(Routes& app, G function) {
  using S = detail::app::Signature<G>;
  static_assert(!S::kIsTask,
                "eider: the function of use_frame does not wait: let app.provide(...) make what "
                "takes time, and take that as a parameter");
  using F = std::remove_cvref_t<typename S::Returned>;
  using Maker = typename S::template Of<detail::app::FrameMaker<G, F>::template With>;
  return app.provide(Maker{std::move(function)});
}

}  // namespace eider
