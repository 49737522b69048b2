// expect: the layout of this page needs a frame
#include <eider/views.h>

struct Frame {
  std::string user;
};
struct NotePage {
  std::string title;
};
/// The output of `eider views` for a template whose layout names a frame.
template <>
struct eider::View<NotePage> {
  using Frame = ::Frame;
  static constexpr std::string_view kName = "note.html";
  static void write(std::string& out, const NotePage& page, const Frame& frame);
};
void routes(eider::App& app) {
#ifdef FIXED
  app.get("/", [](const eider::FramedViews<Frame>& views) {
    return views.page(NotePage{"Milk"});
  });
#else
  app.get("/", [](eider::State<eider::Views> views) { return views->page(NotePage{"Milk"}); });
#endif
}
