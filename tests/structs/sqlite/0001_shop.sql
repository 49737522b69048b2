create table authors(
  id      integer primary key autoincrement,
  name    varchar(80) not null,
  mood    text not null default 'calm' check(mood in ('calm', 'busy')),
  class   text not null check(class in ('public', 'in-house')),
  "order" integer not null default 0,
  born    date,
  contact text not null);
create table books(
  id        integer primary key autoincrement,
  author_id integer not null references authors(id),
  title     text not null check(length(title) between 1 and 200),
  stars     integer check(stars is null or stars between 0 and 5),
  state     text not null default 'draft' check(state in ('draft', 'printed')),
  data      json,
  code      uuid,
  written   text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  seen      datetime,
  opens     time,
  cover     blob,
  weight    real not null default 1.5,
  is_sold   boolean not null default false,
  slug      text generated always as (lower(title)) stored,
  version   integer not null default 0,
  deleted   datetime);
create table book_tags(
  book_id integer not null references books(id),
  tag     text not null,
  primary key(book_id, tag)) without rowid;
create table "user"(
  id       integer primary key,
  name     text not null unique,
  "a name" text);
create table audit(line text);
create view printed as select * from books where state = 'printed';
