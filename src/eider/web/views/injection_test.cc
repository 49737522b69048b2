#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/web/views/test_views.h"

namespace eider::views {
namespace {

constexpr std::array<std::string_view, 16> kHostile = {
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    " \tJaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "</script><script>alert(1)</script>",
    "</title></textarea></style>",
    "\";alert(1);//",
    "'-alert(1)-'",
    "<!--<script>",
    "\xe2\x80\xa8"
    "alert(1)\xe2\x80\xa9",
    "expression(alert(1));url(javascript:x)}*{",
    "\\\"&lt;&#39;`${alert(1)}",
};

/// Returns why the page is rejected, without file, line and column; "made" if it is not.
std::string refusal(std::string_view content) {
  const std::string page = with_title(content, "T");
  const std::string_view begin = "page.html:";
  if (!page.starts_with(begin)) {
    return "made: " + page;
  }
  return page.substr(page.find(": ") + 2, page.find('\n') - page.find(": ") - 2);
}

TEST(Injection, TextStaysText) {
  for (const std::string_view hostile : kHostile) {
    const std::string page = with_title("<p>{{ title }}</p>", std::string(hostile));
    const std::string_view inner = std::string_view(page).substr(3, page.size() - 7);
    EXPECT_EQ(inner.find_first_of("<>\"'"), inner.npos) << page;
  }
}

TEST(Injection, AttributesKeepTheirQuotes) {
  for (const std::string_view hostile : kHostile) {
    for (const std::string_view quote : {"\"", "'"}) {
      const std::string q(quote);
      const std::string page =
          with_title("<p title=" + q + "{{ title }}" + q + ">", std::string(hostile));
      const std::string_view inner = std::string_view(page).substr(10, page.size() - 12);
      EXPECT_EQ(inner.find_first_of("<>\"'"), inner.npos) << page;
    }
  }
}

TEST(Injection, AddressesHaveNoSchemeThatRuns) {
  for (const std::string_view hostile : kHostile) {
    const std::string page = with_title("<a href=\"{{ title }}\">", std::string(hostile));
    const std::string_view inner = std::string_view(page).substr(9, page.size() - 11);
    const std::size_t colon = inner.find(':');
    const std::size_t end = inner.find_first_of("/?#");
    EXPECT_TRUE(colon == inner.npos || colon > end || inner == "about:invalid#refused") << page;
    EXPECT_EQ(inner.find_first_of("<>\"'"), inner.npos) << page;
  }
  EXPECT_EQ(with_title("<a href=\"{{ title }}\">", "https://x.example/?a=1&b=2"),
            "<a href=\"https://x.example/?a=1&amp;b=2\">");
  EXPECT_EQ(with_title("<a href=\"{{ title }}\">", "/notes/1:2"), "<a href=\"/notes/1:2\">");
  EXPECT_EQ(with_title("<a href=\"{{ title }}\">", "javascript:alert(1)"),
            "<a href=\"about:invalid#refused\">");
}

TEST(Injection, EveryAttributeWithAnAddressIsOne) {
  for (const std::string_view attribute :
       {"href", "src", "action", "formaction", "poster", "cite", "data", "background", "xlink:href",
        "hx-get", "HX-POST", "data-hx-get", "HREF"}) {
    EXPECT_EQ(with_title("<a " + std::string(attribute) + "=\"{{ title }}\">", "javascript:x"),
              "<a " + std::string(attribute) + "=\"about:invalid#refused\">");
  }
}

constexpr std::array<std::string_view, 15> kOwnUrlAttributes = {
    "form action",     "button formaction",  "base href",
    "div hx-get",      "div HX-POST",        "div hx-put",
    "div hx-patch",    "div hx-delete",      "div data-hx-get",
    "div hx-push-url", "div hx-replace-url", "div sse-connect",
    "div ws-connect",  "turbo-frame src",    "turbo-stream-source src"};

TEST(Injection, WhatIsSentToOrPutIntoThePageIsOfThisSite) {
  constexpr std::array<std::string_view, 18> kElsewhere = {"https://evil.example/",
                                                           "http:evil.example",
                                                           "//evil.example",
                                                           "\\\\evil.example",
                                                           "/\\evil.example",
                                                           "\\/evil.example",
                                                           " //evil.example",
                                                           "/\t/evil.example",
                                                           "\n//evil.example",
                                                           "/\r\n/evil.example",
                                                           "mailto:a@evil.example",
                                                           "tel:1",
                                                           "ws://evil.example",
                                                           "\x01//evil.example",
                                                           "javascript:alert(1)",
                                                           "HTTPS:\\evil.example",
                                                           "a:b",
                                                           ":x"};
  constexpr std::array<std::string_view, 9> kOwn = {
      "/notes/1", "notes", "", "?page=2", "#top", "../x", "/search?to=https://a.example//b",
      ".",        "/a b"};
  for (const std::string_view attribute : kOwnUrlAttributes) {
    const std::string begin = "<" + std::string(attribute) + "=\"";
    for (const std::string_view elsewhere : kElsewhere) {
      EXPECT_EQ(with_title(begin + "{{ title }}\">", std::string(elsewhere)),
                begin + "about:invalid#refused\">")
          << elsewhere;
    }
    for (const std::string_view own : kOwn) {
      EXPECT_EQ(with_title(begin + "{{ title }}\">", std::string(own)),
                begin + std::string(own) + "\">");
    }
    EXPECT_EQ(with_title(begin + "/notes/{{ title }}/edit\">", "//evil"),
              begin + "/notes/%2F%2Fevil/edit\">");
    EXPECT_EQ(with_title(begin + "https://a.example/{{ title }}\">", "x"),
              begin + "https://a.example/x\">");
  }
}

TEST(Injection, AnAddressThatTheTemplateTrustsMayLeadElsewhere) {
  for (const std::string_view attribute : kOwnUrlAttributes) {
    const std::string begin = "<" + std::string(attribute) + "=\"";
    EXPECT_EQ(with_title(begin + "{{ title | trusted }}\">", "https://a.example/?a=1&b=2"),
              begin + "https://a.example/?a=1&amp;b=2\">");
    EXPECT_EQ(with_title(begin + "{{ title | lower | trusted }}/x\">", "//A.example"),
              begin + "//a.example/x\">");
    EXPECT_EQ(with_title(begin + "{{ title | trusted }}\">", "javascript:x"),
              begin + "about:invalid#refused\">");
  }
  EXPECT_EQ(with_title("<a href=\"{{ title | trusted }}\">", "//a"), "<a href=\"//a\">");
  for (const std::string_view elsewhere :
       {"<p>{{ title | trusted }}", "<p title=\"{{ title | trusted }}\">",
        "<form action=\"/x/{{ title | trusted }}\">",
        "<script>f({{ title | trusted }})</script>"}) {
    EXPECT_TRUE(refusal(elsewhere).starts_with("trusted is only for a complete URL")) << elsewhere;
  }
  EXPECT_TRUE(refusal("<p title={{ title | trusted }}>").starts_with("a value needs quotes"));
  EXPECT_TRUE(refusal("<form action=\"{{ title | trusted | upper }}\">")
                  .starts_with("trusted must be the last filter"));
}

TEST(Injection, NoHostIsPutTogetherOfAnOwnAddressAndWhatFollows) {
  for (const std::string_view behind : {"/{{ title }}", "/x", "\\x", "\n/x", "{{ title }}/x"}) {
    EXPECT_TRUE(refusal("<form action=\"{{ title }}" + std::string(behind) + "\">")
                    .starts_with("the value \"/\" would turn the following text into a host"))
        << behind;
  }
  EXPECT_TRUE(refusal("<form action=\"{% if is_open %}{{ title }}{% else %}x{% endif %}/x\">")
                  .starts_with("the value \"/\""));
  EXPECT_EQ(with_title("<form action=\"{{ title }}?a={{ title }}/b\">", "/"),
            "<form action=\"/?a=%2F/b\">");
  for (const std::string_view begin :
       {"{% if is_open %}/{% endif %}", "{% if is_open %}{{ title }}{% endif %}", "&#47;"}) {
    EXPECT_TRUE(refusal("<form action=\"" + std::string(begin) + "{{ title }}\">")
                    .starts_with("this URL starts differently in different branches"))
        << begin;
  }
}

TEST(Injection, PartsOfAddressesAreEncoded) {
  EXPECT_EQ(with_title("<a href=\"note-{{ title }}\"> <a href=\"java{{ title }}\">", "script:a/b"),
            "<a href=\"note-script%3Aa%2Fb\"> <a href=\"javascript%3Aa%2Fb\">");
  EXPECT_EQ(
      with_title("<a href=\"/notes/{{ title }}?q={{ title }}#x\">", "a/../b&c=\"d\" e:"),
      "<a href=\"/notes/a%2F..%2Fb%26c%3D%22d%22%20e%3A?q=a%2F..%2Fb%26c%3D%22d%22%20e%3A#x\">");
  EXPECT_EQ(with_title("<a href=\"{{ title }}{{ title }}\">", "javascript"),
            "<a href=\"javascriptjavascript\">");
  EXPECT_EQ(with_title("<img srcset=\"/i/{{ title }} 2x\">", "a, javascript:x 3x"),
            "<img srcset=\"/i/a%2C%20javascript%3Ax%203x 2x\">");
}

TEST(Injection, SegmentsOfPathsLeadNowhereElse) {
  const std::string refused = "<a href=\"about:invalid#refused";
  for (const std::string_view empty : {"", ".", ".."}) {
    const std::string value(empty);
    EXPECT_EQ(with_title("<a href=\"/users/{{ title }}/delete\">", value), refused + "/delete\">");
    EXPECT_EQ(with_title("<a href=\"/{{ title }}/{{ balance }}\">", value), refused + "/0\">");
    for (const std::string_view begin :
         {"/", "\\", "/x/", "/x&#47;", "/x&sol;", "/.", "/x/\n", ".", "https://", "/x;/"}) {
      EXPECT_EQ(with_title("<a href=\"" + std::string(begin) + "{{ title }}\">", value),
                refused + "\">")
          << begin;
    }
    EXPECT_EQ(with_title("<a href=\"{% if is_open %}x{% endif %}/{{ title }}\">", value),
              refused + "\">");
    EXPECT_EQ(
        with_title("<a href=\"/x{% if is_open %}x{% else %}/{% endif %}{{ title }}\">", value),
        refused + "\">");
    EXPECT_EQ(with_title("<img srcset=\"/a?b 1x, /{{ title }} 2x\">", value),
              "<img srcset=\"about:invalid#refused 2x\">");
    for (const std::string_view begin : {"/x?q=", "/x?to=/", "/x#", "/x-", "/x.", "mailto:"}) {
      EXPECT_EQ(with_title("<a href=\"" + std::string(begin) + "{{ title }}\">", value),
                "<a href=\"" + std::string(begin) + value + "\">");
    }
  }
  EXPECT_EQ(render_shop("<a href='/x/{{ notice }}/{{ note }}'>", shop::Shop()),
            "<a href='about:invalid#refused'>");
  EXPECT_EQ(with_title("<a href=\"/x/{{ title }}/{{ balance }}\">", "..."),
            "<a href=\"/x/.../0\">");
}

TEST(Injection, ScriptsGetKeysThatAreNoPrototypes) {
  shop::Shop page;
  page.counts = {{"__proto__", 1}, {"a\"__proto__", 2}, {"\"__proto__\":", 3}};
  EXPECT_EQ(
      render_shop("<script>f({{ counts }})</script>", page),
      "<script>f({\"\\\"__proto__\\\":\":3,[\"__proto__\"]:1,\"a\\\"__proto__\":2})</script>");
  EXPECT_EQ(render_shop("<script type=\"application/ld+json\">{{ counts | json }}</script>", page),
            "<script type=\"application/ld+json\">{\"\\\"__proto__\\\":\":3,\"__proto__\":1,"
            "\"a\\\"__proto__\":2}</script>");
}

TEST(Injection, ScriptsGetJson) {
  for (const std::string_view hostile : kHostile) {
    const std::string page =
        with_title("<script>const a = {{ title }};</script>", std::string(hostile));
    const std::string_view inner = std::string_view(page).substr(18, page.size() - 18 - 10);
    EXPECT_EQ(inner.find_first_of("<>&"), inner.npos) << page;
    EXPECT_EQ(inner.find("\xe2\x80\xa8"), inner.npos) << page;
    const auto read = json::read<std::string>(inner);
    ASSERT_TRUE(read) << page;
    EXPECT_EQ(*read, hostile);
  }
}

TEST(Injection, ScriptsGetWholeStructs) {
  shop::Shop page;
  page.items = {{"</script>", 1.5, 2, shop::State::open, {}, {"&"}}};
  EXPECT_EQ(render_shop("<script type=\"application/json\">{{ items }}</script>", page),
            "<script type=\"application/json\">[{\"name\":\"\\u003c/script\\u003e\",\"price\":1.5,"
            "\"left\":2,\"state\":\"open\",\"tags\":[\"\\u0026\"]}]</script>");
  EXPECT_EQ(render_shop("<script>f({{ items | json }}, 3 - {{ balance }})</script>", shop::Shop()),
            "<script>f([], 3 - 0)</script>");
}

TEST(Injection, StylesGetWords) {
  for (const std::string_view hostile : kHostile) {
    for (const std::string_view page :
         {"<p style=\"color: {{ title }}\">", "<style>p { color: {{ title }} }</style>"}) {
      const std::string made = with_title(page, std::string(hostile));
      EXPECT_NE(made.find("color: refused"), made.npos) << made;
    }
  }
  EXPECT_EQ(with_title("<p style=\"width: {{ title }}\">", "12.5% #fa0 -1px"),
            "<p style=\"width: 12.5% #fa0 -1px\">");
}

TEST(Injection, TitlesAndTextAreasStayText) {
  for (const std::string_view hostile : kHostile) {
    const std::string page = with_title(
        "<title>{{ title }}</title><textarea>{{ title }}</textarea>", std::string(hostile));
    EXPECT_EQ(std::ranges::count(page, '<'), 4) << page;
  }
}

TEST(Injection, WhatIsSaidAloudIsLeftAsItIs) {
  EXPECT_EQ(with_title("<p>{{ title | raw }}</p>", "<b>x</b>"), "<p><b>x</b></p>");
  EXPECT_EQ(with_title("<p>{{ title | upper | raw }}</p>", "<b>x</b>"), "<p><B>X</B></p>");
}

TEST(Injection, ValuesAreRefusedWhereNothingMakesThemSafe) {
  EXPECT_TRUE(refusal("<p class={{ title }}>").starts_with("a value needs quotes"));
  EXPECT_TRUE(refusal("<p class=a{{ title }}>").starts_with("a value needs quotes"));
  EXPECT_TRUE(refusal("<{{ title }}>").starts_with("a value must not be an element name"));
  EXPECT_TRUE(refusal("<p{{ title }}>").starts_with("a value must not be an element name"));
  EXPECT_TRUE(refusal("<p {{ title }}>").starts_with("a value must not be an attribute name"));
  EXPECT_TRUE(refusal("<p a{{ title }}='x'>").starts_with("a value must not be an attribute name"));
  EXPECT_TRUE(refusal("<!-- {{ title }} -->").starts_with("a value is not allowed in an HTML"));
  EXPECT_TRUE(refusal("<!doctype {{ title }}>").starts_with("a value is not allowed in an HTML"));
  EXPECT_TRUE(
      refusal("<p onclick=\"f('{{ title }}')\">").starts_with("a value is not allowed in on"));
  EXPECT_TRUE(
      refusal("<p x-data=\"{{ title }}\">").starts_with("a value is not allowed in x-data"));
  EXPECT_TRUE(
      refusal("<p @click=\"{{ title }}\">").starts_with("a value is not allowed in @click"));
  EXPECT_TRUE(
      refusal("<p hx-vals='{{ title }}'>").starts_with("a value is not allowed in hx-vals"));
  EXPECT_TRUE(
      refusal("<iframe srcdoc=\"{{ title }}\">").starts_with("a value is not allowed in src"));
  EXPECT_TRUE(
      refusal("<iframe>{{ title }}</iframe>").starts_with("a value is not allowed in this"));
  EXPECT_TRUE(refusal("<script type=\"text/html\">{{ title }}</script>")
                  .starts_with("a value is not allowed in this"));
  EXPECT_TRUE(refusal("<script type=\"{{ title }}\">{{ title }}</script>")
                  .starts_with("a value is not allowed in this"));
  EXPECT_TRUE(refusal("<a href=\"javascript:f({{ title }})\">")
                  .starts_with("a value is not allowed in the URL of a script"));
  EXPECT_TRUE(refusal("<a href=\" JavaScript:{{ title }}\">")
                  .starts_with("a value is not allowed in the URL of a script"));
  EXPECT_TRUE(refusal("<a href=\"{{ title }}:{{ title }}\">")
                  .starts_with("a value must not be the scheme"));
  EXPECT_TRUE(refusal("<img srcset=\"{{ title }}\">").starts_with("a value must not start a list"));
  EXPECT_TRUE(refusal("<meta http-equiv=\"refresh\" content=\"0;url={{ title }}\">")
                  .starts_with("a value must not set the target"));
  EXPECT_TRUE(refusal("<meta content=\"{{ title }}\" http-equiv=refresh>")
                  .starts_with("a value must not set the target"));
  EXPECT_TRUE(
      refusal("<svg><title/><a href=\"{{ title }}\">").starts_with("<title> is not self-closing"));
  EXPECT_TRUE(
      refusal("<svg><animate values=\"{{ title }}\">").starts_with("a value is not allowed"));
}

TEST(Injection, AnimationsMayNotSetWhatTheyAreTold) {
  for (const std::string_view animation :
       {"<svg><set attributeName=\"{{ title }}\" to=\"x\">", "<svg><set to=\"{{ title }}\">"}) {
    EXPECT_TRUE(refusal(animation).starts_with("a value is not allowed in")) << animation;
  }
}

TEST(Injection, ValuesInScriptsAreWholeValues) {
  const auto script = [](std::string_view text) {
    return refusal("<script>" + std::string(text) + "</script>");
  };
  EXPECT_TRUE(script("f(\"{{ title }}\")").starts_with("remove the quotes"));
  EXPECT_TRUE(script("f('a\\'{{ title }}')").starts_with("remove the quotes"));
  EXPECT_TRUE(script("f(`{{ title }}`)").starts_with("a value is not allowed in a template"));
  EXPECT_TRUE(script("f(`${g({ {{ title }} })}`)").starts_with("a value is not allowed in a te"));
  EXPECT_TRUE(script("// {{ title }}").starts_with("a value is not allowed in a comment"));
  EXPECT_TRUE(script("/* {{ title }} */").starts_with("a value is not allowed in a comment"));
  EXPECT_TRUE(script("a = /\"{{ title }}/").starts_with("a value is not allowed in a regular"));
  EXPECT_TRUE(script("if (a) /\"/; f({{ title }})").starts_with("the code before the value"));
  EXPECT_TRUE(script("<!-- f({{ title }})").starts_with("the code before the value"));
  EXPECT_TRUE(script("--> ' \tf({{ title }})").starts_with("the code before the value"));
  EXPECT_TRUE(script("name{{ title }}").starts_with("a value must not continue"));
  EXPECT_EQ(script("return /['\"]/.test({{ title }}) + 4 / 2 * {{ title }}"),
            "made: <script>return /['\"]/.test(\"T\") + 4 / 2 * \"T\"</script>");
  EXPECT_EQ(script("a = b / 2; c = `${x}`; d = '\"'; /* \" */ f({{ title }})"),
            "made: <script>a = b / 2; c = `${x}`; d = '\"'; /* \" */ f(\"T\")</script>");
}

TEST(Injection, LineEndsOfWindowsAreLineEnds) {
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    const std::string line(end);
    const auto script = [&](const std::string& text) {
      return refusal("<script>" + text + "</script>");
    };
    EXPECT_TRUE(script("var a = 'foo \\" + line + " bar {{ title }} baz';")
                    .starts_with("remove the quotes"));
    EXPECT_TRUE(script("// '" + line + "f({{ title }})").starts_with("made"));
    EXPECT_TRUE(script("// a" + line + "' {{ title }}'").starts_with("remove the quotes"));
    EXPECT_TRUE(script("`" + line + "{{ title }}`").starts_with("a value is not allowed in"));
    EXPECT_TRUE(script("a" + line + "/ 2; f({{ title }})").starts_with("made"));
  }
}

TEST(Injection, WhatMayBeARegularExpressionOrACommentIsUnsure) {
  const auto script = [](std::string_view text) {
    return refusal("<script>" + std::string(text) + "</script>");
  };
  for (const std::string_view text :
       {"o = of / 2 + \"/\" + \"{{ title }}\"", "a = 1\n--> '\nf({{ title }})",
        "a = 1. / 2 + \"/\" + \"{{ title }}\"", "#! '\nf({{ title }})",
        "// a\xe2\x80\xa8'{{ title }}'", "a = /[[']]/v; f({{ title }})",
        "\\u0061 / 2; f({{ title }})", "await /'/; f({{ title }})"}) {
    EXPECT_TRUE(script(text).starts_with("the code before the value")) << script(text);
  }
  EXPECT_TRUE(
      script("export default /'/; var s = '{{ title }}';").starts_with("remove the quotes"));
  EXPECT_TRUE(script("o.of / 2 + \"/\" + \"{{ title }}\"").starts_with("remove the quotes"));
  EXPECT_TRUE(script("o. return / 2 + \"/\" + \"{{ title }}\"").starts_with("remove the quotes"));
  EXPECT_TRUE(script("this.#in / 2 + \"/\" + \"{{ title }}\"").starts_with("remove the quotes"));
  EXPECT_TRUE(script("{% if is_open %}ret{% endif %}urn /\"/; f({{ title }})")
                  .starts_with("the code before the value"));
  EXPECT_TRUE(script("{% if is_open %}name{% endif %}{{ title }}")
                  .starts_with("a value must not continue"));
  EXPECT_EQ(script("o.of / 2; s = '-->'; f(...x, .5 / 2, 1.5 / 2, {{ title }})"),
            "made: <script>o.of / 2; s = '-->'; f(...x, .5 / 2, 1.5 / 2, \"T\")</script>");
}

TEST(Injection, WhatLibrariesEvaluateIsCode) {
  for (const std::string_view name : {"script",
                                      "data-script",
                                      "_",
                                      "data-ng-click",
                                      "data-bind",
                                      "data-on-click",
                                      "data-on:load",
                                      "data-on__once",
                                      "data-text",
                                      "data-show",
                                      "data-signals-a",
                                      "data-x-on",
                                      "data-style-color",
                                      "data-class",
                                      "#slot",
                                      "(click)",
                                      "[prop]",
                                      "*ngIf",
                                      ".prop",
                                      "bind-x",
                                      "up-on-accepted",
                                      "data-hx-vals",
                                      "data-hx-on:click",
                                      "DATA-BIND"}) {
    EXPECT_TRUE(refusal("<p " + std::string(name) + "=\"{{ title }}\">")
                    .starts_with("a value is not allowed in "))
        << name;
  }
  for (const std::string_view name : {"data-value", "data-one", "data-id", "data-title", "x", "in",
                                      "data-only-here", "data-texture"}) {
    EXPECT_EQ(with_title("<p " + std::string(name) + "=\"{{ title }}\">", "a: b"),
              "<p " + std::string(name) + "=\"a: b\">");
  }
  EXPECT_EQ(with_title("<a data-href=\"{{ title }}\">", "javascript:x"),
            "<a data-href=\"about:invalid#refused\">");
}

TEST(Injection, SchemesHideBehindNothing) {
  const std::string blanks(70, ' ');
  EXPECT_TRUE(refusal("<a href=\"" + blanks + "javascript:f({{ title }})\">")
                  .starts_with("a value is not allowed in the URL of a script"));
  EXPECT_TRUE(refusal("<a href=\"java\n\tscript\r:f({{ title }})\">")
                  .starts_with("a value is not allowed in the URL of a script"));
  for (const std::string_view begin : {":", "/", "?", "#"}) {
    EXPECT_TRUE(refusal("<a href=\"" + blanks + std::string(begin) + "x{{ title }}\">")
                    .starts_with("made"));
  }
  EXPECT_EQ(with_title("<a href=\"" + blanks + "{{ title }}\">", "javascript:x"),
            "<a href=\"" + blanks + "about:invalid#refused\">");
  for (const std::string_view begin :
       {"java&#115;cript:", "javascript&colon;", "&#106;avascript:", "java&Tab;script:", "&#47;"}) {
    EXPECT_TRUE(refusal("<a href=\"" + std::string(begin) + "{{ title }}\">")
                    .starts_with("the start of this URL could run a script"))
        << begin;
  }
  for (const std::string_view behind : {"&colon;", "&#58;", "&#x3a;", "&Tab;:", "&NewLine;&#58;"}) {
    EXPECT_TRUE(refusal("<a href=\"{{ title }}" + std::string(behind) + "alert(1)\">")
                    .starts_with("a value must not be the scheme"))
        << behind;
  }
  EXPECT_TRUE(refusal("<a href=\"{{ title }}&amp;b={{ title }}\">").starts_with("made"));
}

TEST(Injection, ASchemeOverSeveralWaysIsOne) {
  const std::string_view why = "the start of this URL could run a script";
  EXPECT_TRUE(refusal("<a href=\"{% if is_open %}javascript{% endif %}:f('{{ title }}')\">")
                  .starts_with(why));
  EXPECT_TRUE(
      refusal("<a href=\"{% if is_open %}javascript{% else %}http{% endif %}:{{ title }}\">")
          .starts_with(why));
  EXPECT_TRUE(
      refusal("<a href=\"{% if is_open %}java{% endif %}script:{{ title }}\">").starts_with(why));
  EXPECT_TRUE(refusal("<a href=\"{% if is_open %}x{% endif %}javascript:{{ title }}\">")
                  .starts_with("a value is not allowed in the URL of a script"));
  EXPECT_TRUE(refusal("<a href=\"{% if is_open %}https{% else %}http{% endif %}://x/{{ title }}\">")
                  .starts_with("made"));
}

TEST(Injection, AnAttributeOfSeveralNamesIsTheWorst) {
  EXPECT_TRUE(refusal("<meta {% if is_open %}http-equiv{% else %}name{% endif %}=\"refresh\" "
                      "content=\"0;url={{ title }}\">")
                  .starts_with("a value must not set the target"));
  EXPECT_TRUE(refusal("<meta {% if is_open %}http{% endif %}-equiv=\"refresh\" "
                      "content=\"0;url={{ title }}\">")
                  .starts_with("a value must not set the target"));
  EXPECT_TRUE(refusal("<script {% if is_open %}type{% else %}id{% endif %}=\"text/html\">"
                      "{{ title }}</script>")
                  .starts_with("a value is not allowed in this"));
}

TEST(Injection, MarkupThatBrowsersReadOtherwiseIsRefused) {
  EXPECT_TRUE(refusal("<script>var t = \"<!--<script>\";</script><p>{{ title }}</p>")
                  .starts_with("\"<script\" after \"<!--\""));
  EXPECT_TRUE(refusal("<script>t = \"<!--\" + \"<SCRIPT \";</script>")
                  .starts_with("\"<script\" after \"<!--"));
  EXPECT_TRUE(refusal("<script>t = \"<script>\";</script>{{ title }}").starts_with("made"));
  EXPECT_TRUE(refusal("<svg><title><a href=\"{{ title }}\" onclick=\"{{ title }}\"></title></svg>")
                  .starts_with("<title> in SVG"));
  EXPECT_TRUE(refusal("<svg><style><!-- </style>").starts_with("<style> in SVG"));
  EXPECT_TRUE(refusal("<svg><![CDATA[ > ]]>").starts_with("<![CDATA["));
  EXPECT_TRUE(refusal("<svg><script>f({{ title }})</script></svg>")
                  .starts_with("a value is not allowed in this"));
  EXPECT_TRUE(
      refusal("{% if is_open %}<svg>{% endif %}<p>").starts_with("the branches of this tag"));
  EXPECT_TRUE(refusal("<svg><title>{{ title }}</title></svg><script>a < {{ title }}</script>")
                  .starts_with("made"));
  EXPECT_TRUE(
      refusal("<svg><path/><svg/></svg><script>a < {{ title }}</script>").starts_with("made"));
}

TEST(Injection, CommentsBeginBehindAnExclamationMarkAlone) {
  for (const std::string_view begin :
       {"</---x>", "</!--x>", "<?--x>", "<!-x>", "<!-->", "<!--->"}) {
    EXPECT_TRUE(refusal(std::string(begin) + "<script> a = {{ title }} </script>")
                    .starts_with("made: " + std::string(begin) + "<script> a = \"T\""))
        << begin;
    EXPECT_TRUE(
        refusal(std::string(begin) + "<script> --> {{ title }}").starts_with("the code before"))
        << begin;
  }
}

TEST(Injection, WaysThroughAPageHaveToMeetInOnePlace) {
  const std::string_view differ = "the branches of this tag end in different HTML contexts";
  EXPECT_TRUE(refusal("<p {% if is_open %}title=\"{% endif %}\">").starts_with(differ));
  EXPECT_TRUE(refusal("{% if is_open %}<script>{% endif %}{{ title }}").starts_with(differ));
  EXPECT_TRUE(refusal("<script>{% if is_open %}'{% endif %}'</script>").starts_with(differ));
  EXPECT_TRUE(refusal("<a {% if is_open %}href{% else %}title{% endif %}=\"{{ title }}\">")
                  .starts_with("a value is not allowed in ?"));
  EXPECT_TRUE(refusal("<a {% if is_open %}hr{% endif %}ef=\"{{ title }}\">")
                  .starts_with("a value is not allowed in ?"));
  EXPECT_TRUE(
      refusal("{% for i in items %}<p title=\"{% endfor %}").starts_with("the loop body must end"));
  EXPECT_TRUE(
      refusal("<s{% if is_open %} a{% endif %}cript>").starts_with("the tag name must end"));
  EXPECT_TRUE(
      refusal("<p title=\"")
          .starts_with("the page must end between tags, but ends in the attribute title of <p>"));
  EXPECT_TRUE(refusal("{% fragment a %}<p {% endfragment %}>")
                  .starts_with("a fragment must end between tags"));
}

TEST(Injection, WhatOneWayBeginsOfAnAddressCountsForAll) {
  EXPECT_EQ(with_title("<a href=\"{% if is_open %}/x/{% endif %}{{ title }}\">", "javascript:x"),
            "<a href=\"about:invalid#refused\">");
  EXPECT_TRUE(refusal("<a href=\"{% if is_open %}javascript:{% endif %}{{ title }}\">")
                  .starts_with("a value is not allowed in the URL of a script"));
  EXPECT_TRUE(refusal("<a href=\"{% if is_open %}{{ title }}{% endif %}:{{ title }}\">")
                  .starts_with("a value must not be the scheme"));
}

}  // namespace
}  // namespace eider::views
