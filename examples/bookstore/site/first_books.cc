#include "site/first_books.h"

namespace bookstore {

namespace {

/// The books and their authors are fictional.
constexpr const char* kFirstBooks = R"(
  insert into books(title, author, isbn, genre, year, price_cents, stock, summary) values
  ('The Lighthouse Keeper''s Atlas', 'Mara Quill', '9780000000019', 'novel', 2019, 1890, 14,
   'Every night she draws a coast that is not there. One morning a ship comes from it.'),
  ('A Winter in Three Letters', 'Jonas Feldt', '9780000000026', 'novel', 2021, 1650, 6,
   'Two sisters write to the same man, who answers neither, until the snow closes the road.'),
  ('The Quiet Platform', 'Edda Brandt', '9780000000033', 'crime', 2022, 1290, 9,
   'A train arrives with one passenger too many. Inspector Holm has until the next stop.'),
  ('Death of a Proofreader', 'Silas Okonjo', '9780000000040', 'crime', 2017, 1190, 0,
   'He found every mistake but the last one.'),
  ('What Birds Know of Magnets', 'Dr. Ines Varga', '9780000000057', 'science', 2020, 2490, 11,
   'Forty years of field work on the sixth sense that steers a third of all birds.'),
  ('The Patient Glacier', 'Tomas Lind', '9780000000064', 'science', 2018, 2250, 4,
   'How ice remembers the air of a hundred thousand summers, and what it tells of ours.'),
  ('Salt Roads', 'Amina Teller', '9780000000071', 'history', 2015, 2790, 7,
   'Cities, wars and kitchens along the paths of the oldest trade.'),
  ('The Clockmakers'' Strike', 'Piet van Houten', '9780000000088', 'history', 2023, 2390, 5,
   'In 1790 a whole valley stopped its clocks. This is the story of the eleven days after.'),
  ('Plain Functions', 'Nora Stack', '9780000000095', 'computing', 2024, 3990, 20,
   'Programs that say what they mean: two hundred pages without a single pattern.'),
  ('The Event Loop', 'Ravi Menon', '9780000000101', 'computing', 2023, 3490, 13,
   'Waiting for many things at once, from the kernel up, with exercises.'),
  ('Small Hours', 'Lucia Ferrante', '9780000000118', 'poetry', 2016, 990, 8,
   'Poems from between two and five.'),
  ('Rain, Counted', 'Yuki Arai', '9780000000125', 'poetry', 2020, 1090, 3,
   'One poem for each day that it rained.'),
  ('The Bear Who Kept a Diary', 'Greta Moss', '9780000000132', 'children', 2021, 1490, 17,
   'Dear diary, today I slept. From four years on.'),
  ('Otto Counts the Stairs', 'Paul Amsel', '9780000000149', 'children', 2019, 1290, 2,
   'A book of numbers for everybody who lives on the fifth floor.');
)";

}  // namespace

eider::Task<> add_first_books(eider::Database database) {
  const auto count = co_await database.one<int>("select count(*) from books");
  if (count.value_or(0) == 0) {
    co_await database.script(kFirstBooks);
  }
}

}  // namespace bookstore
