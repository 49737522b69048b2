#include "cli/views/template_texts.h"

#include <utility>

#include "eider/web/views/names.h"

namespace eider::views {

namespace {

class TextFinder {
 public:
  void nodes(const std::vector<Node>& nodes) {
    for (const Node& node : nodes) {
      if (node.value) {
        expression(*node.value);
      }
      bindings(node.binds);
      for (const Arm& arm : node.arms) {
        if (arm.condition) {
          expression(*arm.condition);
        }
        bindings(arm.binds);
        this->nodes(arm.nodes);
      }
    }
  }
  [[nodiscard]] std::vector<TemplateText> take() && { return std::move(found_); }

 private:
  void bindings(const std::vector<Binding>& binds) {
    for (const Binding& bind : binds) {
      if (bind.value) {
        expression(*bind.value);
      }
    }
  }

  void expression(const Expression& here) {
    for (const Expression& part : here.parts) {
      expression(part);
    }
    if (!is_translation(here)) {
      return;
    }
    const Expression call = translation_of(here);
    const bool is_plural = call.is_plural();
    const Expression& text = call.parts[is_plural ? 1 : 0];
    if (text.kind == Expression::Kind::text) {
      found_.push_back(
          {call.text, text.text, is_plural ? call.parts[2].text : std::string(), text.place});
    }
  }

  std::vector<TemplateText> found_;
};

}  // namespace

ViewResult<std::vector<TemplateText>> texts_of(const File& file) {
  try {
    TextFinder finder;
    finder.nodes(file.nodes);
    return std::move(finder).take();
  } catch (Refused& refused) {
    return fail(std::move(refused.error));
  }
}

}  // namespace eider::views
