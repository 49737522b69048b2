#include <gtest/gtest.h>

#include "eider/core/base/failure.h"
#include "eider/core/base/split_mix.h"
#include "eider/web/views/form_view.h"
#include "eider/web/views/parser.h"
#include "eider/web/views/test_views.h"

namespace eider::views {
namespace {

using shop::Shop;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Returns the error of a page with that content, which starts in line 2.
std::string said_of(std::string_view content) {
  return first_line(render_shop(content, Shop()));
}

TEST(TemplateFiles, MayBeginWithAByteOrderMark) {
  const auto file = parse_template({"a.html", "\xEF\xBB\xBF<!doctype html>"});
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ((*file)->source.text, "<!doctype html>");
  EXPECT_EQ((*parse_template({"a.html", "\xEF\xBB\xBF"}))->source.text, "");
  const auto wide = parse_template({"a.html", std::string("\xFF\xFE<\0", 4)});
  ASSERT_FALSE(wide.has_value());
  EXPECT_EQ(wide.error().detail, "the file is UTF-16 text: save it as UTF-8");
  const auto latin1 = parse_template({"a.html", "<p>\n\nCaf\xE9</p>"});
  ASSERT_FALSE(latin1.has_value());
  EXPECT_EQ(first_line(to_text(latin1.error())),
            "a.html:3:1: the file is not valid UTF-8: save it as UTF-8");
}

TEST(TemplateErrors, NameFileLineColumnAndShowTheLine) {
  EXPECT_EQ(render_shop("<h1>\n\t<b>{{ titel }}</b>", Shop()),
            "page.html:3:8: unknown member titel in Shop; did you mean title?\n  \t<b>{{ titel "
            "}}</b>\n  \t      ^");
}

TEST(TemplateErrors, TellOfMembersThatAreNotThere) {
  EXPECT_EQ(said_of("{{ featured.maker.nam }}"),
            "page.html:2:4: unknown member nam in Maker; did you mean name?");
  EXPECT_EQ(said_of("{{ featured.maker.phone }}"),
            "page.html:2:4: unknown member phone in Maker; expected one of name, url");
  EXPECT_EQ(said_of("{{ title.size }}"), "page.html:2:4: unknown member size of a text");
  EXPECT_EQ(said_of("{% for i in items %}{{ i.nam }}{% endfor %}"),
            "page.html:2:24: unknown member nam in Item; did you mean name?");
}

TEST(TemplateErrors, TellOfTagsThatAreNeverClosed) {
  EXPECT_EQ(said_of("<p>\n{% if is_open %}x"), "page.html:3:4: if is not closed: add {% endif %}");
  EXPECT_EQ(said_of("{% if is_open %}{% for i in items %}{% endif %}"),
            "page.html:2:40: unexpected closing tag: the innermost open tag is \"for i in items\" "
            "in line 2, which is closed by {% endfor %}");
  EXPECT_EQ(said_of("{% endif %}"), "page.html:2:4: unexpected endif: no tag is open");
  EXPECT_EQ(said_of("{{ title"), "page.html:2:1: missing closing }}");
  EXPECT_EQ(said_of("{% raw %}{{"), "page.html:2:1: raw is not closed: add {% endraw %}");
  EXPECT_EQ(said_of("{# x"), "page.html:2:1: missing closing #}");
}

TEST(TemplateErrors, TellOfWordsThatAreNone) {
  EXPECT_EQ(said_of("{% fro i in items %}"), "page.html:2:4: unknown tag fro; did you mean for?");
  EXPECT_EQ(said_of("{{ title | uper }}"),
            "page.html:2:12: unknown filter uper; did you mean upper? (register custom filters "
            "with the Views, too)");
  EXPECT_EQ(said_of("{{ title | truncate }}"),
            "page.html:2:12: wrong arguments; usage: {{ text | truncate(80) }}");
  EXPECT_EQ(said_of("{{ title + 1 }}"), "page.html:2:10: unexpected text after the value");
  EXPECT_EQ(said_of("{{ }}"), "page.html:2:4: expected a value");
  EXPECT_EQ(said_of("{{ (title }}"), "page.html:2:10: expected \")\": the closing parenthesis");
  EXPECT_EQ(said_of("{{ 'a }}"), "page.html:2:1: missing closing }}");
  EXPECT_EQ(said_of("{{ loop.index }}"), "page.html:2:4: loop is only available inside a for loop");
  EXPECT_EQ(said_of("{% for i in items %}{{ loop.indx }}{% endfor %}"),
            "page.html:2:24: unknown member of loop: use loop.index, loop.index0, loop.first, "
            "loop.last or loop.length");
}

/// Returns the error of a page that extends middle.html, which extends layout.html.
std::string said_of_blocks(std::string_view page, std::string_view middle = "") {
  return first_line(render_test(
      {{"page.html", "{# page shop::Shop #}\n{% extends \"middle.html\" %}\n" + std::string(page)},
       {"middle.html", "{% extends \"layout.html\" %}\n" + std::string(middle)},
       {"layout.html",
        "<title>{% block title %}{% endblock %}</title>{% block content %}{% endblock %}"}},
      Shop()));
}

TEST(TemplateErrors, name_a_block_that_no_layout_has) {
  EXPECT_EQ(said_of_blocks("{% block contnet %}x{% endblock %}"),
            "page.html:3:4: middle.html has no block contnet; did you mean content?");
  EXPECT_EQ(said_of_blocks("{% block navigation %}x{% endblock %}"),
            "page.html:3:4: middle.html has no block navigation; expected one of content, title");
  EXPECT_EQ(said_of_blocks("", "{% block titel %}x{% endblock %}"),
            "middle.html:2:4: layout.html has no block titel; did you mean title?");
  const std::string_view nested = "{% block content %}{% block side %}{% endblock %}{% endblock %}";
  EXPECT_EQ(said_of_blocks(nested), "<title></title>") << "a block within another is a new one";
  EXPECT_EQ(said_of_blocks("{% block side %}x{% endblock %}", nested), "<title></title>x");
}

TEST(TemplateErrors, name_the_line_of_a_filter_that_fails) {
  const auto tree =
      assemble_test({{"page.html", "{# page shop::Shop #}\n\n<p>{{ title | checked }}</p>"}});
  FilterSet filters;
  filters.add(
      "checked", +[](std::string_view text) -> std::string {
        if (text == "refused") {
          throw Failure(Error::forbidden("No."));
        }
        throw Failure(Error::internal("the form has no field nam"));
      });
  std::string out;
  Shop page;
  const auto failed = walk(*tree, {ref(page)}, filters, out);
  ASSERT_TRUE(failed);
  EXPECT_EQ(first_line(to_text(*failed)), "page.html:3:15: the form has no field nam");
  page.title = "refused";
  EXPECT_THROW((void)walk(*tree, {ref(page)}, filters, out), Failure);
}

TEST(TemplateErrors, name_the_field_that_a_form_has_instead) {
  FormView form;
  form.fields.resize(2);
  form.fields[0].name = "name";
  form.fields[1].name = "email";
  for (const auto& show : {+[](const FormView& of) { (void)field(of, "nam"); },
                           +[](const FormView& of) { (void)control(of, "nam"); }}) {
    try {
      show(form);
      FAIL() << "there is no such field";
    } catch (const Failure& failure) {
      const std::string said = failure.what();
      EXPECT_TRUE(said.ends_with(": the form has no field nam; did you mean name?")) << said;
      EXPECT_TRUE(said.contains("errors_test.cc:"))
          << said << ": generated code has the template's";
    }
  }
}

TEST(TemplateErrors, TellOfTypesThatDoNotFit) {
  EXPECT_EQ(said_of("{{ items }}"),
            "page.html:2:4: this is a list, which cannot be written as text: name a member, "
            "iterate with for, or use | json");
  EXPECT_EQ(said_of("{% for i in title %}{% endfor %}"),
            "page.html:2:13: this is a text, which cannot be iterated");
  EXPECT_EQ(said_of("{% for i in counts %}{% endfor %}"),
            "page.html:2:8: a map needs two names: for name, value in …");
  EXPECT_EQ(said_of("{% for a, b in items %}{% endfor %}"),
            "page.html:2:8: only a map has two names: for each in …");
  EXPECT_EQ(said_of("{% if state %}{% endif %}"),
            "page.html:2:7: this is a State, which cannot be used as a condition: compare the "
            "value, or name a member");
  EXPECT_EQ(said_of("{% if title == 1 %}{% endif %}"),
            "page.html:2:13: a text and an integer cannot be compared");
  EXPECT_EQ(said_of("{{ visits | raw }}"),
            "page.html:2:4: raw needs a text, but this is an integer");
  EXPECT_EQ(said_of("{{ title | label }}"),
            "page.html:2:4: the filter label needs a Item, but this is a text");
  EXPECT_EQ(said_of("{{ items | join(\",\") }}"),
            "page.html:2:12: join needs a list of texts, but this is a list");
}

TEST(TemplateErrors, TellOfCasesThatAreMissing) {
  EXPECT_EQ(said_of("{% match shape %}{% case Circle %}{% endmatch %}"),
            "page.html:2:4: missing case: Square. Add this case, or an else.");
  EXPECT_EQ(said_of("{% match shape %}{% case Cirle %}{% endmatch %}"),
            "page.html:2:26: unknown alternative Cirle; did you mean Circle?");
  EXPECT_EQ(said_of("{% match notice %}{% case some x %}{% endmatch %}"),
            "page.html:2:4: missing case: none. Add this case, or an else.");
  EXPECT_EQ(said_of("{% match title %}{% else %}{% endmatch %}"),
            "page.html:2:10: match needs a variant or an optional, but this is a text");
}

TEST(TemplateErrors, TellOfFilesThatAreNotThereAndOfCircles) {
  const std::string page = "{# page shop::Shop #}\n";
  EXPECT_EQ(said_of("{% include \"x.html\" %}"), "page.html:2:12: x.html: is not there");
  EXPECT_EQ(
      said_of("{% include \"../x.html\" %}"),
      "page.html:2:12: ../x.html: template paths start at the root directory: notes/list.html");
  EXPECT_EQ(first_line(render_test({{"page.html", page + "{% include \"a.html\" %}"},
                                    {"a.html", "{% include \"b.html\" %}"},
                                    {"b.html", "\n {% include \"a.html\" %}"}},
                                   Shop())),
            "b.html:2:13: a.html includes itself in a cycle");
  EXPECT_EQ(first_line(render_test({{"page.html", page + "{% extends \"a.html\" %}"},
                                    {"a.html", "{% extends \"page.html\" %}"}},
                                   Shop())),
            "a.html:1:12: page.html extends itself in a cycle");
  EXPECT_EQ(said_of("{% component a %}{% call a %}{% endcall %}{% endcomponent %}{% call a %}{% "
                    "endcall %}"),
            "page.html:2:21: the component a calls itself in a cycle");
}

TEST(TemplateErrors, TellOfComponentsThatAreCalledWrongly) {
  const std::string card =
      "{% component card(title: text, item: shop::Item) %}{{ title }}{% endcomponent %}";
  EXPECT_EQ(said_of(card + "\n{% call crd %}{% endcall %}"),
            "page.html:3:4: unknown component crd; did you mean card?");
  EXPECT_EQ(said_of(card + "\n{% call card(title: title) %}{% endcall %}"),
            "page.html:3:4: card requires the parameter item: shop::Item");
  EXPECT_EQ(said_of(card + "\n{% call card(title: visits, item: featured) %}{% endcall %}"),
            "page.html:3:14: title must be text, but this is an integer");
  EXPECT_EQ(said_of(card + "\n{% call card(titel: title, item: featured) %}{% endcall %}"),
            "page.html:3:4: card requires the parameter title: text");
  EXPECT_EQ(said_of("{% component a %}{{ title }}{% endcomponent %}{% call a %}{% endcall %}"),
            "page.html:2:21: unknown name title: a component sees only its parameters");
  EXPECT_EQ(said_of("{% component a %}{% endcomponent %}{% call a %}x{% endcall %}"),
            "page.html:2:39: a has no slot for the content of this call");
}

TEST(TemplateErrors, TellOfBlocksOutOfPlace) {
  EXPECT_EQ(
      first_line(render_test(
          {{"page.html", "{# page shop::Shop #}\n{% extends \"a.html\" %}\nx"}, {"a.html", ""}},
          Shop())),
      "page.html:3:1: a template that extends another one may contain only blocks: move this into "
      "a block");
  EXPECT_EQ(
      said_of("{% block a %}{% super %}{% endblock %}"),
      "page.html:2:17: this block does not override anything: no extended file has a block a");
  EXPECT_EQ(said_of("{% block a %}{% endblock %}\n{% block a %}{% endblock %}"),
            "page.html:3:4: duplicate block a: first defined in line 2");
  EXPECT_EQ(
      said_of("{% for i in items %}{% fragment a %}{{ i.name }}{% endfragment %}{% endfor %}"),
      "page.html:2:40: i is defined outside the fragment; fragments are rendered separately");
}

TEST(TemplateErrors, APageNamesItsStruct) {
  EXPECT_EQ(
      first_line(render_test({{"page.html", "x"}}, Shop())),
      "page.html:1:1: this file does not name its struct: start with {# page notes::NotePage #}");
  EXPECT_EQ(first_line(render_test({{"page.html", "{# page shop::Item #}"}}, Shop())),
            "page.html:1:9: this page needs a shop::Item, but the handler passes a Shop");
}

TEST(TemplateErrors, WhatGrowsWithoutBoundsIsRefused) {
  std::string deep;
  for (int i = 0; i < 60; ++i) {
    deep += "{% if is_open %}";
  }
  EXPECT_NE(said_of(deep).find("tags are nested too deeply here"), std::string::npos);
  EXPECT_NE(said_of("{{ " + std::string(2000, '(') + " }}").find("nested too deeply"),
            std::string::npos);
  std::string not_not = "{% if ";
  for (int i = 0; i < 2000; ++i) {
    not_not += "not ";
  }
  EXPECT_NE(said_of(not_not + "title %}{% endif %}").find("nested too deeply"), std::string::npos);
  std::string doubling = "{% component c0 %}x{{ 1 }}{% endcomponent %}";
  for (int i = 1; i < 30; ++i) {
    const std::string call = "{% call c" + std::to_string(i - 1) + " %}{% endcall %}";
    doubling += "{% component c" + std::to_string(i) + " %}" + call + call + "{% endcomponent %}";
  }
  EXPECT_NE(said_of(doubling + "{% call c29 %}{% endcall %}").find("is too large"),
            std::string::npos);
}

/// A template with the complete grammar.
constexpr std::string_view kWhole =
    "{# page shop::Shop #}\n{% component c(t: text) %}<b>{{ t | upper }}</b>{% slot x %}{% "
    "endcomponent %}<a href=\"/x/{{ title }}?{{ stars }}\" {% if is_open and not (stars > 1) "
    "%}hidden{% elif title == 'a' %}{% else %}x{% endif %}>{% for i, n in counts %}{{ loop.first "
    "}}{% else %}-{% endfor %}{% match shape %}{% case Circle c %}{{ c.radius }}{% else %}{% "
    "endmatch %}{% call c(t: title) %}{% fill x %}y{% endfill %}{% endcall %}<script>f({{ items | "
    "json }});</script>{% fragment f %}{% raw %}{{{% endraw %}{% endfragment %}{# c #}";

TEST(TemplateErrors, ATemplateCutAnywhereIsMadeOrRefusedAndNeverMore) {
  EXPECT_EQ(render_test({{"page.html", std::string(kWhole)}}, Shop()).find("page.html:"),
            std::string::npos);
  for (std::size_t size = 0; size < kWhole.size(); ++size) {
    const std::string cut(kWhole.substr(0, size));
    EXPECT_NO_THROW((void)render_test({{"page.html", cut}}, Shop())) << cut;
    const std::string rest(kWhole.substr(size));
    EXPECT_NO_THROW((void)render_test({{"page.html", rest}}, Shop())) << rest;
  }
}

TEST(TemplateErrors, ATemplateWithPartsThatMovedIsMadeOrRefusedAndNeverMore) {
  SplitMix64 random(17);
  const auto below = [&random](std::size_t end) { return random.next() % end; };
  for (int turn = 0; turn < 3000; ++turn) {
    std::string text(kWhole);
    for (std::size_t change = 0; change <= below(3); ++change) {
      const std::string part(kWhole.substr(below(kWhole.size()), below(24)));
      text.replace(below(text.size()), below(12), part);
    }
    EXPECT_NO_THROW((void)render_test({{"page.html", text}}, Shop())) << text;
  }
}

}  // namespace
}  // namespace eider::views
