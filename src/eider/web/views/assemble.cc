#include "eider/web/views/assemble.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "eider/web/views/html_context.h"
#include "eider/web/views/names.h"
#include "eider/web/views/parser.h"

namespace eider::views {
namespace {

void find_slots(const std::vector<Node>& nodes, std::vector<std::string>& names) {
  for (const Node& node : nodes) {
    if (node.kind == Node::Kind::slot) {
      names.push_back(node.text);
    }
    for (const Arm& arm : node.arms) {
      find_slots(arm.nodes, names);
    }
  }
}

/// Content for a slot that the component does not have is an error, because it would be lost.
void expect_slots(const Node& call, const Node& component) {
  std::vector<std::string> slots;
  find_slots(component.arms[0].nodes, slots);
  for (const Arm& arm : call.arms) {
    const bool is_blank = std::ranges::all_of(arm.nodes, [](const Node& node) {
      return node.kind == Node::Kind::text &&
             node.text.find_first_not_of(" \t\r\n") == node.text.npos;
    });
    if (std::ranges::find(slots, arm.name) == slots.end() && (!arm.name.empty() || !is_blank)) {
      refuse(arm.place, component.text + " has no slot" +
                            (arm.name.empty() ? std::string(" for the content of this call")
                                              : " " + arm.name + suggestion(arm.name, slots)));
    }
  }
}

/// errors  throws Refused for an argument without a parameter, a duplicate argument, and content
///         without a slot
void expect_call(const Node& call, const Node& component) {
  std::vector<std::string> names;
  for (const Binding& parameter : component.binds) {
    names.push_back(parameter.name);
  }
  for (std::size_t i = 0; i < call.binds.size(); ++i) {
    const Binding& argument = call.binds[i];
    if (std::ranges::find(names, argument.name) == names.end()) {
      refuse(argument.place, component.text + " has no parameter " + argument.name +
                                 suggestion(argument.name, names));
    }
    if (std::ranges::find(call.binds, argument.name, &Binding::name) - call.binds.begin() !=
        static_cast<std::ptrdiff_t>(i)) {
      refuse(argument.place, argument.name + " is given more than once");
    }
  }
  expect_slots(call, component);
}

using NodeKind = Node::Kind;
using Nodes = std::vector<Node>;

constexpr std::size_t kTextBytesMax = 16UL * 1024 * 1024;

/// The content that a call passes to the slots of a component, and the place where it was written.
///
/// components_open  components around the call: the content may call this component again
struct Content {
  const Node* call;
  const Scope* scope;
  const File* file;
  const Content* around;
  std::vector<const Node*> components_open;
};

/// The origin of nodes that are inserted, and the names that they see.
struct Where {
  const File* file;
  Seen names = {};
  const Content* content = nullptr;
};

/// A definition of a block; it hides further ones.
struct BlockAt {
  const Node* node;
  const File* file;
};

class Assembler {
 public:
  Assembler(std::string_view name, const ReadSource& read) : name_(name), read_(read) {}

  Tree run() {
    const File& page = load(name_, nullptr);
    if (page.page.empty()) {
      refuse({&page.source, 0},
             "this file does not name its struct: start with {# page notes::NotePage #}");
    }
    tree_.name = page.source.name;
    tree_.page = page.page;
    tree_.page_place = page.page_place;
    const File& base = gather(page);
    under_way_ = {&base};
    tree_.nodes = put(base.nodes, {&base, {nullptr, kPage + 1, has_frame()}});
    if (!html_.is_in_text()) {
      refuse(end_of(base), "the page must end between tags, but ends " + html_.where());
    }
    tree_.variables = variables_;
    return std::move(tree_);
  }

 private:
  [[nodiscard]] static Place end_of(const File& file) {
    return {&file.source, file.source.text.empty() ? 0 : file.source.text.size() - 1};
  }

  const File& load(const std::string& name, const Place* asked_at) {
    if (const auto found = files_.find(name); found != files_.end()) {
      return *found->second;
    }
    const auto told = [&](const std::string& why) -> ViewError {
      return asked_at == nullptr ? ViewError{name, 1, 1, why}
                                 : error_at(*asked_at, name + ": " + why);
    };
    if (!is_template_name(name)) {
      throw Refused{told("template paths start at the root directory: notes/list.html")};
    }
    auto text = read_(name);
    if (!text) {
      throw Refused{told(text.error())};
    }
    auto parsed = parse_template({name, std::move(*text)});
    if (!parsed) {
      throw Refused{std::move(parsed.error())};
    }
    tree_.files.push_back(*parsed);
    for (const std::string& header : (*parsed)->includes) {
      if (std::ranges::find(tree_.includes, header) == tree_.includes.end()) {
        tree_.includes.push_back(header);
      }
    }
    return *files_.emplace(name, std::move(*parsed)).first->second;
  }

  /// Loads all files that the page extends, with their blocks, and returns the last one.
  const File& gather(const File& page) {
    std::vector<const File*> chain;
    const File* file = &page;
    while (true) {
      chain.push_back(file);
      gather_blocks(file->nodes, *file);
      gather_frame(*file);
      if (!file->extends) {
        break;
      }
      expect_blocks_alone(*file);
      const Binding& wanted = *file->extends;
      file = &load(wanted.name, &wanted.place);
      if (std::ranges::find(chain, file) != chain.end()) {
        refuse(wanted.place, wanted.name + " extends itself in a cycle");
      }
    }
    for (const File* each : chain) {
      expect_known_blocks(*each);
    }
    return *file;
  }

  void gather_frame(const File& file) {
    if (file.frame.empty()) {
      return;
    }
    if (has_frame() && file.frame != tree_.frame) {
      refuse(file.frame_place, "the page already has another frame: " + tree_.frame);
    }
    tree_.frame = file.frame;
    tree_.frame_place = file.frame_place;
  }
  [[nodiscard]] bool has_frame() const noexcept { return !tree_.frame.empty(); }

  /// A block outside of other blocks fills one of an extended file. If there is no such block, its
  /// content would be on no page, so it is an error.
  void expect_known_blocks(const File& file) const {
    if (!file.extends) {
      return;
    }
    for (const Node& node : file.nodes) {
      if (node.kind == NodeKind::block && !is_in_layout(blocks_.at(node.text), file)) {
        refuse(node.place, file.extends->name + " has no block " + node.text +
                               suggestion(node.text, layout_blocks(file)));
      }
    }
  }

  /// Returns whether a file that `file` extends has the block: definitions are in the order of the
  /// files.
  [[nodiscard]] static bool is_in_layout(const std::vector<BlockAt>& known, const File& file) {
    return known.back().file != &file;
  }

  [[nodiscard]] std::vector<std::string> layout_blocks(const File& file) const {
    std::vector<std::string> names;
    for (const auto& [name, known] : blocks_) {
      if (is_in_layout(known, file)) {
        names.push_back(name);
      }
    }
    return names;
  }

  void gather_blocks(const Nodes& nodes, const File& file) {
    for (const Node& node : nodes) {
      if (node.kind == NodeKind::block) {
        auto& known = blocks_[node.text];
        if (!known.empty() && known.back().file == &file) {
          refuse(node.place, "duplicate block " + node.text + ": first defined in line " +
                                 std::to_string(line_of(known.back().node->place)));
        }
        known.push_back({&node, &file});
      }
      for (const Arm& arm : node.arms) {
        gather_blocks(arm.nodes, file);
      }
    }
  }

  static void expect_blocks_alone(const File& file) {
    for (const Node& node : file.nodes) {
      const bool is_blank =
          node.kind == NodeKind::text && node.text.find_first_not_of(" \t\r\n") == node.text.npos;
      if (!is_blank && node.kind != NodeKind::block && node.kind != NodeKind::component) {
        refuse(
            node.place,
            "a template that extends another one may contain only blocks: move this into a block");
      }
    }
  }

  [[nodiscard]] Nodes put(const Nodes& nodes, const Where& where) {
    Nodes made;
    if (++depth_ > kTagsDeepMax) {
      refuse(nodes.empty() ? end_of(*where.file) : nodes.front().place,
             "tags, files and components are nested too deeply here");
    }
    for (const Node& node : nodes) {
      put_node(node, where, made);
      if (!html_.fault().empty()) {
        refuse(node.place, html_.fault());
      }
    }
    --depth_;
    return made;
  }

  void put_node(const Node& node, const Where& where, Nodes& made) {
    if (++nodes_ > kNodesMax) {
      refuse(node.place, "the page is too large: check whether its components call each other");
    }
    switch (node.kind) {
      case NodeKind::text:
        return put_text(node, made);
      case NodeKind::output:
        return put_output(node, where, made);
      case NodeKind::choice:
        return put_choice(node, where, made);
      case NodeKind::loop:
        return put_loop(node, where, made);
      case NodeKind::match:
        return put_match(node, where, made);
      case NodeKind::call:
        return put_call(node, where, made);
      case NodeKind::fragment:
        return put_fragment(node, where, made);
      case NodeKind::block:
        return put_block(node, where, made);
      case NodeKind::super:
        return put_super(node, where, made);
      case NodeKind::include:
        return put_include(node, where, made);
      case NodeKind::component:
        return;
      case NodeKind::slot:
        return put_slot(node, where, made);
    }
  }

  static void append(Nodes&& from, Nodes& to) {
    for (Node& node : from) {
      if (node.kind == NodeKind::text && !to.empty() && to.back().kind == NodeKind::text) {
        to.back().text += node.text;
      } else {
        to.push_back(std::move(node));
      }
    }
  }

  void put_text(const Node& node, Nodes& made) {
    text_bytes_ += node.text.size();
    if (text_bytes_ > kTextBytesMax) {
      refuse(node.place, "the static text of the page is larger than 16 MiB");
    }
    html_.feed(node.text);
    Nodes one;
    one.push_back({NodeKind::text, node.place, node.text});
    append(std::move(one), made);
  }

  void put_output(const Node& node, const Where& where, Nodes& made) {
    Node output{NodeKind::output, node.place};
    Expression value = *node.value;
    const bool is_filter = value.kind == Expression::Kind::filter;
    const bool is_raw = is_filter && value.text == "raw";
    const bool is_trusted = is_filter && value.text == "trusted";
    const auto context = is_raw       ? html_.of_raw_value()
                         : is_trusted ? html_.of_trusted_value()
                                      : html_.of_value();
    if (!context) {
      refuse(node.place, context.error());
    }
    output.context = *context;
    if (is_raw || is_trusted) {
      value = std::move(Expression(value).parts.front());
    } else if (takes_json(output.context) && value.kind == Expression::Kind::filter &&
               value.text == "json") {
      value = std::move(Expression(value).parts.front());  // scripts get JSON anyway
    }
    output.value = resolve(std::move(value), where.names);
    html_.put_value(*context);
    made.push_back(std::move(output));
  }

  void expect_join(HtmlContext& one, const HtmlContext& other, const Place& place,
                   std::string_view what) {
    const std::string other_end = other.where();
    if (const std::string end = one.where(); !one.join(other)) {
      refuse(place, std::string(what) + ": one branch ends " + end + ", another one " + other_end);
    }
  }

  void put_choice(const Node& node, const Where& where, Nodes& made) {
    Node choice{NodeKind::choice, node.place};
    const HtmlContext before = html_;
    std::optional<HtmlContext> after;
    for (const Arm& arm : node.arms) {
      Arm put_arm{arm.place, arm.name};
      if (arm.condition) {
        put_arm.condition = resolve(*arm.condition, where.names);
      }
      html_ = before;
      put_arm.nodes = put(arm.nodes, where);
      join_end(after, node.place);
      choice.arms.push_back(std::move(put_arm));
    }
    if (node.arms.back().condition) {
      html_ = before;
      join_end(after, node.place);
    }
    html_ = *after;
    made.push_back(std::move(choice));
  }

  void join_end(std::optional<HtmlContext>& after, const Place& place) {
    if (!after) {
      after = html_;
    } else {
      expect_join(*after, html_, place, "the branches of this tag end in different HTML contexts");
    }
  }

  [[nodiscard]] std::size_t new_variable() { return variables_++; }

  void put_loop(const Node& node, const Where& where, Nodes& made) {
    Node loop{NodeKind::loop, node.place};
    loop.value = resolve(*node.value, where.names);
    loop.variable = new_variable();
    HtmlContext before = html_;
    const std::size_t first_variable = variables_;
    loop.arms.push_back(put_body(node.arms.front(), where, loop.variable));
    if (!(html_ == before)) {
      // Each further iteration starts where the previous one has ended.
      expect_join(before, html_, node.place,
                  "the loop body must end in the HTML context in which it starts");
      const HtmlContext joined = before;
      html_ = joined;
      variables_ = first_variable;
      loop.arms.front() = put_body(node.arms.front(), where, loop.variable);
      expect_join(before, html_, node.place,
                  "the loop body must end in the HTML context in which it starts");
      if (!(before == joined)) {
        refuse(node.place, "the loop body must end in the HTML context in which it starts");
      }
    }
    if (node.arms.size() > 1) {
      const HtmlContext after_body = html_;
      html_ = before;
      loop.arms.push_back({node.arms[1].place, "else", put(node.arms[1].nodes, where)});
      expect_join(html_, after_body, node.place,
                  "the loop body and its else branch end in different HTML contexts");
    } else {
      html_ = before;
    }
    made.push_back(std::move(loop));
  }

  [[nodiscard]] Arm put_body(const Arm& body, Where where, std::size_t loop) {
    Arm made{body.place, body.name};
    const Scope about{where.names.scope, "loop", loop, true};
    std::array<Scope, 2> scopes;
    const Scope* scope = &about;
    for (std::size_t i = 0; i < body.binds.size(); ++i) {
      made.binds.push_back(body.binds[i]);
      made.binds.back().variable = new_variable();
      scopes[i] = {scope, body.binds[i].name, made.binds.back().variable};
      scope = &scopes[i];
    }
    where.names.scope = scope;
    made.nodes = put(body.nodes, where);
    return made;
  }

  void put_match(const Node& node, const Where& where, Nodes& made) {
    Node match{NodeKind::match, node.place};
    match.value = resolve(*node.value, where.names);
    match.variable = new_variable();
    const HtmlContext before = html_;
    std::optional<HtmlContext> after;
    for (const Arm& arm : node.arms) {
      html_ = before;
      match.arms.push_back(put_case(arm, where));
      join_end(after, node.place);
    }
    html_ = *after;
    made.push_back(std::move(match));
  }

  [[nodiscard]] Arm put_case(const Arm& arm, Where where) {
    Arm made{arm.place, arm.name, {}, arm.binds};
    Scope scope{where.names.scope};
    if (!made.binds.empty()) {
      made.binds.front().variable = new_variable();
      scope.name = made.binds.front().name;
      scope.variable = made.binds.front().variable;
      where.names.scope = &scope;
    }
    made.nodes = put(arm.nodes, where);
    return made;
  }

  void put_fragment(const Node& node, const Where& where, Nodes& made) {
    if (!html_.is_in_text()) {
      refuse(node.place, "a fragment must start between tags, but starts " + html_.where());
    }
    if (!fragments_.insert(node.text).second) {
      refuse(node.place, "duplicate fragment " + node.text);
    }
    Where within = where;
    within.names.variable_min = variables_;
    Node fragment{NodeKind::fragment, node.place, node.text};
    fragment.arms.push_back({node.place, node.text, put(node.arms[0].nodes, within)});
    if (!html_.is_in_text()) {
      refuse(node.place, "a fragment must end between tags, but ends " + html_.where());
    }
    made.push_back(std::move(fragment));
  }

  void put_block(const Node& node, const Where& where, Nodes& made) {
    const auto& known = blocks_[node.text];
    // Blocks in included files and components are not blocks of the page.
    const bool is_of_page =
        std::ranges::any_of(known, [&node](const BlockAt& block) { return block.node == &node; });
    if (is_of_page) {
      put_definition(known, 0, where, made);
    } else {
      append(put(node.arms[0].nodes, where), made);
    }
  }

  void put_definition(const std::vector<BlockAt>& known, std::size_t index, Where where,
                      Nodes& made) {
    const BlockAt& block = known[index];
    if (std::ranges::find(blocks_open_, block.node) != blocks_open_.end()) {
      refuse(block.node->place, "the block " + block.node->text + " contains itself");
    }
    blocks_open_.push_back(block.node);
    where.file = block.file;
    append(put(block.node->arms[0].nodes, where), made);
    blocks_open_.pop_back();
  }

  void put_super(const Node& node, const Where& where, Nodes& made) {
    if (blocks_open_.empty()) {
      refuse(node.place, "super is only allowed inside a block");
    }
    const auto& known = blocks_[blocks_open_.back()->text];
    const auto here = std::ranges::find(known, blocks_open_.back(), &BlockAt::node);
    const auto index = static_cast<std::size_t>(here - known.begin());
    if (index + 1 >= known.size()) {
      refuse(node.place, "this block does not override anything: no extended file has a block " +
                             blocks_open_.back()->text);
    }
    put_definition(known, index + 1, where, made);
  }

  void put_include(const Node& node, Where where, Nodes& made) {
    const File& file = load(node.text, &node.place);
    if (std::ranges::find(under_way_, &file) != under_way_.end()) {
      refuse(node.place, node.text + " includes itself in a cycle");
    }
    if (file.extends) {
      refuse(node.place, node.text + " extends another file and cannot be included");
    }
    under_way_.push_back(&file);
    where.file = &file;
    append(put(file.nodes, where), made);
    under_way_.pop_back();
  }

  struct Component {
    const Node* node;
    const File* file;
  };

  void find_components(const File& file, std::map<std::string, Component>& found) {
    for (const Node& node : file.nodes) {
      if (node.kind == NodeKind::component &&
          !found.emplace(node.text, Component{&node, &file}).second) {
        refuse(node.place, "duplicate component " + node.text);
      }
    }
  }

  const std::map<std::string, Component>& components_of(const File& file) {
    const auto [known, is_new] = components_.try_emplace(&file);
    if (is_new) {
      find_components(file, known->second);
      for (const Binding& import : file.imports) {
        find_components(load(import.name, &import.place), known->second);
      }
    }
    return known->second;
  }

  [[nodiscard]] Component component_of(const Node& call, const File& file) {
    const std::map<std::string, Component>& known = components_of(file);
    if (const auto found = known.find(call.text); found != known.end()) {
      return found->second;
    }
    std::vector<std::string> names;
    for (const auto& [name, component] : known) {
      names.push_back(name);
    }
    refuse(call.place, "unknown component " + call.text +
                           (names.empty() ? "; {% import \"…\" %} imports the components of a file"
                                          : suggestion(call.text, names)));
  }

  void put_call(const Node& call, const Where& where, Nodes& made) {
    const Component component = component_of(call, *where.file);
    if (std::ranges::find(components_open_, component.node) != components_open_.end()) {
      refuse(call.place, "the component " + call.text + " calls itself in a cycle");
    }
    Node placed{NodeKind::call, call.place, call.text};
    std::vector<Scope> scopes(component.node->binds.size() + 1);
    scopes[0] = {nullptr, "", 0, false, true};
    for (std::size_t i = 0; i < component.node->binds.size(); ++i) {
      placed.binds.push_back(argument_for(component.node->binds[i], call, where));
      scopes[i + 1] = {&scopes[i], placed.binds.back().name, placed.binds.back().variable};
    }
    expect_call(call, *component.node);
    const Content content{&call, where.names.scope, where.file, where.content, components_open_};
    components_open_.push_back(component.node);
    const Where within{
        component.file, {&scopes.back(), where.names.variable_min, has_frame()}, &content};
    placed.arms.push_back({call.place, call.text, put(component.node->arms[0].nodes, within)});
    components_open_.pop_back();
    made.push_back(std::move(placed));
  }

  [[nodiscard]] Binding argument_for(const Binding& parameter, const Node& call,
                                     const Where& where) {
    const auto given = std::ranges::find(call.binds, parameter.name, &Binding::name);
    if (given == call.binds.end()) {
      refuse(call.place,
             call.text + " requires the parameter " + parameter.name + ": " + parameter.type);
    }
    Binding made = *given;
    made.type = parameter.type;
    made.value = resolve(*given->value, where.names);
    made.variable = new_variable();
    return made;
  }

  void put_slot(const Node& slot, const Where& where, Nodes& made) {
    if (where.content == nullptr) {
      refuse(slot.place, "a slot is only allowed inside a component");
    }
    const Content& content = *where.content;
    const auto within = std::exchange(components_open_, content.components_open);
    for (const Arm& arm : content.call->arms) {
      if (arm.name == slot.text) {
        const Where outside{
            content.file, {content.scope, where.names.variable_min, has_frame()}, content.around};
        append(put(arm.nodes, outside), made);
      }
    }
    components_open_ = within;
  }

  std::string name_;
  const ReadSource& read_;
  Tree tree_;
  HtmlContext html_;
  std::map<std::string, std::shared_ptr<const File>> files_;
  std::map<std::string, std::vector<BlockAt>> blocks_;
  std::vector<const Node*> blocks_open_;
  std::vector<const File*> under_way_;
  std::vector<const Node*> components_open_;
  std::map<const File*, std::map<std::string, Component>> components_;
  std::set<std::string> fragments_;
  std::size_t variables_ = kFrame + 1;
  std::size_t nodes_ = 0;
  std::size_t text_bytes_ = 0;
  int depth_ = 0;
};

}  // namespace

bool is_template_name(std::string_view name) noexcept {
  if (name.empty() || name.front() == '/' || name.find('\0') != name.npos ||
      name.find('\\') != name.npos) {
    return false;
  }
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    if (slash == name.npos) {
      return true;
    }
    name.remove_prefix(slash + 1);
  }
}

ViewResult<Tree> assemble_page(std::string_view name, const ReadSource& read) {
  try {
    return Assembler(name, read).run();
  } catch (Refused& refused) {
    return fail(std::move(refused.error));
  }
}

}  // namespace eider::views
