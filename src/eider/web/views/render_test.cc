#include <gtest/gtest.h>

#include "eider/web/views/test_views.h"

namespace eider::views {
namespace {

using shop::Shop;

Shop full_shop() {
  Shop page;
  page.title = "Tea & <Co>";
  page.motto = "slow";
  page.visits = 18446744073709551615U;
  page.balance = -5;
  page.rating = 4.5F;
  page.items = {{"Oolong", 3, 2, shop::State::open, shop::Maker{"Li", "https://li.example"}, {"a"}},
                {"Puer", 12.25, 0, shop::State::sold_out, {}, {}}};
  page.counts = {{"a", 1}, {"b", 2}};
  page.words = {"x", "y"};
  page.stars = 3;
  page.slogan = "drink";
  return page;
}

TEST(RenderedPages, ShowValuesOfEveryKind) {
  EXPECT_EQ(
      render_shop("{{ title }}|{{ motto }}|{{ note }}|{{ is_open }}|{{ visits }}|{{ balance "
                  "}}|{{rating}}|{{ state }}|{{ notice }}|{{ stars }}|{{ slogan }}|{{ day }}",
                  full_shop()),
      "Tea &amp; &lt;Co&gt;|slow||false|18446744073709551615|-5|4.5|open||3|drink|2026-11-03");
}

TEST(RenderedPages, GoThroughLists) {
  EXPECT_EQ(render_shop("{% for item in items %}{{ loop.index }}/{{ loop.length }}{% if loop.first "
                        "%}F{% endif %}{% if loop.last %}L{% endif %} {{ item.name }} {{ "
                        "item.price }};{% else %}none{% endfor %}",
                        full_shop()),
            "1/2F Oolong 3;2/2L Puer 12.25;");
  EXPECT_EQ(render_shop("{% for item in items %}x{% else %}none{% endfor %}", Shop()), "none");
  EXPECT_EQ(render_shop("{% for item in hidden %}x{% else %}none{% endfor %}", full_shop()),
            "none");
  EXPECT_EQ(render_shop("{% for name, n in counts %}{{ name }}={{ n }},{% endfor %}", full_shop()),
            "a=1,b=2,");
  EXPECT_EQ(
      render_shop("{% for w in words %}{{ w }}{% endfor %}{% for n in pair %}{{ n }}{% endfor "
                  "%}",
                  full_shop()),
      "xy12");
}

TEST(RenderedPages, InnerLoopsHaveTheirOwnTurns) {
  EXPECT_EQ(
      render_shop("{% for i in items %}{% for t in i.tags %}{{ loop.index0 }}{{ t }}{% endfor "
                  "%}{{ loop.index }}{% endfor %}",
                  full_shop()),
      "0a12");
}

TEST(RenderedPages, DecideByConditions) {
  const auto says = [](std::string_view condition) {
    return render_shop("{% if " + std::string(condition) + " %}yes{% else %}no{% endif %}",
                       full_shop());
  };
  EXPECT_EQ(says("items"), "yes");
  EXPECT_EQ(says("hidden"), "no");
  EXPECT_EQ(says("not hidden and title"), "yes");
  EXPECT_EQ(says("note or is_open"), "no");
  EXPECT_EQ(says("balance < 0 and visits > 0"), "yes");
  EXPECT_EQ(says("balance < visits"), "yes");
  EXPECT_EQ(says("visits == 18446744073709551615 or rating >= 4.5"), "yes");
  EXPECT_EQ(says("state == \"open\""), "yes");
  EXPECT_EQ(says("state != 'open'"), "no");
  EXPECT_EQ(says("notice == \"x\""), "no");
  EXPECT_EQ(says("notice != \"x\""), "yes");
  EXPECT_EQ(says("notice < \"x\" or notice >= \"x\""), "no");
  EXPECT_EQ(says("(stars == 3)"), "yes");
  EXPECT_EQ(says("is_open == false"), "yes");
  EXPECT_EQ(says("items | length == 2"), "yes");
}

TEST(RenderedPages, TakeTheFirstWayThatHolds) {
  EXPECT_EQ(render_shop("{% if is_open %}a{% elif stars > 2 %}b{% elif stars > 1 %}c{% else "
                        "%}d{% endif %}",
                        full_shop()),
            "b");
}

TEST(RenderedPages, MatchVariantsAndOptionals) {
  Shop page;
  const std::string shape =
      "{% match shape %}{% case Circle c %}r{{ c.radius }}{% case shop::Square s %}{{ s.colour "
      "}}{% endmatch %}";
  EXPECT_EQ(render_shop(shape, page), "r1");
  page.shape = shop::Square();
  EXPECT_EQ(render_shop(shape, page), "red");
  const std::string notice =
      "{% match notice %} {% case some text %}{{ text }}{% case none %}-{% endmatch %}";
  EXPECT_EQ(render_shop(notice, page), "-");
  page.notice = "";
  EXPECT_EQ(render_shop(notice, page), "");
  EXPECT_EQ(render_shop("{% match shape %}{% case Circle %}a{% else %}b{% endmatch %}", page), "b");
}

TEST(RenderedPages, WhatAnEmptyOptionalHasNotIsEmpty) {
  EXPECT_EQ(render_shop("[{{ featured.maker.name }}{{ featured.name }}{{ owner.name }}]", Shop()),
            "[]");
  EXPECT_EQ(render_shop("{{ featured.left }}", Shop()), "0");
}

TEST(RenderedPages, FilterValues) {
  const auto filtered = [](std::string_view filter) {
    return render_shop("{{ " + std::string(filter) + " }}", full_shop());
  };
  EXPECT_EQ(filtered("motto | upper"), "SLOW");
  EXPECT_EQ(filtered("motto | upper | lower"), "slow");
  EXPECT_EQ(filtered("\"  a b \" | trim"), "a b");
  EXPECT_EQ(filtered("\"äöüß\" | truncate(3)"), "äö…");
  EXPECT_EQ(filtered("\"äöü\" | truncate(3)"), "äöü");
  EXPECT_EQ(filtered("day | date(\"%e. %B %Y, %d/%m %b 100%%\")"),
            "3. November 2026, 03/11 Nov 100%");
  EXPECT_EQ(filtered("\"2026-01-31T12:34:56Z\" | date(\"%H:%M:%S\")"), "12:34:56");
  EXPECT_EQ(filtered("\"soon\" | date(\"%Y\")"), "soon");
  EXPECT_EQ(filtered("notice | default(\"none\")"), "none");
  EXPECT_EQ(filtered("words | join(\", \")"), "x, y");
  EXPECT_EQ(filtered("title | length"), "10");
  EXPECT_EQ(filtered("pair | json"), "[1,2]");
  EXPECT_EQ(filtered("title | json"), "&quot;Tea &amp; &lt;Co&gt;&quot;");
}

TEST(RenderedPages, CallTheApplicationsFilters) {
  EXPECT_EQ(
      render_shop("{{ motto | shout | upper }} {{ stars | times(3) }} {% for i in items %}{{ i "
                  "| label }}{% endfor %}",
                  full_shop()),
      "SLOW! 9 &lt;Oolong&gt;&lt;Puer&gt;");
}

TEST(RenderedPages, AreCutByDashesAndLeaveBracesAlone) {
  EXPECT_EQ(render_shop("a  {{- motto -}}  b\n {%- if true -%} c {%- endif -%} d", full_shop()),
            "aslowbcd");
  EXPECT_EQ(render_shop("{% raw %}{{ x }}{% y %}{% endraw %} { } {# none #}.", full_shop()),
            "{{ x }}{% y %} { } .");
}

TEST(RenderedPages, ExtendLayouts) {
  const TestFiles files = {
      {"base.html",
       "<title>{% block title %}Shop{% endblock %}</title>{% block body %}{% endblock %}"},
      {"mid.html",
       "{% extends \"base.html\" %}\n{% block body %}<p>{% block inner %}i{% endblock "
       "inner %}</p>{% endblock %}"},
      {"page.html",
       "{# page shop::Shop #}\n{% extends \"mid.html\" %}\n{% block title %}{{ title }} "
       "– {% super %}{% endblock %}\n{% block inner %}[{% super %}]{% endblock %}"}};
  EXPECT_EQ(render_test(files, full_shop()),
            "<title>Tea &amp; &lt;Co&gt; – Shop</title><p>[i]</p>");
}

TEST(RenderedPages, IncludePartsThatSeeWhatIsAround) {
  const TestFiles files = {
      {"parts/item.html", "<li title=\"{{ item.name }}\">{% include \"parts/price.html\" %}</li>"},
      {"parts/price.html", "{{ item.price }}"},
      {"page.html",
       "{# page shop::Shop #}\n{% for item in items %}{% include \"parts/item.html\" "
       "%}{% endfor %}"}};
  EXPECT_EQ(render_test(files, full_shop()),
            "<li title=\"Oolong\">3</li><li title=\"Puer\">12.25</li>");
}

TEST(RenderedPages, CallComponentsWithSlots) {
  const TestFiles files = {
      {"cards.html",
       "{% component card(title: text, item: shop::Item) %}<b>{{ title }}</b>{{ "
       "item.left }}{% slot %}<i>{% slot foot %}</i>{% endcomponent %}"},
      {"page.html",
       "{# page shop::Shop #}\n{% import \"cards.html\" %}\n{% for item in items %}{% call "
       "card(title: item.name | upper, item: item) %}{{ title }}{% fill foot %}{{ item.price }}{% "
       "endfill %}{% endcall %}{% endfor %}"}};
  EXPECT_EQ(
      render_test(files, full_shop()),
      "<b>OOLONG</b>2Tea &amp; &lt;Co&gt;<i>3</i><b>PUER</b>0Tea &amp; &lt;Co&gt;<i>12.25</i>");
}

TEST(RenderedPages, AComponentMayStandInItsOwnSlot) {
  EXPECT_EQ(
      render_shop("{% component box %}[{% slot %}]{% endcomponent %}{% call box %}{% call box "
                  "%}{{ motto }}{% endcall %}{% endcall %}",
                  full_shop()),
      "[[slow]]");
}

TEST(RenderedPages, FragmentsAreRenderedAlone) {
  const auto tree = assemble_test(
      {{"page.html",
        "{# page shop::Shop #}\n<ul>{% fragment rows %}{% for i in items %}<li>{{ i.name "
        "}}</li>{% endfor %}{% endfragment %}</ul>"}});
  ASSERT_TRUE(tree) << to_text(tree.error());
  const Shop page = full_shop();
  std::string out;
  ASSERT_NE(find_fragment(tree->nodes, "rows"), nullptr);
  EXPECT_FALSE(walk_fragment(*tree, *find_fragment(tree->nodes, "rows"), {ref(page)}, {}, out));
  EXPECT_EQ(out, "<li>Oolong</li><li>Puer</li>");
  EXPECT_EQ(find_fragment(tree->nodes, "row"), nullptr);
}

TEST(RenderedPages, AttributesMayBeConditional) {
  EXPECT_EQ(render_shop("<input {% if stars > 2 %}checked{% endif %}><p{% if is_open %} "
                        "class=\"a\"{% endif %} title='{{ title }}'>",
                        full_shop()),
            "<input checked><p title='Tea &amp; &lt;Co&gt;'>");
}

}  // namespace
}  // namespace eider::views
