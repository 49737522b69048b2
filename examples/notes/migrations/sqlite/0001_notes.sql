-- A file of before there were migrations has this table already.
create table if not exists notes(
  id      integer primary key,
  title   text not null check(length(title) between 1 and 200),
  body    text not null,
  stars   integer not null check(stars between 0 and 5),
  written text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')),
  changed text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')));
create index if not exists notes_by_change on notes(changed desc, id desc);
