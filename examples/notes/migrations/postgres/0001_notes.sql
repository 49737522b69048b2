create table notes(
  id      bigint generated always as identity primary key,
  title   text not null check(length(title) between 1 and 200),
  body    text not null,
  stars   integer not null check(stars between 0 and 5),
  written text not null,
  changed text not null);
create index notes_by_change on notes(changed desc, id desc);
