-- A file of before there were migrations has these tables already.
create table if not exists books(
  id          integer primary key,
  title       text not null,
  author      text not null,
  isbn        text not null unique,
  genre       text not null,
  year        integer not null,
  price_cents integer not null check(price_cents > 0),
  stock       integer not null check(stock >= 0),
  summary     text not null,
  version     integer not null default 1);
create table if not exists covers(
  book_id integer primary key references books(id) on delete cascade,
  type    text not null,
  bytes   blob not null);
create table if not exists users(
  id       integer primary key,
  account  text not null unique,
  name     text not null,
  mail     text not null,
  role     text not null default 'customer',
  joined   text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')));
create table if not exists reviews(
  id      integer primary key,
  book_id integer not null references books(id) on delete cascade,
  user_id integer not null references users(id) on delete cascade,
  stars   integer not null check(stars between 1 and 5),
  text    text not null,
  written text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  unique(book_id, user_id));
create table if not exists orders(
  id          integer primary key,
  user_id     integer not null references users(id),
  name        text not null,
  street      text not null,
  city        text not null,
  state       text not null default 'placed',
  total_cents integer not null,
  checkout    text,
  placed      text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  unique(user_id, checkout));
create table if not exists order_lines(
  order_id    integer not null references orders(id) on delete cascade,
  book_id     integer references books(id) on delete set null,
  title       text not null,
  price_cents integer not null,
  count       integer not null check(count > 0));
create index if not exists order_lines_by_order on order_lines(order_id);
create view if not exists shelf as
  select b.id, b.title, b.author, b.isbn, b.genre, b.year, b.price_cents, b.stock, b.summary,
         exists(select 1 from covers c where c.book_id = b.id) as has_cover,
         coalesce((select avg(r.stars) from reviews r where r.book_id = b.id), 0.0) as rating,
         (select count(*) from reviews r where r.book_id = b.id) as reviews,
         b.version
    from books b;
create table if not exists openid_links(
  identity text primary key,
  account  text not null);

-- One of an older shop lacks some of these, which is told here, ahead of pages that fail: then
-- move the file away, or name another (--database-file).
select u.account, o.checkout, s.version from users u, orders o, shelf s limit 0;
