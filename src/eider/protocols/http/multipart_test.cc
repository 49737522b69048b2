#include "eider/protocols/http/multipart.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/conformance/multipart_cases.h"

namespace eider {
namespace {

std::string part_as_text(const MultipartPart& part) {
  std::string text = "(" + std::string(part.name);
  if (part.filename.has_value()) {
    text.append("|").append(*part.filename);
  }
  if (part.content_type != "text/plain") {
    text.append("|").append(part.content_type);
  }
  return text + ")";
}

/// The results of a reader whose bytes arrive in pieces.
class Form {
 public:
  explicit Form(const MultipartLimits& limits = {}) : reader_(kCaseBoundary, limits) {}

  Form& feed(std::string_view in) {
    const std::vector<char> exact(in.begin(), in.end());
    std::string_view rest(exact.data(), exact.size());
    while (note(reader_.read(rest))) {
      rest.remove_prefix(step_.consumed);
    }
    if (step_.status == MultipartStatus::need_more) {
      EXPECT_EQ(step_.consumed, rest.size());
    }
    return *this;
  }
  Form& finish() {
    const bool was_closed = found_.ends_with('.');
    const MultipartStep last = reader_.finish();
    is_whole_ = last.status == MultipartStatus::end;
    EXPECT_EQ(is_whole_, was_closed && reader_.refusal() == MultipartRefusal::none);
    return *this;
  }
  const std::string& found() const { return found_; }
  bool is_whole() const { return is_whole_; }
  MultipartRefusal refusal() const { return reader_.refusal(); }

 private:
  bool note(const MultipartStep& step) {
    step_ = step;
    switch (step.status) {
      case MultipartStatus::part_begin:
        found_ += part_as_text(reader_.part());
        return true;
      case MultipartStatus::part_data:
        EXPECT_FALSE(step.data.empty());
        found_ += step.data;
        return true;
      case MultipartStatus::part_end:
        found_ += ";";
        return true;
      case MultipartStatus::end:
        found_ += ".";
        return true;
      case MultipartStatus::need_more:
      case MultipartStatus::refused:
        return false;
    }
    return false;
  }

  MultipartReader reader_;
  MultipartStep step_{MultipartStatus::need_more, 0, {}};
  std::string found_;
  bool is_whole_ = false;
};

void expect_outcome(const MultipartCase& one, const Form& form) {
  EXPECT_EQ(form.refusal(), one.refusal) << one.what << ", RFC " << one.section;
  EXPECT_EQ(form.found(), one.found) << one.what << ", RFC " << one.section;
  EXPECT_EQ(form.is_whole(), one.refusal == MultipartRefusal::none) << one.what;
}

TEST(MultipartReader, reads_or_refuses_every_case_of_the_table) {
  for (const MultipartCase& one : all_multipart_cases()) {
    expect_outcome(one, Form().feed(one.bytes).finish());
  }
}

TEST(MultipartReader, reads_every_case_alike_byte_by_byte) {
  for (const MultipartCase& one : all_multipart_cases()) {
    Form form;
    for (const char& byte : one.bytes) {
      form.feed({&byte, 1});
    }
    expect_outcome(one, form.finish());
  }
}

TEST(MultipartReader, reads_every_case_alike_cut_in_two_anywhere) {
  for (const MultipartCase& one : all_multipart_cases()) {
    for (std::size_t size = 0; size < one.bytes.size(); ++size) {
      Form form;
      form.feed(std::string_view(one.bytes).substr(0, size));
      form.feed(std::string_view(one.bytes).substr(size));
      expect_outcome(one, form.finish());
    }
  }
}

TEST(MultipartReader, the_beginning_of_a_form_is_never_a_whole_one) {
  for (const MultipartCase& one : good_multipart_headers()) {
    for (std::size_t size = 0; size + 2 < one.bytes.size(); ++size) {
      Form form;
      form.feed(std::string_view(one.bytes).substr(0, size)).finish();
      EXPECT_EQ(form.refusal(), MultipartRefusal::truncated) << one.what << " cut at " << size;
    }
  }
}

TEST(MultipartReader, stays_refused) {
  Form form;
  form.feed("--xyz?").feed(form_around("1")).finish();
  EXPECT_EQ(form.refusal(), MultipartRefusal::bad_delimiter_line);
  EXPECT_EQ(form.found(), "");
}

TEST(MultipartReader, gives_content_as_it_comes) {
  Form form;
  form.feed("--xyz\r\nContent-Disposition: form-data; name=a\r\n\r\n12");
  EXPECT_EQ(form.found(), "(a)12");
  form.feed("34\r\n--");
  EXPECT_EQ(form.found(), "(a)1234");
  form.feed("5");
  EXPECT_EQ(form.found(), "(a)1234\r\n--5");
}

TEST(MultipartReader, looks_at_content_made_of_beginnings_of_the_boundary_once) {
  std::string content;
  for (int count = 0; count < 100'000; ++count) {
    content += "\r\n--xy";
  }
  Form form;
  form.feed(form_around(content)).finish();
  EXPECT_EQ(form.found(), "(a)" + content + ";.");
}

/// Two parts "a" of five bytes.
std::string two_parts() {
  const std::string form = form_around("12345");
  return form.substr(0, form.size() - 4) + form.substr(5);  // its boundary ends the first part
}

/// `form` is accepted with the limit `fits`, and rejected with one less.
void expect_bound(const std::string& form, std::size_t MultipartLimits::* bound, std::size_t fits,
                  MultipartRefusal refusal) {
  MultipartLimits limits;
  limits.*bound = fits;
  EXPECT_EQ(Form(limits).feed(form).finish().refusal(), MultipartRefusal::none);
  limits.*bound = fits - 1;
  EXPECT_EQ(Form(limits).feed(form).finish().refusal(), refusal);
  Form by_bytes(limits);
  for (const char& byte : form) {
    by_bytes.feed({&byte, 1});
  }
  EXPECT_EQ(by_bytes.finish().refusal(), refusal);
}

TEST(MultipartReader, takes_as_much_as_its_limits_say_and_no_more) {
  using enum MultipartRefusal;
  const std::string two = two_parts();
  ASSERT_EQ(Form().feed(two).finish().found(), "(a)12345;(a)12345;.");
  expect_bound(two, &MultipartLimits::parts_max, 2, too_many_parts);
  const std::string named = form_of("; name=\"%22ab\"; filename=\"cdef\"");
  expect_bound(named, &MultipartLimits::name_bytes_max, 3, name_too_long);
  expect_bound(named, &MultipartLimits::filename_bytes_max, 4, filename_too_long);
  const std::string lines = "Content-Disposition: form-data; name=a\r\nB: c\r\n";
  expect_bound(form_with(lines), &MultipartLimits::headers_max, 2, too_many_headers);
  expect_bound(form_with(lines), &MultipartLimits::header_bytes_max, lines.size() + 2,
               header_too_large);
  expect_bound("1234\r\n" + two, &MultipartLimits::preamble_bytes_max, 4, preamble_too_large);
  expect_bound(two + "1234", &MultipartLimits::epilogue_bytes_max, 6, epilogue_too_large);
}

TEST(MultipartReader, counts_the_content_of_each_part_and_all_there_is) {
  MultipartLimits limits;
  limits.part_bytes_max = 5;
  const std::string two = two_parts();
  EXPECT_EQ(Form(limits).feed(two).finish().refusal(), MultipartRefusal::none);
  limits.part_bytes_max = 4;
  Form too_large(limits);
  too_large.feed(two).finish();
  EXPECT_EQ(too_large.refusal(), MultipartRefusal::part_too_large);
  EXPECT_EQ(too_large.found(), "(a)") << "not a byte beyond the limit is given out";
  limits = {};
  limits.total_bytes_max = two.size();
  EXPECT_EQ(Form(limits).feed(two).finish().refusal(), MultipartRefusal::none);
  limits.total_bytes_max = two.size() - 1;
  EXPECT_EQ(Form(limits).feed(two).finish().refusal(), MultipartRefusal::content_too_large);
}

TEST(MultipartReader, tells_all_fields_of_a_part) {
  MultipartReader reader(kCaseBoundary);
  const std::string form = form_with("Content-Disposition: form-data; name=a\r\nB:  c d \r\n");
  ASSERT_EQ(reader.read(form).status, MultipartStatus::part_begin);
  ASSERT_EQ(reader.part().headers.size(), 2U);
  EXPECT_EQ(reader.part().headers[1].name, "B");
  EXPECT_EQ(reader.part().headers[1].value, "c d");
}

TEST(MultipartBoundary, is_read_as_a_token_or_quoted) {
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=a"), "a");
  EXPECT_EQ(multipart_boundary("Multipart/Form-Data;charset=utf-8;BOUNDARY=\"a b\""), "a b");
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=----WebKitFormBoundaryAbC"),
            "----WebKitFormBoundaryAbC");
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=\"'()+_,-./:=?\""), "'()+_,-./:=?");
  const std::string longest(70, 'a');
  EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=" + longest), longest);
}

struct BadType {
  std::string content_type;
  MultipartRefusal refusal;
};

TEST(MultipartBoundary, is_refused_when_it_is_none) {
  using enum MultipartRefusal;
  const BadType cases[] = {
      {"", not_form_data},
      {"multipart/mixed; boundary=a", not_form_data},
      {"application/x-www-form-urlencoded", not_form_data},
      {"multipart/form-data-x; boundary=a", not_form_data},
      {"multipart/form-data", missing_boundary},
      {"multipart/form-data; a=b", missing_boundary},
      {"multipart/form-data; boundary=", bad_boundary},
      {"multipart/form-data; boundary=\"\"", bad_boundary},
      {"multipart/form-data; boundary=\"a \"", bad_boundary},
      {"multipart/form-data; boundary=" + std::string(71, 'a'), bad_boundary},
      {"multipart/form-data; boundary=a*b", bad_boundary},
      {"multipart/form-data; boundary=\"a\tb\"", bad_boundary},
      {"multipart/form-data; boundary=\"\xC3\xA9\"", bad_boundary},
      {"multipart/form-data; boundary=a; boundary=b", bad_boundary},
      {"multipart/form-data; boundary=\"a", bad_boundary},
      {"multipart/form-data; boundary=a,b", bad_boundary},
      {"multipart/form-data; boundary=a=b; boundary=c=d", bad_boundary},
      {"multipart/form-data; boundary=a=b c", bad_boundary},
  };
  for (const BadType& one : cases) {
    EXPECT_EQ(multipart_boundary(one.content_type), fail(one.refusal)) << one.content_type;
  }
}

TEST(MultipartRefusals, each_has_a_status_a_sentence_and_a_source) {
  const auto last = static_cast<int>(MultipartRefusal::coded_part);
  for (int number = 1; number <= last; ++number) {
    const auto& info = refusal_info(static_cast<MultipartRefusal>(number));
    EXPECT_TRUE(info.status == 400 || info.status == 413 || info.status == 415) << number;
    EXPECT_TRUE(info.text.ends_with('.')) << number;
    EXPECT_TRUE(info.section.starts_with("RFC ")) << number;
  }
}

}  // namespace
}  // namespace eider
