#include "view.h"

#include "html.h"

namespace notes {
namespace {

Html layout(const Frame& frame, std::string_view title, const Html& content) {
  Html page;
  page.add(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
<script src="/live.js" defer></script>
</head>
<body>
<header class="top">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Notes</a>
<p class="counter" title="Requests answered since the start"><span class="dot"></span><output
id="requests">{}</output> requests</p>
</header>
<main>
{}</main>
<footer class="bottom">Served by Eider &middot;
<a href="/api/v1/notes">the same as JSON</a></footer>
</body>
</html>
)",
           title, frame.requests, content);
  return page;
}

Html fault_line(std::string_view field, std::string_view fault) {
  Html line;
  if (!fault.empty()) {
    line.add("<p class=\"fault\" id=\"{}-fault\">{}</p>\n", field, fault);
  }
  return line;
}

Html star_choice(int stars) {
  Html choice;
  choice.add("<fieldset class=\"choice\"><legend>Stars</legend>\n");
  for (int i = 0; i <= 5; ++i) {
    Html checked;
    if (i == stars) {
      checked.add(" checked");
    }
    choice.add("<label><input type=\"radio\" name=\"stars\" value=\"{}\"{}>{}</label>\n", i,
               checked, i);
  }
  choice.add("</fieldset>\n");
  return choice;
}

Html text_fields(const NoteForm& form, const FormFaults& faults, int rows) {
  Html fields;
  // The line break behind <textarea> is not part of its content; it keeps one that is.
  fields.add(R"(<label for="title">Title</label>
<input id="title" name="title" maxlength="200" required autocomplete="off"
placeholder="What is it about?" value="{}">
{}<label for="body">Note</label>
<textarea id="body" name="body" rows="{}" maxlength="20000" placeholder="Write it down …">
{}</textarea>
{})",
             form.title, fault_line("title", faults.title), rows, form.body,
             fault_line("body", faults.body));
  return fields;
}

Html composer(const NoteForm& form, const FormFaults& faults) {
  Html html;
  html.add(R"(<form class="composer card" method="post" action="/notes">
{}<p class="actions"><button class="primary">Add note</button></p>
</form>
)",
           text_fields(form, faults, 3));
  return html;
}

/// Five buttons; the one that is lit already takes the stars away.
Html star_buttons(const Note& note, int page) {
  Html html;
  html.add(R"(<form class="stars" method="post" action="/notes/{}/stars">
<input type="hidden" name="page" value="{}">
)",
           note.id, page);
  for (int i = 1; i <= 5; ++i) {
    const std::string_view look = i <= note.stars ? "lit" : "unlit";
    html.add(
        "<button class=\"{}\" name=\"stars\" value=\"{}\" aria-label=\"{} of 5 stars\">&#9733;"
        "</button>",
        look, i == note.stars ? 0 : i, i);
  }
  html.add("\n</form>\n");
  return html;
}

/// "2026-01-31 12:00 UTC" of "2026-01-31T12:00:00Z"; the script turns it into local time.
std::string for_people(const std::string& time) {
  return time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
}

Html note_card(const Note& note, int page) {
  Html html;
  html.add(R"(<article class="note card" id="note-{}">
<h2><a href="/notes/{}">{}</a></h2>
<p class="text">{}</p>
{}<footer><time datetime="{}">{}</time>
<a href="/notes/{}">Edit</a>
<details><summary>Delete</summary>
<form method="post" action="/notes/{}/delete"><button class="danger">Yes, delete it</button></form>
</details></footer>
</article>
)",
           note.id, note.id, note.title, note.body, star_buttons(note, page), note.changed,
           for_people(note.changed), note.id, note.id);
  return html;
}

Html pager(const Listing& listing) {
  const std::int64_t last = (listing.total + listing.per_page - 1) / listing.per_page;
  Html html;
  if (last <= 1) {
    return html;
  }
  html.add("<nav class=\"pager\" aria-label=\"Pages\">\n");
  if (listing.page > 1) {
    html.add("<a rel=\"prev\" href=\"/?page={}\">&larr; Newer</a>\n", listing.page - 1);
  }
  html.add("<span>Page {} of {}</span>\n", listing.page, last);
  if (listing.page < last) {
    html.add("<a rel=\"next\" href=\"/?page={}\">Older &rarr;</a>\n", listing.page + 1);
  }
  html.add("</nav>\n");
  return html;
}

Html cards(const Listing& listing) {
  Html html;
  if (listing.notes.empty()) {
    html.add("<p class=\"empty\">Nothing here yet. The first note is yours.</p>\n");
    return html;
  }
  html.add("<section class=\"notes\" aria-label=\"Notes\">\n");
  for (const Note& note : listing.notes) {
    html.add("{}", note_card(note, listing.page));
  }
  html.add("</section>\n");
  return html;
}

}  // namespace

std::string list_page(const Frame& frame, const Listing& listing, const NoteForm& form,
                      const FormFaults& faults) {
  Html content;
  content.add("{}{}{}", composer(form, faults), cards(listing), pager(listing));
  return layout(frame, "Notes", content).text();
}

std::string edit_page(const Frame& frame, std::int64_t id, const NoteForm& form,
                      const FormFaults& faults) {
  Html content;
  content.add(R"(<form class="composer card" method="post" action="/notes/{}">
{}{}<p class="actions"><button class="primary">Save</button> <a href="/">Cancel</a></p>
</form>
)",
              id, text_fields(form, faults, 14), star_choice(form.stars));
  return layout(frame, form.title + " – Notes", content).text();
}

std::string absent_page(const Frame& frame) {
  Html content;
  content.add(
      "<p class=\"empty\">This note is not here (any more). <a href=\"/\">All notes</a>"
      "</p>\n");
  return layout(frame, "Not here – Notes", content).text();
}

}  // namespace notes
