#include "eider/web/storage/s3/xml.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::detail::s3 {
namespace {

/// The events, as "<a>text</a>".
std::string events_of(const std::string& document) {
  XmlReader reader(document);
  std::string all;
  while (auto event = reader.next()) {
    switch (event->kind) {
      case XmlReader::Kind::start:
        all.append("<").append(event->name).append(">");
        break;
      case XmlReader::Kind::end:
        all.append("</").append(event->name).append(">");
        break;
      case XmlReader::Kind::text:
        all.append(event->text);
        break;
    }
  }
  EXPECT_FALSE(reader.next().has_value());
  return reader.is_malformed() ? all + " malformed" : all;
}

TEST(Xml, reads_elements_and_text) {
  EXPECT_EQ(
      events_of("<?xml version=\"1.0\"?>\n<!-- x --><a xmlns='b' c = \"d>\">e<f/><g>h</g></a>\n"),
      "<a>e<f></f><g>h</g></a>");
  EXPECT_EQ(events_of("\xEF\xBB\xBF<s3:a>&lt;&amp;&gt;&quot;&apos;&#65;&#xe4;&#x1F389;</s3:a >"),
            "<a><&>\"'A\xC3\xA4\xF0\x9F\x8E\x89</a>");
  EXPECT_EQ(events_of("<a><![CDATA[<b>&amp;]]></a>"), "<a><b>&amp;</a>");
}

TEST(Xml, rejects_documents_that_are_not_complete_or_not_well_formed) {
  for (const char* const document : {"",
                                     " ",
                                     "a",
                                     "<a>",
                                     "<a",
                                     "<a></b>",
                                     "</a>",
                                     "<a></a><b></b>",
                                     "<a/>x",
                                     "<a>&b;</a>",
                                     "<a>&#0;</a>",
                                     "<a>&#xD800;</a>",
                                     "<a>&#x110000;</a>",
                                     "<a>&#;</a>",
                                     "<a>&#x;</a>",
                                     "<a>&amp</a>",
                                     "<a b></a>",
                                     "<a b=c></a>",
                                     "<a b='c></a>",
                                     "<a b='<'></a>",
                                     "<!-- <a/>",
                                     "<a><![CDATA[</a>",
                                     "<![CDATA[x]]>",
                                     "<?xml <a/>",
                                     "< a/>",
                                     "<a/ >",
                                     "<a>\xff</a>"}) {
    EXPECT_TRUE(events_of(document).ends_with("malformed")) << document;
    EXPECT_FALSE(read_xml(document).has_value()) << document;
  }
}

TEST(Xml, has_no_document_types_and_thus_no_entities) {
  EXPECT_FALSE(read_xml("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>").has_value());
  EXPECT_FALSE(read_xml("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>").has_value());
}

TEST(Xml, has_limits) {
  const auto nested = [](std::size_t depth) {
    std::string document;
    for (std::size_t level = 0; level < depth; ++level) {
      document += "<a>";
    }
    for (std::size_t level = 0; level < depth; ++level) {
      document += "</a>";
    }
    return document;
  };
  EXPECT_TRUE(read_xml(nested(XmlReader::kDepthMax)).has_value());
  EXPECT_FALSE(read_xml(nested(XmlReader::kDepthMax + 1)).has_value());
  std::string many = "<a>";
  for (int count = 0; count < 20'000; ++count) {
    many += "<b/>";
  }
  EXPECT_FALSE(read_xml(many + "</a>").has_value());
  EXPECT_FALSE(read_xml("<a>" + std::string(XmlReader::kBytesMax, 'b') + "</a>").has_value());
}

TEST(Xml, tree_has_the_texts_of_children) {
  const auto root = read_xml(
      "<Error><Code>NoSuchKey</Code><Message>a <b>bold</b> one</Message><Code>2</Code></Error>");
  ASSERT_TRUE(root.has_value());
  EXPECT_EQ(root->name, "Error");
  EXPECT_EQ(root->text_of("Code"), "NoSuchKey");
  EXPECT_EQ(root->text_of("Message"), "a  one");
  EXPECT_EQ(root->text_of("Key"), "");
}

TEST(Xml, escaped_text_is_read_as_it_was) {
  const std::string text = "\"a\" <b> & c";
  EXPECT_EQ(read_xml("<x>" + xml_escape(text) + "</x>")->text, text);
}

}  // namespace
}  // namespace eider::detail::s3
