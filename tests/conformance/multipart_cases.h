// Valid and invalid multipart forms, each with its RFC section and the expected result.
// Layering: must not contain checks; tests of the reader and of handlers share these cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/multipart.h"

namespace eider {

/// A form and the expected output of the reader as text: "(name|filename|type)content;" per part,
/// and "." at the end. The type text/plain and missing file names are left out.
///
/// bytes    content whose boundary is "xyz"
/// refusal  MultipartRefusal::none: the form is accepted
/// found    the whole output, including parts before an error
struct MultipartCase {
  std::string_view what;
  std::string_view section;
  std::string bytes;
  MultipartRefusal refusal = MultipartRefusal::none;
  std::string found = {};
};

inline constexpr std::string_view kCaseBoundary = "xyz";

/// Returns a whole form of one part with these header lines, each ending in CRLF.
inline std::string form_with(std::string_view header_lines, std::string_view content = "1") {
  return "--xyz\r\n" + std::string(header_lines) + "\r\n" + std::string(content) +
         "\r\n--xyz--\r\n";
}
/// Returns a whole form of one part with these parameters in its Content-Disposition.
inline std::string form_of(std::string_view parameters, std::string_view content = "1") {
  return form_with("Content-Disposition: form-data" + std::string(parameters) + "\r\n", content);
}
/// Returns a form of one part "a" with this content.
inline std::string form_around(std::string_view content) {
  return form_of("; name=a", content);
}

inline std::vector<MultipartCase> good_multipart_frames() {
  using enum MultipartRefusal;
  const std::string part = "Content-Disposition: form-data; name=a\r\n\r\n";
  return {
      {"one part", "7578, 4.1", form_around("1"), none, "(a)1;."},
      {"two parts", "7578, 4.1", "--xyz\r\n" + part + "1\r\n--xyz\r\n" + part + "2\r\n--xyz--\r\n",
       none, "(a)1;(a)2;."},
      {"no parts, as browsers send it", "WHATWG HTML, 4.10.21.8", "--xyz--\r\n", none, "."},
      {"no line end behind the last boundary", "2046, 5.1.1", "--xyz\r\n" + part + "1\r\n--xyz--",
       none, "(a)1;."},
      {"an empty part", "2046, 5.1.1", form_around(""), none, "(a);."},
      {"a part whose empty line is its boundary's", "2046, 5.1.1",
       "--xyz\r\n" + part + "--xyz--\r\n", none, "(a);."},
      {"a preamble", "2046, 5.1.1", "see\r\nbelow\r\n" + form_around("1"), none, "(a)1;."},
      {"an empty line in front", "2046, 5.1.1", "\r\n" + form_around("1"), none, "(a)1;."},
      {"a preamble like a boundary", "2046, 5.1.1", "--xy\r\n-xyz\r\n" + form_around("1"), none,
       "(a)1;."},
      {"a boundary within a line of the preamble", "2046, 5.1.1", "a --xyz\r\n" + form_around("1"),
       none, "(a)1;."},
      {"an epilogue", "2046, 5.1.1", form_around("1") + "see\r\n--xyz\r\nabove", none, "(a)1;."},
      {"an epilogue on the line", "2046, 5.1.1", "--xyz--and more", none, "."},
      {"blanks behind boundaries", "2046, 5.1.1", "--xyz \t\r\n" + part + "1\r\n--xyz-- \t\r\n",
       none, "(a)1;."},
  };
}

inline std::vector<MultipartCase> multipart_contents() {
  using enum MultipartRefusal;
  std::vector<MultipartCase> cases;
  for (const std::string_view content : {"\r",
                                         "\n",
                                         "\r\n",
                                         "\r\n\r\n",
                                         "-",
                                         "--",
                                         "--xy",
                                         "\r\n-",
                                         "\r\n--",
                                         "\r\n--x",
                                         "\r\n--xy",
                                         "\r\n--xy\r\n--xy",
                                         "\r\n--xyy",
                                         "\r\r\n--xy",
                                         "\r\n\r\n--xy",
                                         "\r\n--\r\n",
                                         "a\r\nb\r\n",
                                         "xyz--",
                                         "--xy--",
                                         "a--xyz",
                                         "\n--xyz",
                                         "\r--xyz",
                                         "\r\n -- xyz",
                                         "\r\n--XYZ",
                                         "\r\r\r\r",
                                         "\r\n--x\r\n--xz"}) {
    cases.push_back({"content like a boundary", "2046, 5.1.1", form_around(content), none,
                     "(a)" + std::string(content) + ";."});
  }
  cases.push_back({"any byte", "2046, 5.1.1", form_around(std::string_view("\0\xFF\r\0", 4)), none,
                   "(a)" + std::string("\0\xFF\r\0", 4) + ";."});
  return cases;
}

inline std::vector<MultipartCase> good_multipart_headers() {
  using enum MultipartRefusal;
  return {
      {"a quoted name", "7578, 4.2", form_of("; name=\"a b\""), none, "(a b)1;."},
      {"a file", "7578, 4.2", form_of("; name=\"a\"; filename=\"b.txt\""), none, "(a|b.txt)1;."},
      {"a file without a name", "WHATWG HTML, 4.10.21.8",
       form_of("; name=\"a\"; filename=\"\"", ""), none, "(a|);."},
      {"a file without a name or quotes", "WHATWG HTML, 4.10.21.8",
       form_of("; name=\"a\"; filename=", ""), none, "(a|);."},
      {"an empty file name before the name", "WHATWG HTML, 4.10.21.8",
       form_of("; filename= ; name=a", ""), none, "(a|);."},
      {"the parameters turned around", "7578, 4.2", form_of("; filename=b; name=a"), none,
       "(a|b)1;."},
      {"another parameter", "2183, 2.8", form_of("; name=a; size=1"), none, "(a)1;."},
      {"a name for another coding", "7578, 4.2", form_of("; name=a; filename*=UTF-8''b"), none,
       "(a)1;."},
      {"both names, the plain one counts", "7578, 4.2",
       form_of("; name=a; filename=b; filename*=UTF-8''c"), none, "(a|b)1;."},
      {"UTF-8", "7578, 5.1", form_of("; name=\"\xC3\xA9\"; filename=\"\xC3\xA9.txt\""), none,
       "(\xC3\xA9|\xC3\xA9.txt)1;."},
      {"a quote and a line end as browsers write them", "WHATWG HTML, 4.10.21.8",
       form_of("; name=\"a%22b%0D%0Ac\""), none, "(a\"b\r\nc)1;."},
      {"no other percent means anything", "WHATWG HTML, 4.10.21.8",
       form_of("; name=\"100%25%41%\""), none, "(100%25%41%)1;."},
      {"quotes as curl escapes them", "9110, 5.6.4", form_of("; name=\"a\\\"b\\\\c\""), none,
       "(a\"b\\c)1;."},
      {"a path as old browsers send it", "7578, 4.2",
       form_of("; name=a; filename=\"C:\\d\\b.txt\""), none, "(a|C:\\d\\b.txt)1;."},
      {"a boundary within a name", "7578, 4.2", form_of("; name=\"--xyz--\""), none,
       "(--xyz--)1;."},
      {"a type", "7578, 4.4",
       form_with("Content-Disposition: form-data; name=a\r\nContent-Type: image/png\r\n"), none,
       "(a|image/png)1;."},
      {"names without case, blanks around values", "2045, 1",
       form_with("CONTENT-TYPE:\timage/png \r\ncontent-disposition:Form-Data;NAME=a\r\n"), none,
       "(a|image/png)1;."},
      {"another field", "7578, 4.8",
       form_with("Content-Disposition: form-data; name=a\r\nX: y\r\n"), none, "(a)1;."},
      {"a coding that is none", "7578, 4.7",
       form_with("Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: 8BIT\r\n"),
       none, "(a)1;."},
  };
}

inline std::vector<MultipartCase> bad_multipart_frames() {
  using enum MultipartRefusal;
  const std::string part = "Content-Disposition: form-data; name=a\r\n\r\n";
  return {
      {"nothing", "2046, 5.1.1", "", truncated},
      {"no boundary", "2046, 5.1.1", "a=1", truncated},
      {"the end within the first boundary", "2046, 5.1.1", "--xy", truncated},
      {"the end behind a boundary", "2046, 5.1.1", "--xyz", truncated},
      {"the end within a header", "2046, 5.1.1", "--xyz\r\nContent-", truncated},
      {"the end within a part", "2046, 5.1.1", "--xyz\r\n" + part + "1", truncated, "(a)1"},
      {"the end within a boundary", "2046, 5.1.1", "--xyz\r\n" + part + "1\r\n--x", truncated,
       "(a)1"},
      {"the end behind one dash", "2046, 5.1.1", "--xyz\r\n" + part + "1\r\n--xyz-", truncated,
       "(a)1"},
      {"the end behind a part", "2046, 5.1.1", "--xyz\r\n" + part + "1\r\n--xyz\r\n", truncated,
       "(a)1;"},
      {"more behind a boundary", "2046, 5.1.1", "--xyza\r\n" + part, bad_delimiter_line},
      {"a longer boundary within a part", "2046, 5.1.1", form_around("1\r\n--xyza"),
       bad_delimiter_line, "(a)1"},
      {"one dash behind a boundary", "2046, 5.1.1", "--xyz-\r\n", bad_delimiter_line},
      {"a dash behind blanks", "2046, 5.1.1", "--xyz --\r\n", bad_delimiter_line},
      {"a bare LF behind a boundary", "2046, 5.1.1", "--xyz\n" + part, bad_delimiter_line},
      {"a bare CR behind a boundary", "2046, 5.1.1", "--xyz\ra", bad_delimiter_line},
      {"too many blanks behind a boundary", "2046, 5.1.1", "--xyz" + std::string(65, ' ') + "\r\n",
       bad_delimiter_line},
      {"a part whose line ends are LF", "2046, 5.1.1", "\n--xyz\n" + part + "1\n--xyz--\n",
       truncated},
  };
}

inline std::vector<MultipartCase> bad_multipart_headers() {
  using enum MultipartRefusal;
  const std::string disposition = "Content-Disposition: form-data; name=a\r\n";
  return {
      {"no header", "7578, 4.2", form_with(""), missing_disposition},
      {"no disposition", "7578, 4.2", form_with("Content-Type: text/plain\r\n"),
       missing_disposition},
      {"two dispositions", "7578, 4.2", form_with(disposition + disposition), doubled_header},
      {"two types", "7578, 4.4",
       form_with(disposition + "Content-Type: a/b\r\nContent-type: c/d\r\n"), doubled_header},
      {"another disposition", "7578, 4.2", form_with("Content-Disposition: attachment; name=a\r\n"),
       bad_disposition},
      {"an empty disposition", "7578, 4.2", form_with("Content-Disposition:\r\n"), bad_disposition},
      {"no name", "7578, 4.2", form_of(""), missing_name},
      {"no name for a file", "7578, 4.2", form_of("; filename=b"), missing_name},
      {"an empty name", "7578, 4.2", form_of("; name=\"\""), missing_name},
      {"an empty name without quotes", "7578, 4.2", form_of("; name=; filename=b"), missing_name},
      {"two empty file names", "7578, 4.2", form_of("; name=a; filename=; filename=b"),
       bad_disposition},
      {"two names", "7578, 4.2", form_of("; name=a; name=b"), bad_disposition},
      {"two names by case", "7578, 4.2", form_of("; name=a; Name=b"), bad_disposition},
      {"two file names", "7578, 4.2", form_of("; name=a; filename=b; filename=c"), bad_disposition},
      {"an open quote", "9110, 5.6.4", form_of("; name=\"a"), bad_disposition},
      {"text behind the quote", "9110, 5.6.4", form_of("; name=\"a\"b"), bad_disposition},
      {"a bare name", "9110, 5.6.6", form_of("; name"), bad_disposition},
      {"a name that is not UTF-8", "7578, 5.1", form_of("; name=\"\xE9\""), bad_name},
      {"a coded part", "7578, 4.7",
       form_with(disposition + "Content-Transfer-Encoding: base64\r\n"), coded_part},
      {"no colon", "2046, 5.1", form_with(disposition + "abc\r\n"), bad_header},
      {"a blank in front of the colon", "2046, 5.1",
       form_with("Content-Disposition : form-data\r\n"), bad_header},
      {"an empty field name", "2046, 5.1", form_with(disposition + ": a\r\n"), bad_header},
      {"a folded line", "2046, 5.1", form_with("Content-Disposition: form-data;\r\n name=a\r\n"),
       bad_header},
      {"a bare LF", "2046, 5.1", form_with("Content-Disposition: form-data; name=a\nX: y\r\n"),
       bad_header},
      {"a bare CR", "2046, 5.1", form_with("Content-Disposition: form-data; name=a\rX: y\r\n"),
       bad_header},
      {"NUL", "2046, 5.1", form_of(std::string_view("; name=\"a\0\"", 11)), bad_header},
      {"a part without its empty line", "2046, 5.1", "--xyz\r\n" + disposition + "--xyz--\r\n\r\n",
       bad_header},
  };
}

inline std::vector<MultipartCase> all_multipart_cases() {
  std::vector<MultipartCase> all;
  for (auto cases : {good_multipart_frames(), multipart_contents(), good_multipart_headers(),
                     bad_multipart_frames(), bad_multipart_headers()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace eider
